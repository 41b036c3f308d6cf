//! The reducers for the tools that come with helve.

use helve::prelude::*;
use serde_json::json;

use crate::reducing::samples;
use crate::reducing::{shown, shown_of};

#[tokio::test]
async fn a_run_of_cargo_that_passes_is_its_summary() {
    insta::assert_snapshot!(shown_of("cargo test", &samples::cargo_that_passes(), 0).await, @r#"
    warning: unused variable: `x`
    test result: ok. 30 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
    test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
    [exit code 0, after 3.2 s]
    [shortened: 245 of 1303 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
}

#[tokio::test]
async fn a_run_of_cargo_that_fails_keeps_all_but_what_passed() {
    insta::assert_snapshot!(shown_of("cd shapes && cargo test 2>&1", &samples::cargo_that_fails(), 101).await, @r#"
         Running unittests src/lib.rs (target/debug/deps/shapes-0a1b)

    test shapes::area ... FAILED

    failures:

    ---- shapes::area stdout ----
    side is 3

    thread 'shapes::area' panicked at src/lib.rs:12:9:
    assertion `left == right` failed
      left: 6
     right: 9

    failures:
        shapes::area

    test result: FAILED. 30 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

    error: test failed, to rerun pass `--lib`
    [exit code 101, after 3.2 s]
    [shortened: 452 of 1404 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
}

#[tokio::test]
async fn a_run_that_says_it_passed_and_failed_all_the_same_is_no_success() {
    let shown = shown_of("cargo test", &samples::cargo_that_passes(), 1).await;
    assert!(shown.contains("Running unittests"), "{shown}");
    assert!(!shown.contains("case_1 "), "{shown}");
}

#[tokio::test]
async fn a_run_of_pytest_that_fails() {
    insta::assert_snapshot!(shown_of("python -m pytest -v", &samples::pytest_that_fails(), 1).await, @r#"
    ============================= test session starts ==============================

    tests/test_shapes.py::test_area FAILED  [100%]

    =================================== FAILURES ===================================
    __________________________________ test_area ___________________________________

        def test_area():
    >       assert area(3) == 9
    E       assert 6 == 9
    E        +  where 6 = area(3)

    tests/test_shapes.py:4: AssertionError
    =========================== short test summary info ============================
    FAILED tests/test_shapes.py::test_area - assert 6 == 9
    ========================= 1 failed, 30 passed in 0.12s =========================
    [exit code 1, after 3.2 s]
    [shortened: 677 of 2719 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
}

#[tokio::test]
async fn a_run_of_vitest_that_fails() {
    insta::assert_snapshot!(shown_of("npx vitest run", &samples::vitest_that_fails(), 1).await, @r#"
     ❯ shapes.test.ts (31 tests | 1 failed) 12ms
       × shapes > area 4ms
         → expected 6 to be 9 // Object.is equality

    ⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

     FAIL  shapes.test.ts > shapes > area
    AssertionError: expected 6 to be 9 // Object.is equality

    - Expected
    + Received

    - 9
    + 6

     ❯ shapes.test.ts:5:19

     Test Files  1 failed (1)
          Tests  1 failed | 30 passed (31)
       Start at  10:00:00
       Duration  310ms
    [exit code 1, after 3.2 s]
    [shortened: 433 of 1231 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
}

#[tokio::test]
async fn a_run_of_go_that_fails() {
    insta::assert_snapshot!(shown_of("go test -v ./...", &samples::go_that_fails(), 1).await, @r#"
        shapes_test.go:9: area(3) = 6, want 9
    --- FAIL: TestArea (0.00s)
    FAIL
    FAIL	example.org/shapes	0.004s
    ok  	example.org/shapes/paint	0.003s
    FAIL
    [exit code 1, after 3.2 s]
    [shortened: 173 of 1173 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
}

#[tokio::test]
async fn an_install_is_its_summary_and_its_warnings() {
    insta::assert_snapshot!(shown_of("npm install", &samples::npm_install(), 0).await, @r#"
    npm warn deprecated inflight@1.0.6: This module is not supported
    added 212 packages, and audited 213 packages in 4s
    found 0 vulnerabilities
    [exit code 0, after 3.2 s]
    [shortened: 166 of 1405 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
}

#[tokio::test]
async fn an_install_that_fails_stays_whole() {
    let text = samples::npm_install();
    let shown = shown_of("npm install", &text, 1).await;
    assert_eq!(shown, format!("{text}\n[exit code 1, after 3.2 s]"));
}

#[tokio::test]
async fn many_changed_files_are_counted() {
    insta::assert_snapshot!(shown_of("git status -sb", &samples::git_status_short(), 0).await, @r#"
    ## main...origin/main [ahead 2]
    git status: 1 conflicting, 30 modified, 1 renamed, 5 untracked.
    First 20: UU src/both.rs,  M src/file_0.rs,  M src/file_1.rs,  M src/file_2.rs,  M src/file_3.rs,  M src/file_4.rs,  M src/file_5.rs,  M src/file_6.rs,  M src/file_7.rs,  M src/file_8.rs,  M src/file_9.rs,  M src/file_10.rs,  M src/file_11.rs,  M src/file_12.rs,  M src/file_13.rs,  M src/file_14.rs,  M src/file_15.rs,  M src/file_16.rs,  M src/file_17.rs,  M src/file_18.rs
    [exit code 0, after 3.2 s]
    [shortened: 498 of 702 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
    insta::assert_snapshot!(shown_of("git status", &samples::git_status_long(), 0).await, @r#"
    On branch main
    Your branch is ahead of 'origin/main' by 2 commits.
    Changes not staged for commit:
    	modified:   src/file_0.rs
    	modified:   src/file_1.rs
    	modified:   src/file_2.rs
    	modified:   src/file_3.rs
    	modified:   src/file_4.rs
    	modified:   src/file_5.rs
    	modified:   src/file_6.rs
    	modified:   src/file_7.rs
    	modified:   src/file_8.rs
    	modified:   src/file_9.rs
    	modified:   src/file_10.rs
    	modified:   src/file_11.rs
    	modified:   src/file_12.rs
    	modified:   src/file_13.rs
    	modified:   src/file_14.rs
    	modified:   src/file_15.rs
    	modified:   src/file_16.rs
    	modified:   src/file_17.rs
    	modified:   src/file_18.rs
    	modified:   src/file_19.rs
    	… and 10 more
    Untracked files:
    	notes/0.md
    	notes/1.md
    no changes added to commit (use "git add" and/or "git commit -a")
    [exit code 0, after 3.2 s]
    [shortened: 796 of 1312 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
}

#[tokio::test]
async fn a_long_log_keeps_its_ends_and_what_looks_like_an_error() {
    let shown = shown_of("./worker --verbose", &samples::log(), 0).await;
    let lines: Vec<&str> = shown.lines().collect();
    let ends: Vec<&str> = [&lines[..2], &lines[lines.len() - 4..]].concat();
    insta::assert_snapshot!(ends.join("\n"), @r#"
    2026-01-01T00:00:00Z INFO worker: handled request 0
    2026-01-01T00:00:01Z INFO worker: handled request 1
    2026-01-01T00:00:39Z INFO worker: handled request 399

    [exit code 0, after 3.2 s]
    [shortened: 6097 of 21529 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
    let gap = lines
        .iter()
        .position(|line| line.starts_with("[…"))
        .unwrap();
    insta::assert_snapshot!(lines[gap - 1..gap + 4].join("\n"), @r#"
    2026-01-01T00:00:44Z INFO worker: handled request 44
    [… 288 lines omitted, except lines that look like errors: …]
    2026-01-01T00:02:30Z ERROR worker: connection refused by 10.0.0.7
    […]
    2026-01-01T00:00:34Z INFO worker: handled request 334
    "#);
}

#[tokio::test]
async fn one_long_line_is_cut_in_its_middle() {
    let shown = shown_of("./dump", &"ä".repeat(10_000), 0).await;
    assert!(
        shown.starts_with("ä") && shown.contains("[… 1 line omitted …]\nä"),
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
    insta::assert_snapshot!(lines[198..].join("\n"), @r#"
       199	let line_199 = 199;
       200	let line_200 = 200;
    [lines 201 to 350 are omitted; `read_file` with offset=201 shows them]
    [shortened: 5254 of 9234 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
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
