//! What a call tells while it runs: progress, and its log.

use insta::assert_snapshot;
use serde_json::json;

use super::tools::{World, server};
use super::wire::{WireClient, text};

#[tokio::test]
async fn progress_goes_to_the_token_of_the_request_and_before_the_result() {
    let server = server(&World::new()).build();
    let mut old = WireClient::connect_legacy(&server, json!({}))
        .await
        .with_meta("progressToken", json!("p1"));
    let mut new =
        WireClient::connect_modern(&server, json!({})).with_meta("progressToken", json!("p1"));
    for wire in [&mut old, &mut new] {
        let id = wire.start_call("report", json!({})).await;
        let mut told = String::new();
        loop {
            let message = wire.next().await;
            if message["id"] == id {
                assert_eq!(text(&message["result"]), "done");
                break;
            }
            told.push_str(&format!("{message}\n"));
        }
        insta::allow_duplicates! {
            assert_snapshot!(told, @r#"
            {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":1.0,"total":4.0}}
            {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":1.000001,"total":4.0,"message":"half way"}}
            {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":3.0,"total":4.0}}
            "#);
        }
    }
}

#[tokio::test]
async fn without_a_token_no_progress_is_told() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let id = wire.start_call("report", json!({})).await;
    assert_eq!(wire.next().await["id"], id);
}

/// Reads the log of a call up to its result.
async fn logged(wire: &mut WireClient) -> String {
    let id = wire.start_call("log", json!({})).await;
    let mut told = String::new();
    loop {
        let message = wire.next().await;
        if message["id"] == id {
            return told;
        }
        told.push_str(&format!("{}\n", message["params"]));
    }
}

#[tokio::test]
async fn the_log_is_told_from_the_level_that_the_connection_set() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    assert_snapshot!(logged(&mut wire).await, @r#"
    {"level":"info","logger":"tool","data":{"step":1}}
    {"level":"error","data":"the key is [REDACTED:github-pat]"}
    "#);
    wire.request("logging/setLevel", json!({ "level": "error" }))
        .await;
    assert_snapshot!(logged(&mut wire).await, @r#"{"level":"error","data":"the key is [REDACTED:github-pat]"}"#);
    wire.request("logging/setLevel", json!({ "level": "debug" }))
        .await;
    assert_eq!(logged(&mut wire).await.lines().count(), 3);
}

#[tokio::test]
async fn in_the_newest_version_each_request_says_what_log_it_wants() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_modern(&server, json!({}));
    assert_eq!(logged(&mut wire).await, "");
    let mut wire = wire.with_meta("io.modelcontextprotocol/logLevel", json!("warning"));
    assert_eq!(logged(&mut wire).await.lines().count(), 1);
}
