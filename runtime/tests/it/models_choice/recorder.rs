//! Runs that are recorded, and repeated from the recording.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use helve_runtime::agent::{Agent, AgentEvent, TurnReport};
use helve_runtime::model::{
    ApiErrorKind, Model, ModelEvent, ModelRequest, Recorder, Recording, ReplayModel, Retry,
    ScriptedModel, StopReason,
};
use helve_runtime::prelude::*;
use helve_runtime::transcript::{Message, ReplySource, Usage};
use serde_json::json;

use crate::models_choice::script::{Script, api, ask, stop, text};

/// Adds two numbers.
#[tool(read_only)]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

struct Run {
    report: TurnReport,
    events: Vec<AgentEvent>,
}

async fn run(model: impl Model + 'static) -> Run {
    let agent = Agent::new("main", model).toolset(toolset![add]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let tells = told.clone();
    let listener = move |event| tells.lock().unwrap().push(event);
    let prompt = vec![Message::user("What is 1 + 2, and 3 more?")];
    let report = agent.run(prompt, &ToolContext::new(), listener).await;
    let events = std::mem::take(&mut *told.lock().unwrap());
    Run { report, events }
}

/// A model of every kind of event.
fn script() -> ScriptedModel {
    let delta = |text: &str| ModelEvent::TextDelta { text: text.into() };
    let arguments = |id: &str, arguments: &str| ModelEvent::ToolCallDelta {
        id: id.into(),
        arguments: arguments.into(),
    };
    let begin = |id: &str| ModelEvent::ToolCallStart {
        id: id.into(),
        name: "add".into(),
    };
    let source = ReplySource::new("acme.chat", "acme", "one").with_id("r1".to_owned());
    ScriptedModel::new()
        .reply_with([
            delta("Wro"),
            ModelEvent::Retry(Retry::new(2, Duration::ZERO, "it broke off")),
            ModelEvent::ReplyStarted(source),
            ModelEvent::ThinkingDelta {
                text: "Two ".into(),
            },
            ModelEvent::ThinkingDelta {
                text: "sums.".into(),
            },
            ModelEvent::ThinkingSignature {
                signature: "proof".into(),
            },
            delta("Let me "),
            delta("add."),
            begin("c1"),
            begin("c2"),
            arguments("c1", "{\"a\":1,"),
            arguments("c2", "{\"a\":3,\"b\":0}"),
            arguments("c1", "\"b\""),
            arguments("c1", ":2}"),
            ModelEvent::ProviderItem {
                api: "acme.chat".into(),
                item: "{\"type\":\"new\"}".to_owned().into(),
            },
            ModelEvent::Usage(Usage::new(10, 20)),
            ModelEvent::Stop {
                reason: StopReason::ToolUse,
            },
        ])
        .call("add", json!({ "a": 3, "b": 3 }))
        .say("Six.")
}

#[tokio::test]
async fn a_recording_of_a_run_with_tools_gives_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let recorder = Arc::new(Recorder::new(script(), &path).unwrap());
    let first = run(recorder.clone()).await;
    recorder.finish().await.unwrap();
    assert_eq!(first.report.text(), "Six.");
    assert_eq!(
        first.report.messages.len(),
        6,
        "{:?}",
        first.report.messages
    );

    let again = run(ReplayModel::open(&path).unwrap()).await;
    assert_eq!(again.report.messages, first.report.messages);
    assert_eq!(again.report.totals.usage, first.report.totals.usage);
    // A recording of the replay is the same file: joining joined pieces changes nothing.
    let copy = folder.path().join("copy.jsonl");
    run(Recorder::new(ReplayModel::open(&path).unwrap(), &copy).unwrap()).await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), text);
    insta::assert_snapshot!(text, @r#"
    {"helve_recording":1,"prompt":"What is 1 + 2, and 3 more?"}
    {"events":[{"type":"text_delta","text":"Wro"},{"type":"retry","attempt":2,"wait_ms":0,"error":"it broke off"},{"type":"reply_started","api":"acme.chat","provider":"acme","model":"one","id":"r1"},{"type":"thinking_delta","text":"Two sums."},{"type":"thinking_signature","signature":"proof"},{"type":"text_delta","text":"Let me add."},{"type":"tool_call_start","id":"c1","name":"add"},{"type":"tool_call_start","id":"c2","name":"add"},{"type":"tool_call_delta","id":"c1","arguments":"{\"a\":1,"},{"type":"tool_call_delta","id":"c2","arguments":"{\"a\":3,\"b\":0}"},{"type":"tool_call_delta","id":"c1","arguments":"\"b\":2}"},{"type":"provider_item","api":"acme.chat","item":"{\"type\":\"new\"}"},{"type":"usage","input_tokens":10,"output_tokens":20},{"type":"stop","reason":"tool_use"}]}
    {"events":[{"type":"tool_call_start","id":"call_1","name":"add"},{"type":"tool_call_delta","id":"call_1","arguments":"{\"a\":3,\"b\":3}"},{"type":"stop","reason":"tool_use"}]}
    {"events":[{"type":"text_delta","text":"Six."},{"type":"stop","reason":"end_turn"}]}
    "#);
    // And what is told of it is the same but for the size of the pieces.
    assert!(again.events.len() < first.events.len());
}

