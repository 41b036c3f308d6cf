//! Turns whose session is taken over, and turns that are woken by postings.

use std::time::Duration;

use futures_util::future;
use helve::agent::session::{MemoryStore, Posting, SessionMetadata, Sessions};
use helve::agent::{Conversation, TurnStatus, WaitMode};
use helve::model;
use helve::model::Reply;
use helve::permission::DeferAll;

use super::support::{address, say, session};
use super::*;

#[tokio::test]
async fn a_turn_stops_when_its_session_is_taken_over() {
    let store = MemoryStore::new();
    let sessions = Sessions::new(store.clone());
    let created = sessions
        .create(SessionMetadata::new("tests").session(session()))
        .await;
    let mut conversation = Conversation::new(created.unwrap());
    let other = Sessions::new(store.clone());
    // The session is taken over while the model is asked, which never replies.
    let model = model::from_fn(move |_| {
        let (store, other) = (store.clone(), other.clone());
        async move {
            store.expire_leases();
            let taken = other.load(&session()).await.unwrap();
            assert_eq!(taken.session.lease().epoch(), 2);
            future::pending::<Result<Reply, ModelError>>().await
        }
    });
    let report = say(
        &Agent::new("main", model),
        &mut conversation,
        &ToolContext::new(),
    )
    .await;
    assert_eq!(report.status, TurnStatus::Unrecorded);
    insta::assert_snapshot!(report.error.unwrap(), @"session `s` was taken over by another process: the lease of this one (epoch 1) had expired; open the session again to continue it");
}

#[tokio::test(start_paused = true)]
async fn a_posted_answer_wakes_the_turn_at_once() {
    let sessions = Sessions::new(MemoryStore::new());
    let created = sessions
        .create(SessionMetadata::new("tests").session(session()))
        .await;
    let mut conversation = Conversation::new(created.unwrap());
    let script = ScriptedModel::new()
        .call("delete", json!({ "path": "a" }))
        .say("Done.");
    let agent = Agent::new("main", script)
        .toolset(tools())
        .approver(DeferAll);
    let agent = agent.wait_mode(WaitMode::Block);
    let context = ToolContext::new();
    let answer = async {
        while sessions.waiting().await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        // The turn waits for an hour before the answer is posted.
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        let posted = tokio::time::Instant::now();
        let posting = Posting::answer(address("t1/1.0"), Decision::allow_once());
        sessions.post(&session(), posting).await.unwrap();
        posted
    };
    let (report, posted) = tokio::join!(say(&agent, &mut conversation, &context), answer);
    assert_eq!(posted.elapsed(), Duration::ZERO);
    assert_eq!(report.text(), "Done.");
}
