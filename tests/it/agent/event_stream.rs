//! The events of a session: what is read later is what was emitted, from any point on.

use futures_util::{StreamExt as _, TryStreamExt as _};
use helve::agent::session::{FolderStore, MemoryStore, Posting, SessionMetadata, Sessions};
use helve::agent::{Conversation, TurnStatus};
use helve::permission::DeferAll;
use proptest::prelude::*;

use super::support::{reload, session};
use super::*;

/// Returns the events of the journal after an entry, as JSON lines.
async fn read(sessions: &Sessions, after: u64) -> Vec<String> {
    let events: Vec<AgentEvent> = sessions
        .events(&session(), after)
        .try_collect()
        .await
        .unwrap();
    events
        .iter()
        .map(|event| serde_json::to_string(event).unwrap())
        .collect()
}

/// Collects the events of runs as JSON lines, in order.
#[derive(Clone, Default)]
struct LiveEvents(Arc<Mutex<Vec<String>>>);

impl LiveEvents {
    fn listener(&self) -> impl Fn(AgentEvent) + Send + Sync + 'static {
        let lines = self.0.clone();
        move |event| {
            lines
                .lock()
                .unwrap()
                .push(serde_json::to_string(&event).unwrap())
        }
    }

    /// The events that are in the journal.
    fn durable(&self) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        lines
            .iter()
            .filter(|line| field(line, "at").is_some())
            .cloned()
            .collect()
    }
}

fn field(line: &str, name: &str) -> Option<serde_json::Value> {
    let event: serde_json::Value = serde_json::from_str(line).unwrap();
    event.get(name).cloned()
}

fn seq(line: &str) -> Option<u64> {
    field(line, "seq").and_then(|seq| seq.as_u64())
}

/// Checks that what is read is what was emitted, and that any number is a place to continue.
async fn assert_same(sessions: &Sessions, live: &LiveEvents) {
    let live = live.durable();
    assert_eq!(read(sessions, 0).await, live);
    let numbers: Vec<u64> = live.iter().filter_map(|line| seq(line)).collect();
    assert!(
        numbers.is_sorted_by(|one, other| one < other),
        "{numbers:?}"
    );
    assert!(live.last().is_none_or(|line| seq(line).is_some()));
    for (index, line) in live.iter().enumerate() {
        if let Some(after) = seq(line) {
            assert_eq!(
                read(sessions, after).await,
                live[index + 1..],
                "after {after}"
            );
        }
    }
}

/// What the model calls in a round: tools that work, fail, ask, do not exist, and a delegate.
fn call(kind: u8) -> (&'static str, serde_json::Value) {
    match kind % 7 {
        0 => ("add", json!({ "a": 1, "b": 2 })),
        1 => ("delete", json!({ "path": "a" })),
        2 => ("explode", json!({})),
        3 => ("unknown", json!({})),
        4 => ("add", json!({ "a": "one" })),
        5 => ("count", json!({})),
        _ => ("task", json!({ "agent": "helper", "prompt": "Delete it." })),
    }
}

fn script(rounds: &[Vec<u8>]) -> ScriptedModel {
    let rounds = rounds.iter().filter(|calls| !calls.is_empty());
    let script = rounds.fold(ScriptedModel::new(), |script, calls| {
        script.calls(calls.iter().map(|kind| call(*kind)))
    });
    script.say("Done.")
}

fn agent(rounds: &[Vec<u8>], helped: u8) -> Agent {
    // Each delegate gets the next replies of its script.
    let helper = (0..20).fold(ScriptedModel::new(), |script, _| {
        script.calls([call(helped % 6)]).say("Helped.")
    });
    let helper = Agent::new("helper", helper)
        .toolset(tools())
        .approver(DeferAll);
    let agent = Agent::new("main", script(rounds)).toolset(tools());
    agent.approver(DeferAll).delegate(helper)
}