#[tokio::test]
async fn a_reply_is_in_the_file_before_its_stream_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let script = Script::new([vec![text("Hello."), stop()]]);
    let model = Recorder::new(script, &path).unwrap();
    ask(&model).await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(Recording::parse(&text).unwrap().len(), 1);
}

#[tokio::test]
async fn errors_and_replies_that_were_cut_short_are_kept_in_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let script = Script::new([
        vec![text("One"), text(" two"), text(" three")],
        vec![text("Hm"), api(ApiErrorKind::Overloaded)],
        vec![text("Hello."), stop()],
    ]);
    let model = Recorder::new(script, &path).unwrap();
    let request = ModelRequest::new(vec![Message::system("Be kind."), Message::user("Count.")]);
    let mut cut = model.reply(&request);
    cut.next().await;
    cut.next().await;
    // The others are over first.
    ask(&model).await.error();
    assert_eq!(ask(&model).await.text(), "Hello.");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
    drop(cut);
    model.finish().await.unwrap();
    insta::assert_snapshot!(std::fs::read_to_string(&path).unwrap(), @r#"
    {"helve_recording":1,"prompt":"Count."}
    {"events":[{"type":"text_delta","text":"One two"},{"type":"stop","reason":"cancelled"}]}
    {"events":[{"type":"text_delta","text":"Hm"}],"error":"acme is overloaded: as the script says"}
    {"events":[{"type":"text_delta","text":"Hello."},{"type":"stop","reason":"end_turn"}]}
    "#);
    let replay = ReplayModel::open(&path).unwrap();
    let cut = ask(&replay).await.reply.unwrap();
    assert_eq!(
        (cut.stop, cut.message.text()),
        (StopReason::Cancelled, "One two".to_owned())
    );
    assert!(ask(&replay).await.error().contains("is overloaded"));
    assert_eq!(ask(&replay).await.text(), "Hello.");
}

#[tokio::test]
async fn a_recording_is_not_written_over_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, "precious").unwrap();
    let error = Recorder::new(ScriptedModel::new(), &path)
        .unwrap_err()
        .to_string();
    assert!(
        error
            .ends_with("already exists: choose another path for the recording, or delete the file"),
        "{error}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    let nowhere = folder.path().join("no/such/folder.jsonl");
    let error = Recorder::new(ScriptedModel::new(), nowhere)
        .unwrap_err()
        .to_string();
    assert!(error.contains("could not be written"), "{error}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_fails_no_reply_and_is_told_in_the_end() {
    let script = Script::new([vec![text("Hello."), stop()], vec![text("Hello."), stop()]]);
    let model = Recorder::new(script, "/dev/full").unwrap();
    assert_eq!(ask(&model).await.text(), "Hello.");
    assert_eq!(ask(&model).await.text(), "Hello.");
    for _ in 0..2 {
        let error = model.finish().await.unwrap_err().to_string();
        assert!(
            error.starts_with("the recording /dev/full could not be written: "),
            "{error}"
        );
    }
}
