//! Hand-offs: who goes on with a conversation, what it sees, within which limits, and after a crash.

use futures_util::TryStreamExt as _;
use futures_util::stream::{self, StreamExt as _};
use helve::agent::session::{HandOffView, MemoryStore, Sessions};
use helve::agent::{Conversation, Delivery, NoteQueue, TurnReport};
use helve::model::StopReason;
use helve::permission::{Mode, Policy};
use helve::transcript::{CallId, Note, NoteSource};
use proptest::prelude::*;

use super::labels::page;
use super::support::{Log, ObservedStore, assert_valid, begin, reload, say, session};
use super::*;

fn hand_off(to: &str) -> serde_json::Value {
    json!({ "to": to, "brief": "The invoice of May is wrong." })
}

/// An agent that looks something up, says so, and hands off to another one.
fn desk() -> ScriptedModel {
    ScriptedModel::new()
        .call("add", json!({ "a": 2, "b": 3 }))
        .reply_with(said_with_hand_off("I found 5.", "billing"))
}

fn said_with_hand_off(text: &str, to: &str) -> Vec<ModelEvent> {
    let id = CallId::from("h1");
    vec![
        ModelEvent::TextDelta { text: text.into() },
        ModelEvent::ToolCallStart {
            id: id.clone(),
            name: "hand_off".into(),
        },
        ModelEvent::ToolCallDelta {
            id,
            arguments: hand_off(to).to_string(),
        },
        ModelEvent::Stop {
            reason: StopReason::ToolUse,
        },
    ]
}

fn team(desk: ScriptedModel, billing: &Arc<ScriptedModel>, view: HandOffView) -> Agent {
    let billing = Agent::new("billing", Arc::clone(billing)).hand_off_view(view);
    Agent::new("desk", desk)
        .toolset(toolset![add])
        .hand_off(billing.description("Corrects invoices."))
}

/// Describes the messages of the first request of a model, a line each.
fn seen(model: &ScriptedModel) -> Vec<String> {
    let request = model.requests().swap_remove(0);
    let line = |message: &Message| match message {
        Message::User { content } => {
            let texts = content.iter().filter_map(ContentBlock::as_text);
            format!("user: {}", texts.collect::<String>())
        }
        Message::Assistant(reply) => {
            let calls: Vec<_> = reply.calls().map(|call| call.name.to_string()).collect();
            format!("assistant: {} {calls:?}", reply.text())
        }
        Message::Tool { content } => format!("results: {}", content.len()),
        Message::Note(note) => format!("note of {:?} {}: {}", note.source, note.name, note.text),
        Message::System { .. } => "system".to_owned(),
    };
    request.messages.iter().map(line).collect()
}

