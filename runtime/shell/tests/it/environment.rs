//! The shell that a proof is about.

use helve_shell::{Analysis, Check, Confinement, Dialect, Shell};

#[test]
fn another_shell_is_not_proven() {
    for shell in [
        Shell::default().with_dialect(Dialect::Other),
        Shell::default().with_writable_path(true),
    ] {
        let analysis = Analysis::new("ls", None, shell);
        let checked = analysis.check();
        assert!(
            matches!(checked.check, Check::Ask { safety: false, .. }),
            "{checked:?}"
        );
        assert_eq!(checked.confinement, Confinement::None);
        assert!(!analysis.covers("ls:*")[0]);
        assert!(analysis.covers("ls:*")[1], "a deny rule is about it");
        assert!(analysis.suggestions().is_empty());
    }
}

#[test]
fn a_verdict_carries_its_confinement() {
    let confinement = |text: &str| {
        Analysis::new(text, None, Shell::default())
            .check()
            .confinement
    };
    assert_eq!(confinement("git status | wc -l"), Confinement::ReadOnly);
    assert_eq!(confinement("touch x"), Confinement::None);
    assert_eq!(confinement("make"), Confinement::None);
    assert_eq!(confinement("cat .env; rm -rf /"), Confinement::None);
}

#[test]
fn a_line_is_analysed_once() {
    let before = helve_shell::testing::analyses();
    let analysis = Analysis::new("npm test && ls", None, Shell::default());
    let _ = analysis.check();
    let _ = analysis.covers("npm:*");
    let _ = analysis.covers("ls:*");
    let _ = analysis.suggestions();
    assert_eq!(helve_shell::testing::analyses(), before + 1);
}
