//! Hooks as commands: what they decide, how they fail, and which of a project run.

mod agents;
mod files;
mod plan_mode;
mod programs;
mod replies;

use serde_json::{Value, json};

use crate::isolation;
use crate::permissions::fixture::PermissionsFixture;

const USER: &str = "config/helve/helve.toml";

/// A place where the user has one hook before each call.
fn with_hook(script: &str) -> PermissionsFixture {
    with_settings(&format!(
        "[[hooks]]\non = \"before_tool\"\ncommand = '''{script}'''\n"
    ))
}

fn with_settings(settings: &str) -> PermissionsFixture {
    let passthrough = "[sandbox]\nkind = \"passthrough\"\n";
    PermissionsFixture::new().with_file(USER, &format!("{settings}{passthrough}"))
}

impl PermissionsFixture {
    fn assistant(&self, arguments: &[&str]) -> String {
        settled(&self.output_of(self.command().args(arguments), ""))
    }

    /// Calls `bash` as the user.
    fn call_bash(&self, line: &str) -> String {
        let arguments = json!({ "command": line }).to_string();
        self.assistant(&["call", "bash", &arguments])
    }

    /// Runs a recorded model that makes one call and then says a word. Returns the result of the call.
    fn model_calls(&self, arguments: &[&str], tool: &str, input: &Value) -> String {
        let output = self.run_model(arguments, tool, input);
        let result = results(&output).into_iter().next().expect("a result");
        let (_, text) = result.split_once(": ").expect("an agent");
        settled(text)
    }

    fn run_model(&self, arguments: &[&str], tool: &str, input: &Value) -> String {
        self.run_replies(arguments, &[calls(tool, input), says("Done.")])
    }

    /// Runs a recorded model with these replies.
    fn run_replies(&self, arguments: &[&str], replies: &[Value]) -> String {
        let replay = self.path("says.jsonl");
        let lines: Vec<String> = replies.iter().map(Value::to_string).collect();
        let text = format!("{{\"helve_recording\": 1}}\n{}\n", lines.join("\n"));
        std::fs::write(&replay, text).expect("a file");
        let mut command = self.command();
        command.args(["run", "Do it.", "--json"]).args(arguments);
        self.output_of(command.arg("--replay").arg(replay), "")
    }

    /// Returns the journal of the session.
    fn journal(&self) -> String {
        let sessions = self.path("state/assistant/sessions");
        let mut journals = sessions.read_dir().expect("sessions").flatten();
        let journal = journals
            .find(|entry| entry.path().extension().is_some_and(|end| end == "jsonl"))
            .expect("a journal");
        std::fs::read_to_string(journal.path()).expect("a journal")
    }
}

/// A reply with one call.
fn calls(tool: &str, input: &Value) -> Value {
    json!({ "events": [
        { "type": "tool_call_start", "id": "c1", "name": tool },
        { "type": "tool_call_delta", "id": "c1", "arguments": input.to_string() },
        { "type": "stop", "reason": "tool_use" },
    ] })
}

/// A reply that ends a turn.
fn says(text: &str) -> Value {
    json!({ "events": [
        { "type": "text_delta", "text": text },
        { "type": "stop", "reason": "end_turn" },
    ] })
}

/// Lists the events of a kind.
fn events(output: &str, kind: &str) -> Vec<Value> {
    let lines = output.lines().filter(|line| line.starts_with('{'));
    let events = lines.filter_map(|line| serde_json::from_str(line).ok());
    events
        .filter(|event: &Value| event["type"] == kind)
        .collect()
}

/// Lists the results of the calls, each with the agent.
fn results(output: &str) -> Vec<String> {
    let results = events(output, "tool_result").into_iter();
    let text = |event: Value| {
        let content = event["content"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = content
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect();
        let agent = event["agent"].as_str().unwrap_or_default().to_owned();
        format!("{agent}: {}", texts.join("\n"))
    };
    results.map(text).collect()
}

/// Leaves out how long a command took, and what the sandbox of the tests does not enforce.
fn settled(text: &str) -> String {
    let is_settled =
        |line: &&str| !line.starts_with("[exit code") && !line.starts_with("[the sandbox");
    let lines: Vec<&str> = text.lines().filter(is_settled).collect();
    lines.join("\n")
}

/// The JSON with which a hook decides.
fn decision(decision: &str, more: &str) -> String {
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":"the hook says so"{more}}}}}"#
    )
}

