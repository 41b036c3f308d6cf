//! Lists that change while they are served.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use helve::Toolset;
use helve::prelude::*;
use helve::serve::Server;
use helve::tool::Tool;
use helve::toolset::{ToolList, ToolSource};
use insta::assert_snapshot;
use serde_json::json;

use super::wire::WireClient;

/// Does one thing.
#[tool(read_only)]
fn first() {}

/// Does another.
#[tool(read_only)]
fn second() {}

/// A source that has one tool more each time its revision grows.
#[derive(Clone, Default)]
struct Growing(Arc<AtomicU64>);

impl ToolSource for Growing {
    fn list(&self) -> ToolList {
        let revision = self.0.load(Ordering::SeqCst);
        let tools = toolset![first, second].tools().into_iter();
        let tools: Vec<Arc<dyn Tool>> = tools.take(1 + revision as usize).collect();
        ToolList::new(tools).with_revision(revision)
    }
}

fn growing() -> (Growing, Server) {
    let source = Growing::default();
    let server = Server::builder("growing", "1")
        .tools(Toolset::new(source.clone()))
        .build();
    (source, server)
}

async fn count(wire: &mut WireClient) -> usize {
    let list = wire.request("tools/list", json!({})).await;
    list["tools"].as_array().unwrap().len()
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_told_when_the_list_has_changed() {
    let (source, server) = growing();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    assert_eq!(count(&mut wire).await, 1);
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    source.0.store(1, Ordering::SeqCst);
    wire.next_notification("notifications/tools/list_changed")
        .await;
    assert_eq!(count(&mut wire).await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_is_told_what_it_asked_for() {
    let (source, server) = growing();
    let mut wire = WireClient::connect_modern(&server, json!({}));
    assert_eq!(count(&mut wire).await, 1);
    let wanted =
        json!({ "notifications": { "toolsListChanged": true, "promptsListChanged": true } });
    let id = wire.send("subscriptions/listen", wanted).await;
    let acknowledged = wire
        .next_notification("notifications/subscriptions/acknowledged")
        .await;
    assert_snapshot!(acknowledged, @r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{"toolsListChanged":true}}"#);
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    source.0.store(1, Ordering::SeqCst);
    let told = wire
        .next_notification("notifications/tools/list_changed")
        .await;
    assert_snapshot!(told, @r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}"#);
    assert_eq!(count(&mut wire).await, 2);
    wire.notify("notifications/cancelled", json!({ "requestId": id }))
        .await;
}
