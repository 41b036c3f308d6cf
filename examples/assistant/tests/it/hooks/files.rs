//! The files of hooks: Claude Code's settings, the acceptance of a project's hooks, and the commands of `hooks`.

use serde_json::json;

use super::with_settings;
use crate::permissions::fixture::PermissionsFixture;

const CLAUDE: &str = "project/.claude/settings.json";
const SCRIPT: &str = "project/.claude/hooks/check.sh";

/// A project whose hook denies `rm`.
fn project() -> PermissionsFixture {
    let settings = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash|Write",
        "hooks": [
          { "type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/check.sh" }
        ]
      }
    ]
  }
}"#;
    let script = "if grep -q '\"command\":\"rm'; then echo 'rm is denied' >&2; exit 2; fi\n";
    with_settings("")
        .with_file(CLAUDE, settings)
        .with_file(SCRIPT, script)
}

impl PermissionsFixture {
    fn trust(&self) -> String {
        self.assistant(&["permissions", "trust", "--yes"])
    }
}

#[test]
fn hooks_of_a_project_run_once_accepted_and_block_once_edited() {
    let place = project();
    insta::assert_snapshot!(place.call_bash("rm -f x"), @r#"
    exit 0
    --- stdout
    (no output)
    --- stderr
    note: PLACE/project/.claude/settings.json:7: the hook `sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh` does not run: you have not accepted it; run `assistant permissions trust` to review and accept it
    calling `bash` (may change something, and may reach the outside world, medium risk) in PLACE/project
    "#);
    insta::assert_snapshot!(place.trust(), @r#"
    exit 0
    --- stdout
    the hooks of `PLACE/project/.claude/settings.json`
    + hook `PreToolUse Bash|Write #1` (new)
        {
          "event": "PreToolUse",
          "match": "Bash|Write",
          "if": null,
          "program": {
            "command": "sh \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/check.sh"
          },
          "timeout_ms": 600000,
          "blocks": true,
          "background": false,
          "files": [
            [
              "PLACE/project/.claude/hooks/check.sh",
              "c63ae4e740698ac22a1ee5b8cd298f301d1ec5982f28e31c09e22abfa4308b02"
            ]
          ]
        }
    accepted PLACE/project/.claude/settings.json until the file changes
    "#);
    insta::assert_snapshot!(place.call_bash("rm -f x"), @"
    exit 1
    --- stderr
    error: Tool call denied: a hook denied the call: rm is denied
    ");
    assert!(place.call_bash("echo hi").starts_with("exit 0"));
    // The script is a part of what was accepted.
    let place = place.with_file(SCRIPT, "exit 0\n");
    insta::assert_snapshot!(place.call_bash("echo hi"), @r#"
    exit 1
    --- stderr
    note: PLACE/project/.claude/settings.json: the hook `sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh` of `PLACE/project/.claude/settings.json` has changed since you accepted it; run `assistant permissions trust` to review and accept the hooks again
    error: Tool call denied: a hook denied the call: the hook `sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh` of `PLACE/project/.claude/settings.json` has changed since you accepted it; run `assistant permissions trust` to review and accept the hooks again
    "#);
    let listed = place.assistant(&["hooks", "list"]);
    assert_eq!(listed.matches("has changed since").count(), 1, "{listed}");
    // The hook is for no other tool.
    let listed = place.assistant(&["call", "list_dir", r#"{"path": "src"}"#]);
    assert!(listed.starts_with("exit 0"), "{listed}");
    // A hook that is taken out of the file keeps its place, too.
    std::fs::write(place.path(CLAUDE), "{}").expect("a file");
    assert!(place.call_bash("echo hi").starts_with("exit 1"));
    std::fs::remove_file(place.path(CLAUDE)).expect("the file");
    assert!(place.call_bash("echo hi").starts_with("exit 1"));
    insta::assert_snapshot!(place.trust(), @"
    exit 0
    --- stdout
    the hooks of `PLACE/project/.claude/settings.json`
    - hook `PreToolUse Bash|Write #1` (removed)
    accepted PLACE/project/.claude/settings.json until the file changes
    ");
    assert!(place.call_bash("echo hi").starts_with("exit 0"));
}

#[test]
fn a_new_hook_waits_beside_accepted_ones() {
    let place = project();
    place.trust();
    let settings = std::fs::read_to_string(place.path(CLAUDE)).expect("a file");
    let more = r#""hooks": {
    "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "exit 2" }] }],"#;
    let place = place.with_file(CLAUDE, &settings.replacen("\"hooks\": {", more, 1));
    insta::assert_snapshot!(place.assistant(&["hooks", "list"]), @r#"
    exit 0
    --- stdout
    PreToolUse          Bash|Write            sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh  (project PLACE/project/.claude/settings.json:8)
    --- stderr
    note: PLACE/project/.claude/settings.json:3: the hook `exit 2` does not run: you have not accepted it; run `assistant permissions trust` to review and accept it
    "#);
    assert!(place.call_bash("rm -f x").starts_with("exit 1"));
    assert!(place.call_bash("echo hi").starts_with("exit 0"));
}

#[test]
fn what_is_not_supported_is_said_line_by_line() {
    let settings = r#"{
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] }
    ],
    "PreToolUse": [
      {
        "matcher": "^(?!Read)",
        "hooks": [
          { "type": "command", "command": "one", "timeout": 10000, "once": true },
          { "type": "prompt", "prompt": "Is it safe?" },
          { "type": "command", "command": "two", "if": "Bash(git *)", "async": true }
        ]
      }
    ],
    "Typo": []
  }
}"#;
    let place = with_settings("").with_file("home/.claude/settings.json", settings);
    insta::assert_snapshot!(place.assistant(&["hooks", "list"]), @"
    exit 0
    --- stdout
    Stop                *                     say done  (user PLACE/home/.claude/settings.json:4)
    PreToolUse          *                     one  (user PLACE/home/.claude/settings.json:10)
    PreToolUse          Bash(git *)           two  (user PLACE/home/.claude/settings.json:12, in the background)
    --- stderr
    note: PLACE/home/.claude/settings.json:7: the matcher `^(?!Read)` is not supported: look-around, including look-ahead and look-behind, is not supported; the hook runs for every name
    note: PLACE/home/.claude/settings.json:10: the `timeout` of 10000 seconds was probably meant in milliseconds; it is 3600 seconds here
    note: PLACE/home/.claude/settings.json:10: the field `once` is not supported, and has no effect
    note: PLACE/home/.claude/settings.json:11: hooks of the type `prompt` are not supported: this hook does not run
    note: PLACE/home/.claude/settings.json:16: unknown event `Typo`; expected one of PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest, UserPromptSubmit, SessionStart, SessionEnd, Stop, SubagentStop, PreCompact, Notification
    ");
    let file = place.path("home/.claude/settings.json");
    let file = file.to_str().expect("text");
    insta::assert_snapshot!(place.assistant(&["hooks", "import", "claude", "--file", file]), @r#"
    exit 0
    --- stdout

    # PLACE/home/.claude/settings.json:4
    [[hooks]]
    on = "stop"
    command = "say done"

    # PLACE/home/.claude/settings.json:10
    [[hooks]]
    on = "before_tool"
    command = "one"
    timeout = 3600.0

    # PLACE/home/.claude/settings.json:12
    [[hooks]]
    on = "before_tool"
    match = "Bash(git *)"
    command = "two"
    background = true
    --- stderr
    changed: PLACE/home/.claude/settings.json:10: a failure blocks the call
    changed: PLACE/home/.claude/settings.json:12: a failure blocks the call
    not supported: PLACE/home/.claude/settings.json:7: the matcher `^(?!Read)` is not supported: look-around, including look-ahead and look-behind, is not supported; the hook runs for every name
    not supported: PLACE/home/.claude/settings.json:10: the `timeout` of 10000 seconds was probably meant in milliseconds; it is 3600 seconds here
    not supported: PLACE/home/.claude/settings.json:10: the field `once` is not supported, and has no effect
    not supported: PLACE/home/.claude/settings.json:11: hooks of the type `prompt` are not supported: this hook does not run
    not supported: PLACE/home/.claude/settings.json:16: unknown event `Typo`; expected one of PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest, UserPromptSubmit, SessionStart, SessionEnd, Stop, SubagentStop, PreCompact, Notification
    3 hooks imported, 5 remarks
    "#);
}

#[test]
fn a_mistake_in_the_settings_is_an_error() {
    let place = with_settings("[[hooks]]\non = \"before_tool\"\nrun = []\n");
    insta::assert_snapshot!(place.call_bash("echo hi"), @"
    exit 2
    --- stderr
    error: PLACE/config/helve/helve.toml:1: a hook has either `command` or `run`
    help: fix the file, or use `--no-hooks` to run without hooks
    ");
    let place = with_settings("[[hooks]]\non = \"before_tol\"\ncommand = \"true\"\n");
    insta::assert_snapshot!(place.call_bash("echo hi"), @"
    exit 2
    --- stderr
    error: PLACE/config/helve/helve.toml:1: unknown event `before_tol`; expected one of PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest, UserPromptSubmit, SessionStart, SessionEnd, Stop, SubagentStop, PreCompact, Notification
    help: fix the file, or use `--no-hooks` to run without hooks
    ");
    let place = with_settings("").with_file("home/.claude/settings.json", "{ \"hooks\": {\n");
    insta::assert_snapshot!(place.call_bash("echo hi"), @"
    exit 2
    --- stderr
    error: PLACE/home/.claude/settings.json:2: EOF while parsing an object at line 2 column 0
    help: fix the file, or use `--no-hooks` to run without hooks
    ");
}

#[test]
fn hooks_are_tested_by_hand() {
    let place = with_settings(
        "[[hooks]]\non = \"before_tool\"\nmatch = \"bash\"\ncommand = \"grep -q 'rm -rf' && exit 2 || true\"\n",
    );
    let test = |input: serde_json::Value| {
        std::fs::write(place.path("input.json"), input.to_string()).expect("a file");
        let file = place.path("input.json");
        let file = file.to_str().expect("text");
        place.assistant(&["hooks", "test", "PreToolUse", "--json", file])
    };
    let bash = |line: &str| json!({ "tool_name": "Bash", "tool_input": { "command": line } });
    insta::assert_snapshot!(test(bash("rm -rf /")), @"
    exit 1
    --- stdout
    ran      grep -q 'rm -rf' && exit 2 || true  (PLACE/config/helve/helve.toml:1)
    decision deny
    ");
    insta::assert_snapshot!(test(bash("ls")), @"
    exit 0
    --- stdout
    ran      grep -q 'rm -rf' && exit 2 || true  (PLACE/config/helve/helve.toml:1)
    decision none
    ");
    insta::assert_snapshot!(test(json!({ "tool_name": "Read" })), @"
    exit 0
    --- stdout
    no hook is for this input
    ");
}

#[test]
fn doctor_names_hooks_outside_of_the_sandbox() {
    let place = with_settings(
        "[[hooks]]\non = \"notification\"\ncommand = \"notify-send hi\"\nsandboxed = false\n",
    );
    let told = place.assistant(&["doctor", "--offline"]);
    let hooks = told.split("\nHooks\n").nth(1).expect("a section");
    let hooks = hooks.split("\n\n").next().unwrap_or_default();
    insta::assert_snapshot!(hooks, @"
    ✓ 1 hook
    · the hook `notify-send hi` of PLACE/config/helve/helve.toml:1 runs outside of the sandbox
      → remove `sandboxed = false` to confine it
    ");
}
