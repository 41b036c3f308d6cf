//! The programs of the project that the user's hooks run: tools do not change them unasked, and commands not at all.

use serde_json::json;

use super::{USER, calls, says, with_settings};
use crate::isolation;
use crate::permissions::fixture::PermissionsFixture;

const SCRIPT: &str = "project/checks/deny.sh";

/// The hook of a user who does not confine it, and whose script lies where the tools work.
const HOOK: &str = "[[hooks]]\non = \"before_tool\"\nmatch = \"list_dir\"\ncommand = \"sh checks/deny.sh\"\nsandboxed = false\n";

fn place() -> PermissionsFixture {
    with_settings(HOOK).with_file(SCRIPT, "exit 2\n")
}

#[test]
fn a_tool_needs_approval_to_change_the_script_of_a_hook() {
    let place = place();
    let input = json!({ "path": "checks/deny.sh", "content": "exit 0\n" });
    insta::assert_snapshot!(place.model_calls(&["--mode", "bypass"], "write_file", &input), @"Tool call denied: `checks/deny.sh` is a dangerous path (`PLACE/project/checks/deny.sh`: a hook of your settings runs it); the call needs approval, and no terminal is attached");
    let input = json!({ "path": "checks/other.sh", "content": "exit 0\n" });
    insta::assert_snapshot!(place.model_calls(&["--mode", "bypass"], "write_file", &input), @"created `checks/other.sh`, 1 line");
    let input = json!({ "path": "checks/deny.sh" });
    let read = place.model_calls(&[], "read_file", &input);
    assert!(read.contains("exit 2"), "{read}");
}

#[test]
fn a_command_cannot_change_the_script_of_a_hook() {
    if isolation::skip("hooks::programs::a_command_cannot_change_the_script_of_a_hook") {
        return;
    }
    let place = place().with_file(USER, HOOK);
    let script = place.path(SCRIPT);
    for line in [
        "echo 'exit 0' > checks/deny.sh",
        "rm -f checks/deny.sh; echo 'exit 0' > checks/deny.sh",
        "mkdir new; echo 'exit 0' > new/deny.sh; mv -T checks old; mv -T new checks",
        "echo 'exit 0' > evil; mv evil checks/deny.sh",
        "ln -sf ../evil checks/deny.sh",
    ] {
        let input = json!({ "command": line });
        place.model_calls(&["--mode", "bypass"], "bash", &input);
        let text = std::fs::read_to_string(&script).expect("the script");
        assert_eq!(text, "exit 2\n", "{line}");
    }
}

#[test]
fn the_script_of_a_hook_is_protected_where_its_path_has_a_blank() {
    let hook = HOOK.replace("sh checks/deny.sh", "sh 'my checks/deny it.sh'");
    let place = with_settings(&hook).with_file("project/my checks/deny it.sh", "exit 2\n");
    let input = json!({ "path": "my checks/deny it.sh", "content": "exit 0\n" });
    let denied = place.model_calls(&["--mode", "bypass"], "write_file", &input);
    assert!(
        denied.contains("a hook of your settings runs it"),
        "{denied}"
    );
}

/// The script of an agent file of the user is one that the model could otherwise change, and the hook would run it.
#[test]
fn the_script_of_a_hook_of_a_users_agent_file_is_protected() {
    let agent = "---\nname: careful\ndescription: Careful.\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: sh checks/deny.sh\n---\nYou are careful.\n";
    let place = with_settings("")
        .with_file("home/.claude/agents/careful.md", agent)
        .with_file(SCRIPT, "exit 2\n");
    let input = json!({ "path": "checks/deny.sh", "content": "exit 0\n" });
    let denied = place.model_calls(&["--mode", "bypass"], "write_file", &input);
    assert!(
        denied.contains("a hook of your settings runs it"),
        "{denied}"
    );
    if isolation::skip("hooks::programs::the_script_of_a_hook_of_a_users_agent_file_is_protected") {
        return;
    }
    let place = place.with_file(USER, "");
    let input = json!({ "command": "echo 'exit 0' > checks/deny.sh" });
    place.model_calls(&["--mode", "bypass"], "bash", &input);
    let text = std::fs::read_to_string(place.path(SCRIPT)).expect("the script");
    assert_eq!(text, "exit 2\n");
}

/// The sandbox of hooks shows the scripts of the user, those of agent files as well.
#[test]
fn the_sandbox_lets_a_users_agent_file_run_its_script() {
    if isolation::skip("hooks::programs::the_sandbox_lets_a_users_agent_file_run_its_script") {
        return;
    }
    let place = PermissionsFixture::new();
    let script = place.path("home/my scripts/deny.sh");
    let agent = format!(
        "---\nname: careful\ndescription: Careful.\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: sh '{}'\n---\nYou are careful.\n",
        script.display()
    );
    let place = place
        .with_file("home/.claude/agents/careful.md", &agent)
        .with_file("home/my scripts/deny.sh", "echo no >&2; exit 2\n");
    let input = json!({ "command": "echo hi" });
    let arguments = ["--mode", "bypass", "--agent", "careful"];
    let denied = place.model_calls(&arguments, "bash", &input);
    assert_eq!(denied, "Tool call denied: a hook denied the call: no");
}

/// The agents of files have the hooks of the session from the app and from their callers.
#[test]
fn a_hook_runs_once_for_each_call_of_a_delegate() {
    let place = with_settings("");
    let log = place.path("calls.log");
    let hook = |event: &str| {
        let line = format!("cat > /dev/null; echo {event} >> '{}'", log.display());
        format!("[[hooks]]\non = \"{event}\"\ncommand = \"{line}\"\n")
    };
    let settings = format!(
        "{}{}[sandbox]\nkind = \"passthrough\"\n",
        hook("before_tool"),
        hook("after_tool")
    );
    let agent = "---\nname: helper\ndescription: Helps.\n---\nYou help.\n";
    let place = place
        .with_file(USER, &settings)
        .with_file("home/.claude/agents/helper.md", agent);
    let replies = [
        calls("task", &json!({ "agent": "helper", "prompt": "List it." })),
        calls("list_dir", &json!({ "path": "." })),
        says("Listed."),
        says("Done."),
    ];
    place.run_replies(&["--mode", "bypass"], &replies);
    let log = std::fs::read_to_string(log).expect("the log");
    let count = |event| log.lines().filter(|line| *line == event).count();
    // The task is a call, too, and its result is that of the helper.
    assert_eq!((count("before_tool"), count("after_tool")), (2, 1), "{log}");
}
