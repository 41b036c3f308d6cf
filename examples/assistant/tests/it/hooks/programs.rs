//! The programs of the project that the user's hooks run: tools do not change them unasked, and commands not at all.

use serde_json::json;

use super::{USER, with_settings};
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
