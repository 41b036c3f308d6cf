//! Calls whose work is done elsewhere.

use helve::agent::TurnStatus;
use helve::agent::session::{Posting, Sessions};
use helve::permission::{Grade, Label, Mode, Policy, Source};
use helve::toolset::ExternalTool;

use super::support::{ObservedStore, address, assert_valid, begin, reload, resume, say, session};
use super::*;

fn agent(script: ScriptedModel) -> Agent {
    let input = json!({ "type": "object", "properties": { "title": { "type": "string" } } });
    let output = json!({
        "type": "object",
        "properties": { "hex": { "type": "string" } },
        "required": ["hex"],
    });
    let pick = ExternalTool::new("pick_colour", "Lets the user pick a colour.", input).unwrap();
    let pick = pick.with_output_schema(output).unwrap();
    Agent::new("main", script)
        .toolset(Toolset::from_tools([Arc::new(pick) as _]))
        .policy(Policy::new(Mode::Bypass))
}

#[tokio::test]
async fn a_result_from_elsewhere_is_taken_when_it_fits() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let context = ToolContext::new();
    let script = ScriptedModel::new().call("pick_colour", json!({ "title": "Walls" }));
    let report = say(&agent(script), &mut conversation, &context).await;
    let waiting = TurnStatus::Waiting {
        approvals: Vec::new(),
        external: vec![address("t1/1.0")],
    };
    assert_eq!(report.status, waiting);
    let post = async |result| {
        let call = address("t1/1.0");
        sessions
            .post(&session(), Posting::result(call, result))
            .await
            .unwrap();
    };
    post(json!({ "name": "red" })).await;
    let rest = agent(ScriptedModel::new().say("Red, then."));
    let mut conversation = reload(&sessions, conversation).await;
    let told = EventLog::default();
    let report = rest
        .resume(&mut conversation, &context, told.listener())
        .await;
    assert_eq!(report.unwrap().unwrap().status, waiting);
    let warning = told.events()[1]["message"].clone();
    insta::assert_snapshot!(warning.as_str().unwrap(), @r#"
    the posting for this call was rejected: the result does not match the output schema of `pick_colour`: `/name`: expected only the key `hex`, got the unknown key `name` with the string "red"
    `/hex`: expected a string, got nothing; this key is required
    "#);
    post(json!({ "hex": "#f00" })).await;
    let report = resume(&rest, &mut conversation, &context).await;
    assert_eq!(results(&report.messages), [r##"{"hex":"#f00"}"##]);
    assert_eq!(report.text(), "Red, then.");
    assert_valid(&sessions, conversation.messages()).await;
}

#[tokio::test]
async fn postings_that_cannot_be_read_are_a_warning_and_are_taken_later() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let context = ToolContext::new();
    let script = ScriptedModel::new().call("pick_colour", json!({ "title": "Walls" }));
    let waiting = say(&agent(script), &mut conversation, &context)
        .await
        .status;
    let posting = Posting::result(address("t1/1.0"), json!({ "hex": "#f00" }));
    sessions.post(&session(), posting).await.unwrap();

    let mut conversation = reload(&sessions, conversation).await;
    let rest = agent(ScriptedModel::new().say("Red, then."));
    store.hide_postings(true);
    let told = EventLog::default();
    let report = rest
        .resume(&mut conversation, &context, told.listener())
        .await;
    assert_eq!(report.unwrap().unwrap().status, waiting);
    let events = told.events();
    let warnings = events.iter().filter(|event| event["type"] == "warning");
    let warnings: Vec<_> = warnings.map(|event| event["message"].clone()).collect();
    // The driver reads the postings twice, and warns once.
    insta::assert_snapshot!(json!(warnings), @r#"["the posted answers and results cannot be read: failed to read `memory`: permission denied"]"#);

    store.hide_postings(false);
    let report = resume(&rest, &mut conversation, &context).await;
    assert_eq!(report.text(), "Red, then.");
}

#[tokio::test]
async fn what_whoever_posts_a_result_has_read_binds_the_session_that_takes_it() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let context = ToolContext::new();
    let script = ScriptedModel::new().call("pick_colour", json!({ "title": "Walls" }));
    say(&agent(script), &mut conversation, &context).await;
    let page = Label::from(Source::web("fetch", "https://example.org"));
    let posting = Posting::result(address("t1/1.0"), json!({ "hex": "#f00" })).with_label(&page);
    // It lies in a file until it is picked up.
    let kept = serde_json::to_value(&posting).unwrap();
    let read: Posting = serde_json::from_value(kept.clone()).unwrap();
    assert_eq!(read, posting);
    // Those that are written without a label are read as before.
    let unlabelled = serde_json::to_value(Posting::result(address("t1/1.0"), json!(1))).unwrap();
    assert_eq!(
        unlabelled,
        json!({ "type": "result", "call": "t1/1.0", "result": 1 })
    );
    sessions.post(&session(), read).await.unwrap();
    let mut conversation = reload(&sessions, conversation).await;
    let rest = agent(ScriptedModel::new().say("Red, then."));
    let report = resume(&rest, &mut conversation, &context).await;
    assert_eq!(report.label.grade(), Grade::Web);
    assert_eq!(
        results(&report.messages),
        [
            "<untrusted source=\"https://example.org\" tool=\"pick_colour\">\n{\"hex\":\"#f00\"}\n</untrusted>"
        ]
    );
    let conversation = reload(&sessions, conversation).await;
    let label = &conversation.session().state().label;
    assert_eq!(label.origin().unwrap(), "`fetch` (https://example.org)");
}