async fn begin(sessions: &Sessions) -> Conversation {
    let about = SessionMetadata::new("tests").session(session());
    Conversation::new(sessions.create(about).await.unwrap())
}

/// Runs a turn whose questions are answered by another process, which may continue it.
async fn run(rounds: Vec<Vec<u8>>, answers: Vec<bool>, reloads: bool, helped: u8) {
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let (live, context) = (LiveEvents::default(), ToolContext::new());
    let agent = agent(&rounds, helped);
    let prompt = Message::user("go");
    let report = agent
        .run_in(&mut conversation, prompt, &context, live.listener())
        .await;
    let mut status = report.unwrap().status;
    let mut answers = answers.into_iter().cycle();
    while let TurnStatus::Waiting { approvals, .. } = status {
        assert_same(&sessions, &live).await;
        let decision = match answers.next() {
            Some(false) => Decision::reject_with_message("no"),
            _ => Decision::allow_once(),
        };
        let posting = Posting::answer(approvals[0].clone(), decision);
        sessions.post(&session(), posting).await.unwrap();
        if reloads {
            conversation = reload(&sessions, conversation).await;
        }
        let report = agent
            .resume(&mut conversation, &context, live.listener())
            .await;
        status = report.unwrap().expect("an open turn").status;
    }
    assert_same(&sessions, &live).await;
    assert!(
        live.durable()
            .last()
            .is_some_and(|line| line.contains(r#""type":"end""#))
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_what_was_emitted(
        rounds in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4), 1..4),
        answers in prop::collection::vec(any::<bool>(), 1..5),
        reloads in any::<bool>(),
        helped in any::<u8>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(rounds, answers, reloads, helped));
    }
}

#[tokio::test]
async fn a_turn_tells_what_was_said_and_replied() {
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let script = ScriptedModel::new()
        .call("add", json!({ "a": 2, "b": 3 }))
        .say("It is 5.");
    let agent = Agent::new("main", script).toolset(tools());
    let prompt = Message::user("2 + 3?");
    let context = ToolContext::new();
    agent
        .run_in(&mut conversation, prompt, &context, |_| {})
        .await
        .unwrap();
    let lines = read(&sessions, 0).await;
    let kinds = lines.iter().map(|line| field(line, "type").unwrap());
    let kinds: Vec<_> = kinds
        .map(|kind| kind.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        kinds,
        [
            "turn_started",
            "user_message",
            "reply",
            "tool_call",
            "tool_result",
            "reply",
            "end"
        ]
    );
    let said = field(&lines[1], "content").unwrap();
    assert_eq!(said, json!([{ "type": "text", "text": "2 + 3?" }]));
    assert_eq!(field(&lines[5], "text").unwrap(), "It is 5.");
    // Of the events of an entry, the last one has its number.
    let has_number: Vec<bool> = lines.iter().map(|line| seq(line).is_some()).collect();
    assert_eq!(has_number, [false, true, false, true, true, true, true]);
    assert!(lines.iter().all(|line| field(line, "at").is_some()));
}

#[tokio::test]
async fn a_follower_sees_what_another_process_writes() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(FolderStore::new(folder.path()));
    let mut conversation = begin(&sessions).await;
    let live = LiveEvents::default();
    let other = Sessions::new(FolderStore::new(folder.path()));
    let mut events = other.follow_events(&session(), 0);
    let agent = Agent::new("main", ScriptedModel::new().say("One.").say("Two.")).toolset(tools());
    for _ in 0..2 {
        let context = ToolContext::new();
        let run = agent.run_in(&mut conversation, "go".into(), &context, live.listener());
        run.await.unwrap();
        let mut seen = Vec::new();
        while !seen
            .last()
            .is_some_and(|line: &String| line.contains(r#""type":"end""#))
        {
            let event = events.next().await.unwrap().unwrap();
            seen.push(serde_json::to_string(&event).unwrap());
        }
        assert!(live.durable().ends_with(&seen), "{seen:?}");
    }
}
