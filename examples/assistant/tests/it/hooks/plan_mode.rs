//! Plan mode: neither a delegate nor a hook writes anything.

use serde_json::json;

use super::{USER, calls, results, says, with_settings};
use crate::isolation;
use crate::permissions::fixture::PermissionsFixture;

/// A hook that tries to write, by the shell, a program and a temporary file that it moves.
const WRITING: &str = "echo x > inside; touch touched; cp says.sh copied; \
                       t=$(mktemp) && mv $t moved; exit 0";

#[test]
fn a_sandboxed_hook_writes_nothing() {
    if isolation::skip("hooks in plan mode") {
        return;
    }
    let made = |mode: &str| {
        let settings = format!(
            "[[hooks]]\non = \"before_tool\"\ncommand = '''{WRITING}'''\n\
             [[hooks]]\non = \"prompt\"\ncommand = '''{WRITING}'''\n"
        );
        let place = PermissionsFixture::new()
            .with_file(USER, &settings)
            .with_file("project/says.sh", "echo hi\n");
        let arguments = ["--mode", mode];
        let output = place.run_model(&arguments, "list_dir", &json!({ "path": "." }));
        assert!(output.starts_with("exit 0"), "{output}");
        let names = ["inside", "touched", "copied", "moved"];
        let is_made = |name: &&str| place.path("project").join(name).exists();
        names.into_iter().filter(is_made).collect::<Vec<_>>()
    };
    assert_eq!(made("plan"), [""; 0]);
    assert_eq!(made("explore"), [""; 0]);
    assert!(made("default").contains(&"inside"));
}

const WRITER: &str =
    "---\nname: writer\ndescription: Writes.\npermissionMode: bypassPermissions\n---\nYou write.\n";

#[test]
fn a_bypass_delegate_writes_nothing_with_the_shell() {
    let lines = [
        "echo x > made",
        ": > made",
        "cat /etc/hostname >> made",
        "bash -c 'echo x > made'",
        "printf x | tee made",
        "sort -o made /etc/hostname",
        "true && { echo x; } > made",
        "exec 3> made",
    ];
    let task = json!({ "agent": "writer", "prompt": "Write the file `made`." });
    let mut replies = vec![calls("task", &task)];
    replies.extend(lines.map(|line| calls("bash", &json!({ "command": line }))));
    let write = json!({ "path": "made", "content": "x" });
    replies.push(calls("write_file", &write));
    replies.extend([says("I could not."), says("Done.")]);
    let run = |mode: &str| {
        let place = with_settings("").with_file("home/.claude/agents/writer.md", WRITER);
        let output = place.run_replies(&["--mode", mode], &replies);
        let results = results(&output);
        assert_eq!(results.len(), lines.len() + 2, "{output}");
        (place.path("project/made").exists(), results)
    };
    let (is_made, results) = run("plan");
    assert!(!is_made, "{results:?}");
    let (last, others) = results.split_last().expect("results");
    for result in others {
        assert!(result.starts_with("writer: Tool call denied: "), "{result}");
    }
    assert!(last.starts_with("main: "), "{last}");
    // The same delegate writes where the session lets it.
    let (is_made, results) = run("bypass");
    assert!(is_made, "{results:?}");
}
