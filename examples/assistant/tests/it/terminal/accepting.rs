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

#[test]
fn a_rule_is_shown_before_it_is_added_or_removed() {
    let place = PtyFixture::new();
    let rules = place.path("project/.helve/permissions.json");
    let answer = |arguments: &[&str], question: &str, answer: &str| {
        let mut terminal = place.start_assistant(&[&["permissions"], arguments].concat());
        terminal.wait_for_question(question);
        terminal.type_line(answer);
        terminal.wait_for_exit()
    };
    let (screen, code) = answer(&["allow", "bash(make:*)"], "Add this rule?", "n");
    assert_eq!(code, 1);
    assert!(screen.starts_with("+ allow bash(make:*)"), "{screen}");
    assert!(screen.ends_with("nothing was changed"), "{screen}");
    assert!(!rules.exists());
    let (_, code) = answer(&["deny", "bash(make:*)"], "Add this rule?", "y");
    assert_eq!(code, 0);
    let (screen, code) = answer(&["remove", "bash(make:*)"], "Remove this rule?", "n");
    assert_eq!(code, 1);
    assert!(screen.starts_with("- deny bash(make:*)"), "{screen}");
    let text = std::fs::read_to_string(&rules).expect("a file");
    assert!(text.contains("bash(make:*)"), "{text}");
    let (_, code) = answer(&["remove", "bash(make:*)"], "Remove this rule?", "y");
    assert_eq!(code, 0);
    let text = std::fs::read_to_string(&rules).expect("a file");
    assert!(!text.contains("bash(make:*)"), "{text}");
}

#[test]
fn a_key_is_typed_without_echo() {
    let place = PtyFixture::new();
    let mut terminal = place.start_assistant(&["login", "groq"]);
    terminal.wait_for_question("The key of groq");
    terminal.type_line("gsk-typed");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("stored the key of groq"), "{screen}");
    assert!(!screen.contains("gsk-typed"), "{screen}");
}

/// Leaves out the lines that name a file: where they are broken depends on the place of the project.
fn redact_paths(screen: &str) -> String {
    let lines = screen.lines().filter(|line| {
        let ends = [".json", ".toml", "allows"];
        !line.contains('/') && !ends.iter().any(|end| line.ends_with(end))
    });
    lines.collect::<Vec<_>>().join("\n")
}
