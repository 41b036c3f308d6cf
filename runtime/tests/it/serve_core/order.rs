//! Calls beside one another, alone, too many, and cancelled.

use std::sync::atomic::Ordering;
use std::time::Duration;

use helve::tool::Principal;
use insta::assert_snapshot;
use serde_json::json;

use super::tools::{World, server};
use super::wire::{WireClient, text};

#[tokio::test]
async fn calls_of_one_client_run_side_by_side() {
    let world = World::new();
    let server = server(&world).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let one = wire.start_call("wait", json!({})).await;
    world.begun.notified().await;
    let two = wire.start_call("wait", json!({})).await;
    world.begun.notified().await;
    world.go.add_permits(2);
    wire.wait_response(two).await;
    wire.wait_response(one).await;
    assert_eq!(world.most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_tool_that_runs_alone_runs_alone() {
    let world = World::new();
    let server = server(&world).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let mut calls = Vec::new();
    for tool in ["wait_alone", "wait", "wait_alone", "wait"] {
        calls.push(wire.start_call(tool, json!({})).await);
    }
    // Another connection does not wait for these.
    let mut other = WireClient::connect_legacy(&server, json!({})).await;
    assert_eq!(
        text(&other.call("add", json!({ "a": 1, "b": 1 })).await),
        "2"
    );
    world.go.add_permits(4);
    for call in calls {
        wire.wait_response(call).await;
    }
    assert_eq!(world.most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn no_more_run_at_once_than_a_principal_may_have() {
    let world = World::new();
    let server = server(&world).max_running(1).max_calls(2).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let one = wire.start_call("wait", json!({})).await;
    let two = wire.start_call("wait", json!({})).await;
    world.begun.notified().await;
    // What came before this has begun when it is answered.
    wire.request("ping", json!({})).await;
    // The same principal, by another connection.
    let mut second = WireClient::connect_legacy(&server, json!({})).await;
    assert_snapshot!(second.call("add", json!({ "a": 1, "b": 1 })).await, @r#"{"error":{"code":-32603,"message":"too many calls of yours are at work; wait for one to end, then try again"}}"#);
    let mut other = WireClient::connect_as(&server, Principal::user("berta"));
    other
        .initialize(super::wire::LEGACY_VERSION, json!({}))
        .await;
    assert_eq!(
        text(&other.call("add", json!({ "a": 1, "b": 1 })).await),
        "2"
    );
    world.go.add_permits(2);
    wire.wait_response(one).await;
    wire.wait_response(two).await;
    assert_eq!(world.most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_cancelled_call_stops() {
    let world = World::new();
    let server = server(&world).build();
    let mut old = WireClient::connect_legacy(&server, json!({})).await;
    let mut new = WireClient::connect_modern(&server, json!({}));
    for wire in [&mut old, &mut new] {
        let id = wire.start_call("wait", json!({})).await;
        world.begun.notified().await;
        wire.notify("notifications/cancelled", json!({ "requestId": id }))
            .await;
        world.dropped.notified().await;
        assert_eq!(world.now.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_client_that_is_gone_stop() {
    let world = World::new();
    let server = server(&world).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    wire.start_call("wait", json!({})).await;
    world.begun.notified().await;
    wire.close().await;
    world.dropped.notified().await;
    assert_eq!(world.now.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_does_not_wait_for_ever_behind_one_that_the_client_left() {
    /// Asks something, alone.
    #[helve::tool(read_only, concurrency = "exclusive")]
    async fn ask_alone(cx: &helve::ToolContext) -> Result<&'static str, helve::ToolError> {
        let form = json!({ "type": "object", "properties": {} });
        let asked = helve::capability::Elicitation::form("Well?", form);
        cx.client().elicit(&asked).await?;
        Ok("asked")
    }
    let tools = helve::toolset![ask_alone];
    let server = helve::serve::Server::builder("alone", "1")
        .tools(tools)
        .input_timeout(Duration::from_secs(3_600))
        .build();
    let mut wire = WireClient::connect_modern(&server, json!({ "elicitation": {} }));
    let parked = wire.call("ask_alone", json!({})).await;
    assert!(parked["requestState"].is_string());
    let refused = wire.call("ask_alone", json!({})).await;
    assert_snapshot!(text(&refused), @"Not run: another call of this client runs alone, and waits for an answer of the client; answer it, then try again");
    let answer = json!({ "question-1": { "action": "decline" } });
    let done = wire
        .retry("ask_alone", json!({}), &parked["requestState"], answer)
        .await;
    assert_eq!(text(&done), "asked");
}
