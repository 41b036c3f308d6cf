//! Runs the program as a user does.

use std::process::Command;

/// Runs the program, which has to succeed, and returns what it prints.
fn output(arguments: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_my-tools"));
    let output = program
        .args(arguments)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("the output is text")
}

#[test]
fn words_are_counted() {
    let counted = output(&["call", "count_words", "--text", "one two"]);
    assert_eq!(counted, "2\n");
}

#[test]
fn the_skill_is_listed() {
    let skills = output(&["skills"]);
    assert!(skills.contains("shorten-text"), "{skills}");
}
