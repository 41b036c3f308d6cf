//! What holds of the built-in reducers whatever they are handed.

use helve::results::reducer::{CommandKind, ReducerContext, Reducers};
use proptest::prelude::*;
use serde_json::json;

const COMMANDS: &[&str] = &[
    "cargo test",
    "npx vitest run",
    "pytest -q",
    "go test ./...",
    "npm install",
    "pip install x",
    "git status",
    "git status --short",
    "make",
    "cat a",
    "cargo test && npm ci",
    "",
];

/// Lines that such commands write.
const LINES: &[&str] = &[
    "test a ... ok",
    "test b ... FAILED",
    "   Compiling x v0.1.0",
    "running 3 tests",
    "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s",
    "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s",
    "error[E0308]: mismatched types",
    "thread 'b' panicked at src/lib.rs:1:1:",
    " ✓ adds",
    " × subtracts",
    " Test Files  1 passed (1)",
    " Tests  2 passed (2)",
    "tests/test_a.py ..... [ 50%]",
    "tests/test_a.py ..F.. [100%]",
    "E       assert 1 == 2",
    "1 failed, 4 passed in 0.1s",
    "5 passed in 0.1s",
    "--- PASS: TestA (0.00s)",
    "--- FAIL: TestB (0.00s)",
    "ok  \tpkg\t0.1s",
    "added 3 packages in 1s",
    "npm warn deprecated a@1",
    "npm ERR! code 1",
    "On branch main",
    "Changes not staged for commit:",
    "\tmodified:   a.rs",
    " M b.rs",
    "?? c.rs",
    "INFO worker: handled a request of some length, so that many of these are long",
    "",
];

fn commands() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::sample::select(COMMANDS).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[a-z&|;<>'\"\\\\ $(){}=#\n0-9-]{0,60}",
    ]
}

fn texts() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        6 => proptest::sample::select(LINES).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let few = proptest::collection::vec(line.clone(), 0..60);
    let many = proptest::collection::vec(line, 200..500);
    prop_oneof![3 => few, 1 => many].prop_map(|lines| lines.join("\n"))
}

fn reduce(tool: &str, arguments: &str, structured: Option<&str>, text: &str) -> Option<String> {
    let call = ReducerContext::new(tool, arguments).structured(structured);
    let reduced = Reducers::built_in().reduce(&call, text);
    reduced.map(|reduced| reduced.text().to_owned())
}

/// Reports whether a runner says of a test that it failed, or why.
fn tells_of_failure(line: &str) -> bool {
    [
        "FAILED", "panicked", "error[", "×", "E   ", "--- FAIL", "npm ERR!", "..F..", "1 failed",
    ]
    .iter()
    .any(|sign| line.contains(sign))
}

proptest! {
    #[test]
    fn a_reducer_is_a_function_that_never_makes_a_text_longer(
        tool in proptest::sample::select(&["bash", "bash_output", "read_file"][..]),
        command in commands(),
        text in texts(),
        code in 0..2,
    ) {
        let arguments = json!({ "command": command, "path": "a" }).to_string();
        let structured = json!({ "exit": { "code": code } }).to_string();
        let once = reduce(tool, &arguments, Some(&structured), &text);
        prop_assert_eq!(&once, &reduce(tool, &arguments, Some(&structured), &text));
        if let Some(short) = once {
            prop_assert!(short.chars().count() < text.chars().count());
            prop_assert!(!short.trim().is_empty());
        }
    }

    #[test]
    fn whatever_the_arguments_are_nothing_panics(
        tool in proptest::sample::select(&["bash", "read_file"][..]),
        arguments in any::<String>(),
        structured in proptest::option::of(any::<String>()),
        text in any::<String>(),
    ) {
        let short = reduce(tool, &arguments, structured.as_deref(), &text);
        prop_assert!(short.is_none_or(|short| short.len() <= text.len()));
    }

    #[test]
    fn no_line_that_tells_of_a_failure_is_left_out_of_a_test_run(
        command in proptest::sample::select(&COMMANDS[..4]),
        lines in proptest::collection::vec(proptest::sample::select(LINES), 0..200),
        code in proptest::option::of(0..2),
    ) {
        // A run is one where something says so; any other is an output like any other.
        let text = format!("test first ... ok\n{}", lines.join("\n"));
        let structured = code.map(|code| json!({ "exit": { "code": code } }).to_string());
        let arguments = json!({ "command": command }).to_string();
        if let Some(short) = reduce("bash", &arguments, structured.as_deref(), &text) {
            let kept: Vec<&str> = short.lines().filter(|line| tells_of_failure(line)).collect();
            let written: Vec<&str> = text.lines().filter(|line| tells_of_failure(line)).collect();
            prop_assert_eq!(kept, written);
        }
    }

    #[test]
    fn any_line_of_a_shell_has_a_kind(line in any::<String>()) {
        let _ = CommandKind::parse(&line);
    }
}
