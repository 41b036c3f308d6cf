//! Resources of the app's own.

use std::sync::Arc;

use futures_util::future::{self, BoxFuture, FutureExt as _};
use futures_util::stream::{self, BoxStream, StreamExt as _};
use helve::prelude::*;
use helve::serve::{ListedResource, ResourceChange, ResourceSource, ResourceTemplate, Server};
use helve::transcript::Resource;
use serde_json::json;
use tokio::sync::broadcast;

use crate::serve_more::wire::WireClient;

/// Notes by their numbers; the ninth cannot be read.
#[derive(Debug, Clone)]
struct Notes(broadcast::Sender<ResourceChange>);

impl ResourceSource for Notes {
    fn list<'a>(
        &'a self,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Vec<ListedResource>, ToolError>> {
        let listed =
            (0..150).map(|number| ListedResource::new(format!("note://{number:03}"), "note"));
        future::ready(Ok(listed.collect())).boxed()
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = ResourceTemplate::new("note://{number}", "note");
        vec![template.suggesting("number", |_| (0..150).map(|n| format!("{n:03}")).collect())]
    }

    fn read<'a>(
        &'a self,
        _: &'a ToolContext,
        uri: &'a str,
    ) -> BoxFuture<'a, Result<Option<Vec<Resource>>, ToolError>> {
        let number = uri
            .strip_prefix("note://")
            .and_then(|number| number.parse::<u32>().ok());
        let read = match number {
            Some(9) => Err(ToolError::failed("the page is torn")),
            Some(number) => Ok(Some(vec![Resource {
                uri: uri.to_owned(),
                mime_type: Some("text/plain".into()),
                text: Some(format!("Note {number}")),
                blob: None,
            }])),
            None => Ok(None),
        };
        future::ready(read).boxed()
    }

    fn changes(&self) -> BoxStream<'static, ResourceChange> {
        let changes = self.0.subscribe();
        stream::unfold(changes, |mut changes| async move {
            let change = changes.recv().await.ok()?;
            Some((change, changes))
        })
        .boxed()
    }
}

fn server() -> (Server, Notes) {
    let notes = Notes(broadcast::Sender::new(16));
    let server = Server::builder("notes", "1").resources(Arc::new(notes.clone()));
    (server.build(), notes)
}

#[tokio::test]
async fn resources_are_listed_by_pages_and_read() {
    let (server, _) = server();
    let mut wire = WireClient::connect_modern(&server, json!({}));
    let first = wire.request("resources/list", json!({})).await;
    assert_eq!(first["resources"].as_array().unwrap().len(), 100);
    let rest = wire
        .request("resources/list", json!({ "cursor": first["nextCursor"] }))
        .await;
    assert_eq!(rest["resources"].as_array().unwrap().len(), 50);
    assert_eq!(rest.get("nextCursor"), None);
    let bad = wire
        .request("resources/list", json!({ "cursor": "?" }))
        .await;
    assert_eq!(bad["error"]["code"], -32602, "{bad}");
    let read = wire
        .request("resources/read", json!({ "uri": "note://007" }))
        .await;
    assert_eq!(read["contents"][0]["text"], "Note 7", "{read}");
    let torn = wire
        .request("resources/read", json!({ "uri": "note://009" }))
        .await;
    assert_eq!(torn["error"]["message"], "the page is torn", "{torn}");
    let none = wire
        .request("resources/read", json!({ "uri": "note://x" }))
        .await;
    assert_eq!(
        none["error"]["message"], "unknown resource `note://x`",
        "{none}"
    );
    let complete = json!({
        "ref": { "type": "ref/resource", "uri": "note://{number}" },
        "argument": { "name": "number", "value": "" },
    });
    let completed = wire.request("completion/complete", complete).await;
    assert_eq!(completed["completion"]["total"], 150, "{completed}");
    assert_eq!(completed["completion"]["hasMore"], true, "{completed}");
}

#[tokio::test]
async fn a_change_is_told_to_who_wants_to_know() {
    let (server, notes) = server();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let uri = "note://001";
    wire.request("resources/subscribe", json!({ "uri": uri }))
        .await;
    // The watch begins when the server has read that the client is initialized.
    while notes.0.receiver_count() == 0 {
        tokio::task::yield_now().await;
    }
    notes
        .0
        .send(ResourceChange::Contents("note://002".into()))
        .unwrap();
    notes.0.send(ResourceChange::Contents(uri.into())).unwrap();
    let told = wire
        .next_matching(|message| message.get("id").is_none())
        .await;
    assert_eq!(told["method"], "notifications/resources/updated", "{told}");
    assert_eq!(told["params"]["uri"], uri, "{told}");
    wire.request("resources/unsubscribe", json!({ "uri": uri }))
        .await;
    notes.0.send(ResourceChange::Contents(uri.into())).unwrap();
    notes.0.send(ResourceChange::List).unwrap();
    let told = wire
        .next_matching(|message| message.get("id").is_none())
        .await;
    assert_eq!(
        told["method"], "notifications/resources/list_changed",
        "{told}"
    );
}
