//! How a conversation begins, in each version of the protocol.

use insta::assert_snapshot;
use serde_json::json;

use super::tools::{World, server};
use super::wire::{LEGACY_VERSION, MODERN_VERSION, WireClient, pretty};
use helve::prelude::*;
use helve::serve::Server;

#[tokio::test]
async fn the_handshake_says_who_the_server_is() {
    let world = World::new();
    let server = server(&world)
        .title("Tested")
        .instructions("Be careful.")
        .build();
    let mut wire = WireClient::connect(&server);
    let said = wire.initialize(LEGACY_VERSION, json!({})).await;
    assert_snapshot!(pretty(&said), @r#"
    {
      "protocolVersion": "2025-11-25",
      "capabilities": {
        "extensions": {
          "io.modelcontextprotocol/tasks": {}
        },
        "logging": {},
        "tools": {
          "listChanged": true
        }
      },
      "serverInfo": {
        "name": "tested",
        "title": "Tested",
        "version": "1.2.3"
      },
      "instructions": "Be careful."
    }
    "#);
}

#[tokio::test]
async fn every_version_with_a_handshake_is_spoken() {
    let server = server(&World::new()).build();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut wire = WireClient::connect(&server);
        let said = wire.initialize(version, json!({})).await;
        assert_eq!(said["protocolVersion"], version);
        let result = wire.call("add", json!({ "a": 2, "b": 3 })).await;
        assert_eq!(result["content"][0]["text"], "5", "{version}");
    }
}

#[tokio::test]
async fn a_version_that_nobody_knows_is_answered_with_one_that_is_spoken() {
    let server = server(&World::new()).build();
    for version in ["1999-01-01", MODERN_VERSION] {
        let said = WireClient::connect(&server)
            .initialize(version, json!({}))
            .await;
        assert_eq!(said["protocolVersion"], LEGACY_VERSION, "{version}");
    }
}

#[tokio::test]
async fn without_a_handshake_the_server_is_discovered() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_modern(&server, json!({}));
    let said = wire.request("server/discover", json!({})).await;
    assert_snapshot!(pretty(&said), @r#"
    {
      "resultType": "complete",
      "supportedVersions": [
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
        "2026-07-28"
      ],
      "capabilities": {
        "extensions": {
          "io.modelcontextprotocol/tasks": {}
        },
        "logging": {},
        "tools": {
          "listChanged": true
        }
      },
      "ttlMs": 0,
      "cacheScope": "private",
      "_meta": {
        "io.modelcontextprotocol/serverInfo": {
          "name": "tested",
          "version": "1.2.3"
        }
      }
    }
    "#);
    let result = wire.call("add", json!({ "a": 2, "b": 3 })).await;
    assert_snapshot!(pretty(&result), @r#"
    {
      "resultType": "complete",
      "content": [
        {
          "type": "text",
          "text": "5"
        }
      ],
      "isError": false
    }
    "#);
}

#[tokio::test]
async fn the_instructions_of_groups_follow_those_of_the_server() {
    let tools = toolset![super::tools::add].in_group("sums", "Add before you multiply.");
    let server = Server::builder("tested", "1")
        .instructions("Be careful.")
        .tools(tools)
        .build();
    let said = WireClient::connect(&server)
        .initialize(LEGACY_VERSION, json!({}))
        .await;
    assert_snapshot!(said["instructions"].as_str().unwrap(), @r#"
    Be careful.

    # sums

    Add before you multiply.
    "#);
}

#[tokio::test]
async fn a_client_that_goes_away_at_once_is_no_error() {
    let server = server(&World::new()).build();
    let nobody = (tokio::io::empty(), tokio::io::sink());
    let served = server
        .serve_io(nobody.0, nobody.1, Default::default())
        .await;
    assert!(served.is_ok());
}

#[tokio::test]
async fn what_comes_before_the_beginning_ends_nothing() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect(&server);
    wire.notify("notifications/initialized", json!({})).await;
    wire.raw("no JSON").await;
    let said = wire.initialize(LEGACY_VERSION, json!({})).await;
    assert_eq!(said["protocolVersion"], LEGACY_VERSION);
}

#[tokio::test]
async fn a_method_that_nobody_knows_is_refused() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    for method in ["resources/list", "prompts/get", "no/such"] {
        let answer = wire.request(method, json!({ "name": "x" })).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
}
