//! Delegation: what a record costs where ten agents write to one journal side by side.

use std::time::Instant;

use helve::ToolContext;
use helve::agent::session::{FolderStore, SessionMetadata, Sessions};
use helve::agent::{Agent, Conversation};
use helve::model::ScriptedModel;
use helve::transcript::Message;

use crate::dispatch::runtime;
use crate::harness::{Bar, Row, measure_alternately, nanos};

const ROUNDS: usize = 20;
const AGENTS: usize = 10;

pub(crate) fn rows() -> Vec<Row> {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(FolderStore::new(folder.path()));
    let rounds = measure_alternately(
        ROUNDS,
        || runtime.block_on(side_by_side(&sessions)),
        || runtime.block_on(one_by_one(&sessions)),
    );
    vec![Row {
        what: "an entry of ten tasks in one journal",
        against: "an entry of ten separate turns",
        bar: Bar::Ratio(1.3),
        rounds,
    }]
}

/// Returns the time for an entry of a turn with ten tasks.
async fn side_by_side(sessions: &Sessions) -> f64 {
    let names: Vec<String> = (0..AGENTS).map(|at| format!("agent{at}")).collect();
    let task = |name: &String| serde_json::json!({ "agent": name, "prompt": "What is 2 + 3?" });
    let calls = names.iter().map(|name| ("task", task(name)));
    let script = ScriptedModel::new().calls(calls).say("They say 5.");
    let main = Agent::new("main", script);
    let main = names.iter().fold(main, |main, name| {
        main.delegate(Agent::new(&**name, ScriptedModel::new().say("It is 5.")))
    });
    let (time, entries) = run(sessions, &main).await;
    time / entries
}

/// Returns the time for an entry of ten turns, each in a session of its own.
async fn one_by_one(sessions: &Sessions) -> f64 {
    let (mut time, mut entries) = (0.0, 0.0);
    for _ in 0..AGENTS {
        let agent = Agent::new("agent", ScriptedModel::new().say("It is 5."));
        let (took, wrote) = run(sessions, &agent).await;
        time += took;
        entries += wrote;
    }
    time / entries
}

/// Runs a turn in a new session, and returns its time and the number of its entries.
async fn run(sessions: &Sessions, agent: &Agent) -> (f64, f64) {
    let session = sessions
        .create(SessionMetadata::new("bench"))
        .await
        .unwrap();
    let mut conversation = Conversation::new(session);
    let before = conversation.session().state().seq;
    let context = ToolContext::new();
    let begun = Instant::now();
    let turn = agent.run_in(&mut conversation, Message::user("2 + 3?"), &context, |_| {});
    turn.await.unwrap();
    let time = nanos(begun.elapsed());
    let entries = u32::try_from(conversation.session().state().seq - before).unwrap();
    (time, f64::from(entries))
}