#[tokio::test]
async fn the_other_agent_goes_on_and_answers_the_next_prompts() {
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let billing = Arc::new(
        ScriptedModel::new()
            .say("Corrected.")
            .say("You are welcome."),
    );
    let agent = team(desk(), &billing, HandOffView::Brief);
    let context = ToolContext::new();
    let report = say(&agent, &mut conversation, &context).await;
    assert_eq!(
        (report.end(), &*report.text()),
        (Some(EndReason::Finished), "Corrected.")
    );
    assert_eq!(
        (report.totals.model_calls, report.totals.tool_calls),
        (3, 2)
    );
    insta::assert_debug_snapshot!(seen(&billing), @r#"
    [
        "user: go",
        "note of Agent desk: I found 5.",
        "note of Agent desk: The invoice of May is wrong.",
    ]
    "#);
    assert_valid(&sessions, conversation.messages()).await;
    // Another process finds the agent that is active.
    let mut conversation = reload(&sessions, conversation).await;
    let state = conversation.session().state();
    assert_eq!(state.active.as_deref(), Some("billing"));
    let report = say(&agent, &mut conversation, &context).await;
    assert_eq!(report.text(), "You are welcome.");
    assert_valid(&sessions, conversation.messages()).await;
}

#[tokio::test]
async fn an_agent_sees_as_much_as_it_is_to_see() {
    let mut views = Vec::new();
    for view in [HandOffView::Whole, HandOffView::None] {
        let billing = Arc::new(ScriptedModel::new().say("Corrected."));
        let sessions = Sessions::new(MemoryStore::new());
        let mut conversation = begin(&sessions).await;
        let agent = team(desk(), &billing, view);
        say(&agent, &mut conversation, &ToolContext::new()).await;
        assert_valid(&sessions, conversation.messages()).await;
        views.push(seen(&billing));
    }
    insta::assert_debug_snapshot!(views, @r#"
    [
        [
            "user: go",
            "note of Agent desk: Called the tool `add` with {\"a\":2,\"b\":3}. The result was:\n5",
            "assistant: I found 5. []",
            "note of Agent desk: Called the tool `hand_off` with {\"to\":\"billing\",\"brief\":\"The invoice of May is wrong.\"}. The result was:\nThe conversation is handed off.",
            "assistant: (The turn ended here: handed off to another agent.) []",
            "note of Agent desk: The invoice of May is wrong.",
        ],
        [
            "note of Agent desk: The invoice of May is wrong.",
        ],
    ]
    "#);
}

#[tokio::test]
async fn what_is_not_recorded_is_handed_off_too() {
    let billing = Arc::new(ScriptedModel::new().say("Corrected."));
    let agent = team(desk(), &billing, HandOffView::Brief);
    let prompt = vec![Message::user("go")];
    let report = agent.run(prompt, &ToolContext::new(), |_| {}).await;
    assert_eq!(
        (report.end(), &*report.text()),
        (Some(EndReason::Finished), "Corrected.")
    );
    assert_eq!(report.totals.model_calls, 3);
}

#[tokio::test]
async fn text_of_others_stays_enclosed_and_the_next_agent_is_as_careful() {
    let billing = Arc::new(ScriptedModel::new().say("Corrected."));
    let script = ScriptedModel::new()
        .call("page", json!({ "url": "https://lib.example/1" }))
        .call("hand_off", hand_off("billing"));
    let agent = team(script, &billing, HandOffView::Brief).toolset(toolset![page]);
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    assert!(report.label.is_untrusted());
    let brief = seen(&billing).pop().unwrap();
    assert!(
        brief.contains("<untrusted source=\"desk\" tool=\"hand_off\">"),
        "{brief}"
    );
}

#[tokio::test]
async fn the_authority_of_the_session_holds() {
    let path = json!({ "path": "a" });
    let billing = ScriptedModel::new().call("delete", path).say("Denied.");
    let billing = Agent::new("billing", billing)
        .toolset(toolset![delete])
        .policy(Policy::new(Mode::Bypass));
    let model = ScriptedModel::new().call("hand_off", hand_off("billing"));
    let agent = Agent::new("desk", model)
        .policy(Policy::new(Mode::Explore))
        .hand_off(billing);
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    let denied = report.messages.iter().any(|message| {
        matches!(message, Message::Tool { content } if content.iter().all(|result| result.is_error))
    });
    assert!(denied, "{:?}", report.messages);
}

#[tokio::test]
async fn nothing_is_handed_off_where_nothing_is_left() {
    for bounds in [Bounds::new(9).depth(0), Bounds::new(1)] {
        let billing = Arc::new(ScriptedModel::new().say("Never."));
        let script = ScriptedModel::new()
            .call("hand_off", hand_off("billing"))
            .say("I answer myself.");
        let agent = team(script, &billing, HandOffView::Brief).bounds(bounds);
        let sessions = Sessions::new(MemoryStore::new());
        let mut conversation = begin(&sessions).await;
        let report = say(&agent, &mut conversation, &ToolContext::new()).await;
        assert_ne!(report.end(), Some(EndReason::HandedOff));
        assert_eq!(billing.used(), 0);
        assert_eq!(conversation.session().state().active, None);
    }
}

/// Says something for the next prompt.
#[tool(read_only)]
fn remind(notes: &NoteQueue) -> &'static str {
    let note = Note::new(NoteSource::User, "n1", "Later.");
    notes.push(note, Delivery::After);
    "reminded"
}

#[tokio::test]
async fn a_note_for_the_next_prompt_waits_for_the_user() {
    let notes = NoteQueue::new();
    let billing = Arc::new(ScriptedModel::new().say("Corrected.").say("Now."));
    let script = ScriptedModel::new()
        .call("remind", json!({}))
        .call("hand_off", hand_off("billing"));
    let agent = team(script, &billing, HandOffView::Brief)
        .toolset(toolset![remind])
        .notes(&notes);
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let context = helve::testing::context_with(notes);
    say(&agent, &mut conversation, &context).await;
    say(&agent, &mut conversation, &context).await;
    let requests = billing.requests();
    let has_note = |request: &ModelRequest| {
        let is_it =
            |message: &Message| matches!(message, Message::Note(note) if note.text == "Later.");
        request.messages.iter().any(is_it)
    };
    assert_eq!(
        requests.iter().map(has_note).collect::<Vec<_>>(),
        [false, true]
    );
}

#[tokio::test]
async fn an_agent_that_works_on_a_task_hands_nothing_off() {
    let other = Agent::new("other", ScriptedModel::new().say("Never."));
    let helper = ScriptedModel::new()
        .call("hand_off", hand_off("other"))
        .say("I do it.");
    let helper = Agent::new("helper", helper).hand_off(other);
    let script = ScriptedModel::new()
        .call("task", json!({ "agent": "helper", "prompt": "Go." }))
        .say("Done.");
    let agent = Agent::new("main", script).delegate(helper);
    assert_eq!(agent.ask("go").await.unwrap(), "Done.");
}

#[tokio::test]
async fn an_agent_that_is_gone_ends_the_prompt() {
    let script = ScriptedModel::new().call("hand_off", hand_off("gone"));
    let agent = Agent::new("desk", script).hand_off_by_name(["gone"]);
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(report.end(), Some(EndReason::HandedOff));
    let error = report.error.unwrap();
    assert_eq!(
        error,
        "the conversation was handed off to `gone`, and there is no such agent"
    );
    // The session is not lost.
    let agent = Agent::new("desk", ScriptedModel::new().say("I am here."));
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(report.text(), "I am here.");
}

#[tokio::test]
async fn the_events_of_hand_offs_are_read_as_they_were_emitted() {
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let billing = Arc::new(ScriptedModel::new().say("Corrected."));
    let agent = team(desk(), &billing, HandOffView::Whole);
    let live = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&live);
    let context = ToolContext::new();
    let listen = move |event: AgentEvent| {
        if event.at.is_some() {
            lines
                .lock()
                .unwrap()
                .push(serde_json::to_string(&event).unwrap());
        }
    };
    let run = agent.run_in(&mut conversation, Message::user("go"), &context, listen);
    run.await.unwrap();
    let read: Vec<AgentEvent> = sessions.events(&session(), 0).try_collect().await.unwrap();
    let read: Vec<String> = read
        .iter()
        .map(|event| serde_json::to_string(event).unwrap())
        .collect();
    assert_eq!(read, *live.lock().unwrap());
    let ends: Vec<&String> = read
        .iter()
        .filter(|line| line.contains("\"type\":\"end\""))
        .collect();
    assert!(ends[0].contains("\"reason\":\"handed_off\""), "{ends:?}");
}

