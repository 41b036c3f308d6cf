//! The reducers for the tools that come with helve.

use helve::prelude::*;
use serde_json::json;

use crate::samples;
use crate::{shown, shown_of};

#[tokio::test]
async fn a_run_of_cargo_that_passes_is_its_summary() {
    insta::assert_snapshot!(shown_of("cargo test", &samples::cargo_that_passes(), 0).await, @"");
}

#[tokio::test]
async fn a_run_of_cargo_that_fails_keeps_all_but_what_passed() {
    insta::assert_snapshot!(shown_of("cd shapes && cargo test 2>&1", &samples::cargo_that_fails(), 101).await, @"");
}

#[tokio::test]
async fn a_run_that_says_it_passed_and_failed_all_the_same_is_no_success() {
    let shown = shown_of("cargo test", &samples::cargo_that_passes(), 1).await;
    assert!(shown.contains("Running unittests"), "{shown}");
    assert!(!shown.contains("case_1 "), "{shown}");
}

#[tokio::test]
async fn a_run_of_pytest_that_fails() {
    insta::assert_snapshot!(shown_of("python -m pytest -v", &samples::pytest_that_fails(), 1).await, @"");
}

#[tokio::test]
async fn a_run_of_vitest_that_fails() {
    insta::assert_snapshot!(shown_of("npx vitest run", &samples::vitest_that_fails(), 1).await, @"");
}

#[tokio::test]
async fn a_run_of_go_that_fails() {
    insta::assert_snapshot!(shown_of("go test -v ./...", &samples::go_that_fails(), 1).await, @"");
}

#[tokio::test]
async fn an_install_is_its_summary_and_its_warnings() {
    insta::assert_snapshot!(shown_of("npm install", &samples::npm_install(), 0).await, @"");
}

#[tokio::test]
async fn an_install_that_fails_stays_whole() {
    let text = samples::npm_install();
    let shown = shown_of("npm install", &text, 1).await;
    assert_eq!(shown, format!("{text}\n[exit code 1, after 3.2 s]"));
}

#[tokio::test]
async fn many_changed_files_are_counted() {
    insta::assert_snapshot!(shown_of("git status -sb", &samples::git_status_short(), 0).await, @"");
    insta::assert_snapshot!(shown_of("git status", &samples::git_status_long(), 0).await, @"");
}

#[tokio::test]
async fn a_long_log_keeps_its_ends_and_what_looks_like_an_error() {
    let shown = shown_of("./worker --verbose", &samples::log(), 0).await;
    let lines: Vec<&str> = shown.lines().collect();
    let ends: Vec<&str> = [&lines[..2], &lines[lines.len() - 4..]].concat();
    insta::assert_snapshot!(ends.join("\n"), @"");
    let gap = lines
        .iter()
        .position(|line| line.starts_with("[…"))
        .unwrap();
    insta::assert_snapshot!(lines[gap - 1..gap + 4].join("\n"), @"");
}

#[tokio::test]
async fn one_long_line_is_cut_in_its_middle() {
    let shown = shown_of("./dump", &"ä".repeat(10_000), 0).await;
    assert!(
        shown.starts_with("ä") && shown.contains("[… 1 line left out …]\nä"),
        "{shown}"
    );
    assert!(shown.len() < 7_000);
}

#[tokio::test]
async fn what_was_asked_for_as_it_is_stays_so() {
    for command in ["cat worker.log", "git diff", "cargo test | tail -300"] {
        let text = samples::log();
        let shown = shown_of(command, &text, 0).await;
        assert_eq!(
            shown,
            format!("{text}\n[exit code 0, after 3.2 s]"),
            "{command}"
        );
    }
}

#[tokio::test]
async fn commands_of_two_kinds_are_one_long_output() {
    let text = samples::npm_install() + &samples::cargo_that_fails();
    let shown = shown_of("npm install && cargo test", &text, 101).await;
    assert_eq!(shown, format!("{text}\n[exit code 101, after 3.2 s]"));
}

#[tokio::test]
async fn a_long_file_shows_its_beginning() {
    let output = ToolOutput::plain(samples::numbered(350));
    let shown = shown("read_file", json!({ "path": "src/main.rs" }), output).await;
    let lines: Vec<&str> = shown.lines().collect();
    insta::assert_snapshot!(lines[198..].join("\n"), @"");
}

#[tokio::test]
async fn a_part_of_a_file_that_was_asked_for_is_shown() {
    for arguments in [
        json!({ "path": "a", "offset": 1 }),
        json!({ "path": "a", "limit": 900 }),
    ] {
        let text = samples::numbered(350);
        let output = ToolOutput::plain(text.clone());
        assert_eq!(shown("read_file", arguments, output).await, text);
    }
}
