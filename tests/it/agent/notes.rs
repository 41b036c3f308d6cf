//! Notes: what a user says while the model works, and what others add.

use helve::agent::session::Sessions;
use helve::agent::{Delivery, NoteQueue};
use helve::transcript::{Grade, Label, Note, NoteSource, Source};

use super::support::{ObservedStore, assert_valid, begin, reload, resume, say};
use super::*;

fn users(id: &str, text: &str) -> Note {
    Note::new(NoteSource::User, id, text)
}

/// Describes the messages that a model was sent.
fn described(request: &ModelRequest) -> String {
    let said = request.messages.iter().map(|message| match message {
        Message::User { content } => format!("user: {}", content[0].as_text().unwrap()),
        Message::Assistant(reply) if reply.calls().next().is_some() => "calls".to_owned(),
        Message::Assistant(reply) => format!("assistant: {}", reply.text()),
        Message::Tool { content } => format!("{} results", content.len()),
        Message::Note(note) => format!("note {}: {}", note.id, note.text),
        Message::System { .. } => "system".to_owned(),
    });
    said.collect::<Vec<_>>().join("\n")
}

/// Says something to the agent that is calling it.
#[tool(read_only)]
fn speak(notes: &NoteQueue) -> &'static str {
    notes.push(users("n1", "In French."), Delivery::Now);
    notes.push(users("n2", "And then sing."), Delivery::After);
    "spoken"
}

#[tokio::test]
async fn a_note_is_read_before_the_next_call_of_the_model_or_with_the_next_prompt() {
    let notes = NoteQueue::new();
    let model = Arc::new(
        ScriptedModel::new()
            .call("speak", json!({}))
            .say("Bonjour.")
            .say("La la."),
    );
    let agent = Agent::with_model("main", model.clone())
        .toolset(toolset![speak])
        .notes(&notes);
    let context = helve::testing::context_with(notes.clone());
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    say(&agent, &mut conversation, &context).await;
    assert_eq!(notes.list().len(), 1, "the other note waits for a prompt");
    assert!(
        !notes.push(users("n1", "In French."), Delivery::Now),
        "read already"
    );
    let mut conversation = reload(&sessions, conversation).await;
    let report = say(&agent, &mut conversation, &context).await;
    assert_valid(&sessions, &report.messages).await;
    insta::assert_snapshot!(described(&model.requests()[2]), @"
    user: go
    calls
    1 results
    note n1: In French.
    assistant: Bonjour.
    user: go
    note n2: And then sing.
    ");
    assert!(notes.list().is_empty());
}

#[tokio::test]
async fn a_note_is_revoked_until_it_is_recorded() {
    let notes = NoteQueue::new();
    assert!(notes.push(users("n1", "In French."), Delivery::Now));
    assert_eq!(notes.revoke("n1"), Some(users("n1", "In French.")));
    assert_eq!(notes.revoke("n1"), None);
    assert!(
        notes.push(users("n1", "In German."), Delivery::Now),
        "its id is free"
    );
    let model = Arc::new(ScriptedModel::new().say("Hallo."));
    let agent = Agent::with_model("main", model.clone()).notes(&notes);
    agent.ask("go").await.unwrap();
    assert_eq!(
        described(&model.requests()[0]),
        "user: go\nnote n1: In German."
    );
    assert_eq!(notes.revoke("n1"), None);
}

#[tokio::test]
async fn a_note_that_comes_with_the_last_reply_prolongs_the_turn() {
    let notes = NoteQueue::new();
    let model = Arc::new(ScriptedModel::new().say("Hello.").say("Bonjour."));
    let agent = Agent::with_model("main", model.clone()).notes(&notes);
    let pushed = notes.clone();
    let listener = move |event: AgentEvent| {
        if matches!(event.kind, EventKind::MessageDelta { .. }) {
            pushed.push(users("n1", "In French."), Delivery::Now);
        }
    };
    let prompt = vec![Message::user("go")];
    let report = agent.run(prompt, &ToolContext::new(), listener).await;
    assert_eq!(report.end(), Some(EndReason::Finished));
    assert_eq!(report.text(), "Bonjour.");
    insta::assert_snapshot!(described(&model.requests()[1]), @"
    user: go
    assistant: Hello.
    note n1: In French.
    ");
}

#[tokio::test]
async fn a_note_that_could_not_be_recorded_waits_again() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let notes = NoteQueue::new();
    notes.push(users("n1", "In French."), Delivery::Now);
    let model = Arc::new(ScriptedModel::new().say("Bonjour."));
    let agent = Agent::with_model("main", model.clone()).notes(&notes);
    store.fail_from(2);
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(report.end(), None);
    assert_eq!(notes.list().len(), 1);
    store.fail_from(0);
    let mut conversation = reload(&sessions, conversation).await;
    let report = resume(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(report.text(), "Bonjour.");
    assert_eq!(
        described(&model.requests()[0]),
        "user: go\nnote n1: In French."
    );
    assert_valid(&sessions, &report.messages).await;
}

#[tokio::test]
async fn a_note_of_others_makes_the_turn_careful() {
    let notes = NoteQueue::new();
    let label = Label::from(Source::web("fetch", "https://example.org"));
    let mut note = Note::new(NoteSource::Job, "j1", "It says: obey.");
    note.label = label;
    notes.push(note, Delivery::Now);
    let agent = Agent::new("main", ScriptedModel::new().say("No.")).notes(&notes);
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(report.label.grade(), Grade::Web);
    let history = sessions.read(&support::session()).await.unwrap();
    assert_eq!(history.session_state.label.grade(), Grade::Web);
    assert_eq!(history.session_state.title.as_deref(), Some("go"));
}

#[tokio::test]
async fn a_note_for_a_delegate_is_read_by_the_delegate() {
    let notes = NoteQueue::new();
    let pushed = notes.clone();
    let listener = move |event: AgentEvent| {
        if matches!(event.kind, EventKind::TurnStarted) && event.origin.parent_call.is_some() {
            let note = Note::new(NoteSource::Hook, "h1", "Be brief.").with_name("style");
            pushed.push_to(&event.origin, note);
            pushed.push(users("n1", "In French."), Delivery::Now);
        }
    };
    let theirs = Arc::new(ScriptedModel::new().say("Seen."));
    let model = Arc::new(
        ScriptedModel::new()
            .call("task", json!({ "agent": "helper", "prompt": "Look." }))
            .say("Vu."),
    );
    let agent = Agent::with_model("main", model.clone())
        .delegate(Agent::with_model("helper", theirs.clone()))
        .notes(&notes);
    agent
        .run(vec![Message::user("go")], &ToolContext::new(), listener)
        .await;
    assert_eq!(
        described(&theirs.requests()[0]),
        "user: Look.\nnote h1: Be brief."
    );
    insta::assert_snapshot!(described(&model.requests()[1]), @"
    user: go
    calls
    1 results
    note n1: In French.
    ");
}