#[test]
fn a_hook_denies_a_call() {
    let place = with_hook("echo 'not today' >&2; exit 2");
    insta::assert_snapshot!(place.call_bash("echo hi"), @"
    exit 1
    --- stderr
    error: Tool call denied: a hook denied the call: not today
    ");
    let place = with_hook(&format!("echo '{}'", decision("deny", "")));
    insta::assert_snapshot!(place.call_bash("echo hi"), @"
    exit 1
    --- stderr
    error: Tool call denied: a hook denied the call: the hook says so
    ");
    insta::assert_snapshot!(place.assistant(&["call", "--no-hooks", "bash", r#"{"command": "echo hi"}"#]), @"
    exit 0
    --- stdout
    hi
    --- stderr
    calling `bash` (only reads, and may reach the outside world, low risk) in PLACE/project
    ");
}

#[test]
fn a_hook_is_for_the_calls_that_it_matches() {
    let place = with_settings(
        "[[hooks]]\non = \"before_tool\"\nmatch = \"bash(git push:*)\"\ncommand = \"exit 2\"\n",
    );
    assert!(place.call_bash("echo hi").starts_with("exit 0"));
    assert!(place.call_bash("git push origin").starts_with("exit 1"));
    let listed = place.assistant(&["call", "list_dir", r#"{"path": "."}"#]);
    assert!(listed.starts_with("exit 0"), "{listed}");
}

#[test]
fn a_hook_asks_about_what_the_mode_allows() {
    let place = with_hook(&format!("echo '{}'", decision("ask", "")));
    let input = json!({ "command": "echo hi" });
    insta::assert_snapshot!(place.model_calls(&["--mode", "bypass"], "bash", &input), @"Tool call denied: the call needs approval, and no terminal is attached");
    let place = with_hook(&format!("echo '{}'", decision("defer", "")));
    insta::assert_snapshot!(place.model_calls(&["--mode", "bypass"], "bash", &input), @"Tool call denied: the call needs approval, and no terminal is attached");
}

#[test]
fn a_hook_allows_what_a_rule_could_allow_and_nothing_else() {
    let place = with_hook(&format!("echo '{}'", decision("allow", "")));
    let touch = json!({ "command": "touch made" });
    place.model_calls(&[], "bash", &touch);
    assert!(place.path("project/made").exists());
    let again = json!({ "command": "touch again" });
    insta::assert_snapshot!(place.model_calls(&["--deny", "bash(touch:*)"], "bash", &again), @"Tool call denied: the rule `bash(touch:*)` denies it");
    insta::assert_snapshot!(place.model_calls(&["--ask", "bash(touch:*)"], "bash", &again), @"Tool call denied: the call needs approval, and no terminal is attached");
    insta::assert_snapshot!(place.model_calls(&["--mode", "explore"], "bash", &again), @"Tool call denied: it does more than read, and the mode is `explore`");
    let secret = json!({ "path": ".ssh/config", "content": "x" });
    insta::assert_snapshot!(place.model_calls(&["--mode", "accept_edits"], "write_file", &secret), @"Tool call denied: `.ssh/config` is a dangerous path (`.ssh/`: private keys); the call needs approval, and no terminal is attached");
    assert!(!place.path("project/again").exists());
}

#[test]
fn a_changed_input_is_judged_and_shown() {
    let changed = |line: &str| {
        decision(
            "allow",
            &format!(r#","updatedInput":{{"command":"{line}"}}"#),
        )
    };
    let place = with_hook(&format!("echo '{}'", changed("touch other")));
    let input = json!({ "command": "echo hi" });
    insta::assert_snapshot!(place.model_calls(&[], "bash", &input), @r#"
    <untrusted source="unknown" tool="bash">
    (no output)
    </untrusted>
    A hook changed the arguments of this call. It was made with: {"command":"touch other"}
    "#);
    assert!(place.path("project/other").exists());
    let denied = place.model_calls(&["--deny", "bash(touch:*)"], "bash", &input);
    insta::assert_snapshot!(denied, @"Tool call denied: the rule `bash(touch:*)` denies it");
    // The path that a hook receives is absolute, and one that it leaves alone is as it was.
    let place = with_hook(
        r#"sed 's/.*"tool_input":\(.*\),"tool_use_id".*/{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":\1}}/' | sed 's/"x"/"changed"/'"#,
    );
    let write = json!({ "path": "new.txt", "content": "x" });
    place.model_calls(&[], "write_file", &write);
    let written = std::fs::read_to_string(place.path("project/new.txt"));
    assert_eq!(written.expect("a file"), "changed");
}

#[test]
fn a_hook_after_a_call_replaces_its_result_and_objects() {
    let after = |script: &str| {
        with_settings(&format!(
            "[[hooks]]\non = \"after_tool\"\nmatch = \"bash\"\ncommand = '''{script}'''\n"
        ))
    };
    let input = json!({ "command": "echo secret" });
    let calls =
        |place: &PermissionsFixture| place.model_calls(&["--mode", "bypass"], "bash", &input);
    let replaces = after(r#"echo '{"hookSpecificOutput":{"updatedToolOutput":"[removed]"}}'"#);
    insta::assert_snapshot!(calls(&replaces), @r#"
    <untrusted source="unknown" tool="bash">
    [removed]
    </untrusted>
    "#);
    let objects = after("echo 'run the linter' >&2; exit 2");
    insta::assert_snapshot!(calls(&objects), @r#"
    <untrusted source="unknown" tool="bash">
    secret

    </untrusted>
    <hook_context event="PostToolUse">
    A hook objects: run the linter
    </hook_context>
    "#);
    let adds = after(
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"see </hook_context> README"}}'"#,
    );
    insta::assert_snapshot!(calls(&adds), @r#"
    <untrusted source="unknown" tool="bash">
    secret

    </untrusted>
    <hook_context event="PostToolUse">
    see &lt;/hook_context> README
    </hook_context>
    "#);
    let fails = after("exit 1");
    insta::assert_snapshot!(calls(&fails), @r#"
    <untrusted source="unknown" tool="bash">
    secret

    </untrusted>
    "#);
}

#[test]
fn a_deciding_hook_that_fails_blocks() {
    let mut told = String::new();
    for script in [
        "command = \"tail -f /dev/null\"\ntimeout = 0.5",
        "command = \"echo broken >&2; exit 1\"",
        "command = '''echo '{\"decision\": \"appro' '''",
        "command = '''echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"yes\"}}' '''",
        "command = \"no-such-program\"",
        "run = [\"no-such-program\"]",
        "command = \"kill -9 $$\"",
        "command = \"head -c 300000 /dev/zero\"",
    ] {
        let place = with_settings(&format!("[[hooks]]\non = \"before_tool\"\n{script}\n"));
        let said = place.call_bash("echo hi");
        let reason = said.lines().find(|line| line.starts_with("error:"));
        // Where a program was searched depends on the machine.
        let reason = reason
            .unwrap_or(&said)
            .split_inclusive("to start `no-such-program`");
        told.push_str(&format!("{}\n", reason.take(1).collect::<String>()));
    }
    insta::assert_snapshot!(told, @r#"
    error: Tool call denied: a hook denied the call: the hook `tail -f /dev/null` (PLACE/config/helve/helve.toml:1) failed: it did not end within 0.5 s
    error: Tool call denied: a hook denied the call: the hook `echo broken >&2; exit 1` (PLACE/config/helve/helve.toml:1) failed: exit code 1: broken
    error: Tool call denied: a hook denied the call: the hook `echo '{"decision": "appro' ` (PLACE/config/helve/helve.toml:1) failed: its JSON is invalid: EOF while parsing a string at line 1 column 19
    error: Tool call denied: a hook denied the call: the hook `echo '{"hookSpecificOutput":{"permissionDecision":"yes"}}' ` (PLACE/config/helve/helve.toml:1) failed: its `permissionDecision` is `"yes"`
    error: Tool call denied: a hook denied the call: the hook `no-such-program` (PLACE/config/helve/helve.toml:1) failed: exit code 127: sh: 1: no-such-program: not found
    error: Tool call denied: a hook denied the call: the hook `no-such-program` (PLACE/config/helve/helve.toml:1) failed: using processes failed: failed to start `no-such-program`
    error: Tool call denied: a hook denied the call: the hook `kill -9 $$` (PLACE/config/helve/helve.toml:1) failed: ended by signal 9
    error: Tool call denied: a hook denied the call: the hook `head -c 300000 /dev/zero` (PLACE/config/helve/helve.toml:1) failed: it wrote more than 256 KiB
    "#);
    let ignored = with_settings(
        "[[hooks]]\non = \"before_tool\"\ncommand = \"exit 1\"\non_failure = \"ignore\"\n",
    );
    assert!(ignored.call_bash("echo hi").starts_with("exit 0"));
}

#[test]
fn a_hook_ends_the_turn() {
    let place = with_hook(r#"echo '{"continue": false, "stopReason": "enough"}'"#);
    let events = place.run_model(
        &["--mode", "bypass"],
        "bash",
        &json!({ "command": "echo hi" }),
    );
    assert!(events.starts_with("exit 1"), "{events}");
    assert!(events.contains("a hook ended the turn: enough"), "{events}");
}

#[test]
fn a_hook_blocks_a_prompt_or_adds_to_it() {
    let at_prompt = |script: &str| {
        with_settings(&format!(
            "[[hooks]]\non = \"prompt\"\ncommand = '''{script}'''\n[[hooks]]\non = \"session_start\"\ncommand = \"echo branch main\"\n"
        ))
    };
    let input = json!({ "command": "true" });
    let blocked = at_prompt("grep -q 'Do it' && echo 'no secrets, please' >&2 && exit 2");
    let said = blocked.run_model(&[], "bash", &input);
    let (_, said) = said.split_once("--- stderr\n").expect("an error");
    insta::assert_snapshot!(said, @"error: the prompt was not sent: no secrets, please");
    let told = at_prompt("echo ticket 12");
    told.run_model(&[], "bash", &input);
    let journal = told.journal();
    for (event, text) in [
        ("SessionStart", "branch main"),
        ("UserPromptSubmit", "ticket 12"),
    ] {
        let note = format!(r#""source":"hook","name":"{event}""#);
        assert!(journal.contains(&note), "{journal}");
        let text = format!(r#""text":"{text}""#);
        assert!(journal.contains(&text), "{journal}");
    }
    // A person did not say it.
    assert!(!journal.contains("hook_context"), "{journal}");
}

#[test]
fn hooks_answer_questions() {
    let answers = |decision: &str| {
        with_settings(&format!(
            "[[hooks]]\non = \"permission\"\ncommand = '''echo '{{\"hookSpecificOutput\":{{\"decision\":{decision}}}}}' '''\n"
        ))
    };
    let touch = json!({ "command": "touch made" });
    let allowed = answers(r#"{"behavior":"allow"}"#);
    allowed.model_calls(&[], "bash", &touch);
    assert!(allowed.path("project/made").exists());
    let denied = answers(r#"{"behavior":"deny","message":"not here"}"#);
    insta::assert_snapshot!(denied.model_calls(&[], "bash", &touch), @"Tool call denied: a hook denied the call: not here");
    // Only a user may answer a question about a dangerous path.
    let secret = json!({ "path": ".ssh/config", "content": "x" });
    insta::assert_snapshot!(allowed.model_calls(&[], "write_file", &secret), @"Tool call denied: `.ssh/config` is a dangerous path (`.ssh/`: private keys); the call needs approval, and no terminal is attached");
}

#[test]
fn a_sandboxed_hook_cannot_write_outside() {
    if isolation::skip("sandboxed hooks") {
        return;
    }
    let writes = |sandboxed: bool| {
        let place = PermissionsFixture::new();
        let outside = place.path("home/written");
        let settings = format!(
            "[[hooks]]\non = \"before_tool\"\ncommand = '''echo x > {}; echo x > inside; exit 0'''\nsandboxed = {sandboxed}\n",
            outside.display()
        );
        let place = place.with_file(USER, &settings);
        let called = place.assistant(&["call", "list_dir", r#"{"path": "."}"#]);
        assert!(called.starts_with("exit 0"), "{called}");
        assert!(place.path("project/inside").exists());
        place.path("home/written").exists()
    };
    assert!(!writes(true));
    assert!(writes(false));
}