/// Marks a key once.
#[tool(destructive)]
fn stamp(cx: &ToolContext, log: &Log) -> &'static str {
    log.add(cx.idempotency_key().unwrap());
    "stamped"
}

/// A model that stamps, and then hands off, or is done; it goes on from what it sees, in any process.
struct Following {
    next: Option<&'static str>,
}

impl Model for Following {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        let is_result = |message: &Message| matches!(message, Message::Tool { .. });
        let has_stamped = request.messages.iter().any(is_result);
        let call = |tool: &str, arguments: serde_json::Value| {
            let id = CallId::from(format!("c{}", request.messages.len()));
            vec![
                ModelEvent::ToolCallStart {
                    id: id.clone(),
                    name: tool.into(),
                },
                ModelEvent::ToolCallDelta {
                    id,
                    arguments: arguments.to_string(),
                },
                ModelEvent::Stop {
                    reason: StopReason::ToolUse,
                },
            ]
        };
        let events = match self.next {
            _ if !has_stamped => call("stamp", json!({})),
            Some(next) => call("hand_off", hand_off(next)),
            None => vec![
                ModelEvent::TextDelta {
                    text: "Done.".into(),
                },
                ModelEvent::Stop {
                    reason: StopReason::EndTurn,
                },
            ],
        };
        stream::iter(events.into_iter().map(Ok)).boxed()
    }
}

