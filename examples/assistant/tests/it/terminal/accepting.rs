//! The question about what a project says.

use crate::terminal::pty::PtyFixture;

const TRUST: [&str; 2] = ["permissions", "trust"];

#[test]
fn what_a_project_says_is_shown_before_one_question() {
    let place = PtyFixture::new();
    std::fs::create_dir(place.path("project/.helve")).expect("a folder");
    let write = |rules: &str| {
        std::fs::write(place.path("project/.helve/permissions.json"), rules).expect("a file");
    };
    write(r#"{"allow": ["bash(make:*)"]}"#);
    std::fs::write(place.path("project/helve.toml"), "mode = \"bypass\"\n").expect("a file");
    let mut terminal = place.start_assistant(&TRUST);
    terminal.wait_for_question("Accept these changes");
    terminal.type_line("n");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 1);
    insta::assert_snapshot!(redact_paths(&screen), @r#"
    + rule `bash(make:*)` (new)
    + setting `mode` (new)
        "bypass"
    ? Accept these changes?
      [y] yes  [n] no
      > n
    nothing was accepted
    "#);

    let mut terminal = place.start_assistant(&TRUST);
    terminal.wait_for_question("Accept these changes");
    terminal.type_line("y");
    let (screen, code) = terminal.wait_for_exit();
    assert!(screen.contains("until the file changes"), "{screen}");
    assert_eq!(code, 0);

    write(r#"{"allow": ["bash(make:*)", "bash"]}"#);
    let mut terminal = place.start_assistant(&TRUST);
    terminal.wait_for_question("Accept these changes");
    terminal.type_line("y");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0);
    insta::assert_snapshot!(redact_paths(&screen), @r"
    + rule `bash` (new)
    ? Accept these changes?
      [y] yes  [n] no
      > y
    ");
}

/// Leaves out the lines that name a file: where they are broken depends on the place of the project.
fn redact_paths(screen: &str) -> String {
    let lines = screen.lines().filter(|line| {
        let ends = [".json", ".toml", "allows"];
        !line.contains('/') && !ends.iter().any(|end| line.ends_with(end))
    });
    lines.collect::<Vec<_>>().join("\n")
}
