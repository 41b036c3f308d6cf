//! Checks that a test covers the message of every code.

use helve_skill_format::codes;

const TESTS: &[&str] = &[
    include_str!("files.rs"),
    include_str!("folders.rs"),
    include_str!("lenient.rs"),
    include_str!("limits.rs"),
    include_str!("links.rs"),
    include_str!("profiles.rs"),
    include_str!("symlinks.rs"),
    include_str!("texts.rs"),
];

#[test]
fn every_code_is_in_a_whole_message() {
    let unread: Vec<_> = codes::ALL
        .iter()
        .filter(|(code, _)| {
            let shown = [format!("error[{code}]: "), format!("warning[{code}]: ")];
            !TESTS
                .iter()
                .any(|test| shown.iter().any(|shown| test.contains(shown)))
        })
        .collect();
    assert!(unread.is_empty(), "no test reads {unread:#?}");
}