/// Three agents, each of which stamps and hands off to the next one.
fn following() -> Agent {
    let agent = |name: &str, next| {
        Agent::new(name, Following { next })
            .toolset(toolset![stamp])
            .policy(Policy::new(Mode::Bypass))
    };
    let third = agent("c", None);
    let second = agent("b", Some("c")).hand_off(third);
    agent("a", Some("b")).hand_off(second)
}

#[tokio::test]
async fn a_hand_off_goes_on_wherever_the_process_died() {
    let whole = ObservedStore::default();
    let mut conversation = begin(&Sessions::new(whole.clone())).await;
    let context = helve::testing::context_with(whole.log.clone());
    whole.fail_from(0);
    let report = say(&following(), &mut conversation, &context).await;
    assert_eq!(report.text(), "Done.");
    let writings = whole.writings();
    assert!(writings > 25, "{writings}");
    for full_at in 2..=writings {
        let store = ObservedStore::default();
        let sessions = Sessions::new(store.clone());
        let mut conversation = begin(&sessions).await;
        let context = helve::testing::context_with(store.log.clone());
        store.fail_from(full_at);
        let report = say(&following(), &mut conversation, &context).await;
        assert!(report.error.is_some(), "full at {full_at}");
        store.fail_from(0);
        let mut conversation = reload(&sessions, conversation).await;
        let resumed = following()
            .resume(&mut conversation, &context, |_| {})
            .await;
        let report: TurnReport = resumed
            .unwrap()
            .unwrap_or_else(|| panic!("full at {full_at}"));
        assert_eq!(
            (report.end(), &*report.text()),
            (Some(EndReason::Finished), "Done."),
            "full at {full_at}"
        );
        let stamps: Vec<String> = store.log.lines();
        for turn in ["t1", "t2", "t3"] {
            let key = format!("{turn}/1.0");
            assert!(
                stamps.iter().filter(|line| **line == key).count() <= 1,
                "{full_at}: {key}"
            );
        }
        let state = conversation.session().state();
        assert_eq!(
            (state.turns, state.active.as_deref()),
            (3, Some("c")),
            "{full_at}"
        );
        assert_valid(&sessions, conversation.messages()).await;
    }
}

/// A model that hands off to the agents of a list in turn, for ever, as long as it may.
struct Restless(Vec<String>);

impl Model for Restless {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        let is_refused = matches!(request.messages.last(), Some(Message::Tool { .. }));
        let at = request.messages.len() % self.0.len().max(1);
        let events = match self.0.get(at).filter(|_| !is_refused) {
            Some(to) => said_with_hand_off("On we go.", to),
            None => vec![
                ModelEvent::TextDelta {
                    text: "Done.".into(),
                },
                ModelEvent::Stop {
                    reason: StopReason::EndTurn,
                },
            ],
        };
        stream::iter(events.into_iter().map(Ok)).boxed()
    }
}

async fn check_end(edges: Vec<Vec<usize>>, depth: u32, calls: u32) {
    let name = |at: usize| format!("a{}", at % edges.len());
    let agent = |at: usize| {
        let others: Vec<String> = edges[at].iter().map(|to| name(*to)).collect();
        let others: Vec<String> = others.into_iter().filter(|to| *to != name(at)).collect();
        let agent = Agent::new(name(at), Restless(others.clone()));
        agent.hand_off_by_name(others.iter().map(String::as_str))
    };
    let root = (1..edges.len()).fold(agent(0), |root, at| root.hand_off(agent(at)));
    let root = root.bounds(Bounds::new(calls).depth(depth));
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation: Conversation = begin(&sessions).await;
    let report = say(&root, &mut conversation, &ToolContext::new()).await;
    let state = conversation.session().state();
    assert!(
        report.end().is_some_and(|end| end != EndReason::HandedOff),
        "{report:?}"
    );
    assert!(
        state.turns <= u64::from(depth) + 1,
        "{} turns at depth {depth}",
        state.turns
    );
    assert!(report.totals.model_calls <= calls);
    assert!(state.hand_off.is_none() && state.open_turns.is_empty());
    assert_valid(&sessions, conversation.messages()).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Hand-offs end within the depth and the model calls of the prompt, however the agents are connected.
    #[test]
    fn hand_offs_always_end(
        edges in prop::collection::vec(prop::collection::vec(0..5_usize, 1..4), 1..5),
        depth in 0..6_u32,
        calls in 1..12_u32,
    ) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build().unwrap().block_on(check_end(edges, depth, calls));
    }
}
