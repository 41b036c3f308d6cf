//! The hooks of agent files: they hold in their agent alone, and those of a project once they are accepted.

use serde_json::json;

use super::{calls, results, says, with_settings};
use crate::permissions::fixture::PermissionsFixture;

const SCRIPT: &str = "project/.claude/check.sh";

fn careful(command: &str) -> String {
    format!(
        "---\nname: careful\ndescription: Careful.\nhooks:\n  PreToolUse:\n    - matcher: \"Bash\"\n      hooks:\n        \
         - type: command\n          command: \"{command}\"\n          timeout: 20\n  SessionStart:\n    - hooks:\n        \
         - {{ type: command, command: \"true\" }}\n---\nYou are careful.\n"
    )
}

/// The main agent runs a command, and then has the other agent run one.
fn run(place: &PermissionsFixture) -> (String, Vec<String>) {
    let task = json!({ "agent": "careful", "prompt": "Run it." });
    let echo = json!({ "command": "echo hi" });
    let replies = [
        calls("bash", &echo),
        calls("task", &task),
        calls("bash", &echo),
        says("It did not run."),
        says("Done."),
    ];
    let output = place.run_replies(&["--mode", "bypass"], &replies);
    let results = results(&output);
    (output, results)
}

#[test]
fn hooks_of_an_agent_file_hold_in_that_agent_alone() {
    let file = careful("echo 'no shell here' >&2; exit 2");
    let place = with_settings("").with_file("home/.claude/agents/careful.md", &file);
    let (output, results) = run(&place);
    assert!(results[0].starts_with("main: <untrusted"), "{output}");
    assert_eq!(
        results[1],
        "careful: Tool call denied: a hook denied the call: no shell here"
    );
    let note = "careful.md:4: hooks of the event `SessionStart` do not run in agent files";
    assert!(output.contains(note), "{output}");
    // As the agent of the session, it has the same hooks.
    let echo = json!({ "command": "echo hi" });
    let arguments = ["--mode", "bypass", "--agent", "careful"];
    let denied = place.model_calls(&arguments, "bash", &echo);
    assert_eq!(
        denied,
        "Tool call denied: a hook denied the call: no shell here"
    );
    let arguments = ["--mode", "bypass", "--agent", "careful", "--no-hooks"];
    assert!(place.model_calls(&arguments, "bash", &echo).contains("hi"));
}

#[test]
fn hooks_of_a_project_agent_are_accepted_with_its_file_and_their_scripts() {
    let file = careful("sh .claude/check.sh");
    let place = with_settings("")
        .with_file("project/.git/HEAD", "ref: refs/heads/main\n")
        .with_file("project/.claude/agents/careful.md", &file)
        .with_file(SCRIPT, "echo 'no shell here' >&2; exit 2\n");
    let trusted = place.assistant(&["permissions", "trust", "--yes"]);
    assert!(trusted.contains("+ agent `careful` (new)"), "{trusted}");
    assert!(
        trusted.contains("+ hook `PreToolUse Bash #1` (new)"),
        "{trusted}"
    );
    let (output, results) = run(&place);
    let denied = "careful: Tool call denied: a hook denied the call: ";
    assert_eq!(
        results.get(1),
        Some(&format!("{denied}no shell here")),
        "{output}"
    );
    // An edited script keeps its place, and blocks.
    let place = place.with_file(SCRIPT, "exit 0\n");
    let (output, results) = run(&place);
    assert!(results[0].starts_with("main: <untrusted"), "{output}");
    assert!(results[1].starts_with(denied), "{output}");
    assert!(
        results[1].contains("has changed since you accepted it"),
        "{output}"
    );
}

#[test]
fn an_agent_whose_hooks_cannot_be_read_makes_no_calls() {
    let file = "---\nname: careful\ndescription: Careful.\nhooks:\n  PreToolUse: check.sh\n---\nYou are careful.\n";
    let place = with_settings("").with_file("home/.claude/agents/careful.md", file);
    let (output, results) = run(&place);
    assert!(results[0].starts_with("main: <untrusted"), "{output}");
    assert!(
        results[1].starts_with("careful: Tool call denied"),
        "{output}"
    );
    assert!(output.contains("`hooks.PreToolUse` is no list"), "{output}");
    let file =
        "---\nname: careful\ndescription: Careful.\nhooks: [check.sh]\n---\nYou are careful.\n";
    let place = with_settings("").with_file("home/.claude/agents/careful.md", file);
    let listed = place.assistant(&["agents", "list", "--all"]);
    assert!(listed.contains("`hooks` is not a mapping"), "{listed}");
}
