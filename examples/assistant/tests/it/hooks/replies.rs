//! The hooks of last replies: `Stop`, `SubagentStop`.

use serde_json::{Value, json};

use super::{calls, events, says, with_settings};
use crate::permissions::fixture::PermissionsFixture;

const WRITER: &str = "---\nname: writer\ndescription: Writes.\n---\nYou write.\n";

/// Demands the word `tested` of a reply, once.
const DEMANDING: &str = r#"input=$(cat); case $input in
    *'"stop_hook_active":true'*) exit 0;;
    *'"last_assistant_message":"'*tested*) exit 0;;
esac; echo 'run the tests' >&2; exit 2"#;

fn at(on: &str, more: &str) -> PermissionsFixture {
    with_settings(&format!("[[hooks]]\non = \"{on}\"\n{more}\n"))
}

fn command(script: &str) -> String {
    format!("command = '''{script}'''")
}

/// Lists what guards said of the replies.
fn reviews(output: &str) -> Vec<String> {
    let reviews = events(output, "reviewed").into_iter();
    let text = |event: Value| format!("{} {}: {}", event["agent"], event["by"], event["review"]);
    reviews.map(|event| text(event).replace('"', "")).collect()
}

/// Returns the reason why the turn of the user ended.
fn end(output: &str) -> String {
    let ended = events(output, "end").pop().expect("an end");
    ended["reason"].to_string()
}

#[test]
fn a_hook_demands_another_reply_once() {
    let place = at("stop", &command(DEMANDING));
    let output = place.run_replies(&[], &[says("Done."), says("Done, really.")]);
    assert!(output.starts_with("exit 0"), "{output}");
    insta::assert_snapshot!(reviews(&output).join("\n"), @"
    main hooks: {type:again,note:run the tests}
    main hooks: {type:pass}
    ");
    insta::assert_snapshot!(end(&output), @r#""finished""#);
    let place = at("Stop", &command(DEMANDING));
    let output = place.run_replies(&[], &[says("It is tested.")]);
    insta::assert_snapshot!(reviews(&output).join("\n"), @"main hooks: {type:pass}");
    // The reason may come as JSON.
    let block = r#"cat > input.json; grep -q '"stop_hook_active":true' input.json || echo '{"decision":"block","reason":"say it in French"}'"#;
    let place = at("stop", &command(block));
    let output = place.run_replies(&[], &[says("Hello."), says("Bonjour.")]);
    insta::assert_snapshot!(reviews(&output).join("\n"), @"
    main hooks: {type:again,note:say it in French}
    main hooks: {type:pass}
    ");
    let input = std::fs::read_to_string(place.path("project/input.json")).expect("an input");
    let input: Value = serde_json::from_str(&input).expect("JSON");
    assert_eq!(input["hook_event_name"], "Stop");
    assert_eq!(input["last_assistant_message"], "Bonjour.");
    let transcript = input["transcript_path"].as_str().expect("a path");
    let journal = std::fs::read_to_string(transcript).expect("the journal");
    assert_eq!(journal.len(), place.journal().len());
}

#[test]
fn a_hook_that_never_passes_is_bounded() {
    let place = at("stop", &command("echo 'again' >&2; exit 2"));
    let replies: Vec<Value> = (1..9).map(|number| says(&format!("{number}"))).collect();
    let output = place.run_replies(&[], &replies);
    assert_eq!(reviews(&output).len(), 4, "{output}");
    insta::assert_snapshot!(end(&output), @r#""reviews""#);
}

#[test]
fn a_failure_is_reported_and_the_reply_stands() {
    for script in ["exit 1", "kill -9 $$", "echo '{\"decision\": \"blo'"] {
        let place = at("stop", &command(script));
        let output = place.run_replies(&[], &[says("Done.")]);
        assert!(output.starts_with("exit 0"), "{output}");
        assert!(output.contains("note: the hook `"), "{output}");
    }
    let place = at("stop", "command = \"exit 1\"\non_failure = \"block\"");
    let output = place.run_replies(&[], &[says("1"), says("2"), says("3"), says("4")]);
    assert_eq!(reviews(&output).len(), 4, "{output}");
    // `continue: false` ends the turn, which it does anyway.
    let place = at(
        "stop",
        &command(r#"echo '{"continue": false, "decision": "block", "reason": "x"}'"#),
    );
    let output = place.run_replies(&[], &[says("Done.")]);
    assert!(output.starts_with("exit 0"), "{output}");
}

#[test]
fn delegates_have_an_event_of_their_own() {
    let script = DEMANDING.replace("cat)", "tee input.json)");
    let settings = format!(
        "[[hooks]]\non = \"subagent_stop\"\nmatch = \"writer\"\ncommand = '''{script}'''\n\
         [[hooks]]\non = \"subagent_stop\"\nmatch = \"other\"\ncommand = \"exit 2\"\n"
    );
    let place = with_settings(&settings).with_file("home/.claude/agents/writer.md", WRITER);
    let task = json!({ "agent": "writer", "prompt": "Write." });
    let replies = [
        calls("task", &task),
        says("Written."),
        says("It is tested."),
        says("Done."),
    ];
    let output = place.run_replies(&[], &replies);
    assert!(output.starts_with("exit 0"), "{output}");
    insta::assert_snapshot!(reviews(&output).join("\n"), @"
    writer hooks: {type:again,note:run the tests}
    writer hooks: {type:pass}
    main hooks: {type:pass}
    ");
    let input = std::fs::read_to_string(place.path("project/input.json")).expect("an input");
    let input: Value = serde_json::from_str(&input).expect("JSON");
    assert_eq!(input["hook_event_name"], "SubagentStop");
    assert_eq!(input["agent_type"], "writer");
}

#[test]
fn deciding_hooks_that_fail_block_in_delegates() {
    for script in [
        "command = \"tail -f /dev/null\"\ntimeout = 0.5",
        "command = \"exit 1\"",
        "command = '''echo '{\"decision\": \"appro' '''",
        "run = [\"no-such-program\"]",
    ] {
        let settings = format!("[[hooks]]\non = \"before_tool\"\nmatch = \"bash\"\n{script}\n");
        let place = with_settings(&settings).with_file("home/.claude/agents/writer.md", WRITER);
        let task = json!({ "agent": "writer", "prompt": "Write." });
        let touch = json!({ "command": "touch made" });
        let replies = [
            calls("task", &task),
            calls("bash", &touch),
            says("I could not."),
            says("Done."),
        ];
        let output = place.run_replies(&["--mode", "bypass"], &replies);
        let results = super::results(&output);
        let denied = "writer: Tool call denied: a hook denied the call: the hook `";
        assert!(results[0].starts_with(denied), "{results:?}");
        assert!(!place.path("project/made").exists(), "{script}");
    }
}
