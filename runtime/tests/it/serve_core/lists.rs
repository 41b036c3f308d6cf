//! `tools/list`.

use std::sync::Arc;

use futures_util::FutureExt as _;
use helve::Toolset;
use helve::serve::Server;
use helve::tool::Tool;
use helve::toolset::{DynamicTool, ExternalTool};
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::tools::{World, server};
use super::wire::{WireClient, pretty};

fn many(count: usize) -> Toolset {
    Toolset::from_tools((0..count).rev().map(|number| {
        let schema = json!({ "type": "object", "properties": {} });
        let tool = DynamicTool::new(format!("tool_{number:04}"), "Does it.", schema, |_, _| {
            async { Ok("done".into()) }.boxed()
        });
        Arc::new(tool.unwrap()) as Arc<dyn Tool>
    }))
}

fn names(result: &Value) -> Vec<String> {
    let tools = result["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Reads all pages; returns the names, and how many pages there were.
async fn all(wire: &mut WireClient) -> (Vec<String>, usize) {
    let (mut found, mut pages, mut cursor) = (Vec::new(), 0, json!({}));
    loop {
        let page = wire.request("tools/list", cursor).await;
        found.extend(names(&page));
        pages += 1;
        match page.get("nextCursor") {
            Some(next) => cursor = json!({ "cursor": next }),
            None => return (found, pages),
        }
    }
}

#[tokio::test]
async fn tools_are_listed_by_name_with_all_that_they_declare() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let list = wire.request("tools/list", json!({})).await;
    let names = names(&list);
    assert!(names.is_sorted(), "{names:?}");
    let tools = list["tools"].as_array().unwrap().iter();
    let shown: Vec<&Value> = tools
        .filter(|tool| ["add", "find", "write"].contains(&tool["name"].as_str().unwrap()))
        .collect();
    assert_snapshot!(pretty(&json!(shown)), @r#"
    [
      {
        "name": "add",
        "title": "Add",
        "description": "Adds two numbers.",
        "inputSchema": {
          "type": "object",
          "properties": {
            "a": {
              "type": "integer",
              "description": "The first."
            },
            "b": {
              "type": "integer",
              "description": "The second."
            }
          },
          "required": [
            "a",
            "b"
          ],
          "additionalProperties": false
        },
        "annotations": {
          "readOnlyHint": true
        }
      },
      {
        "name": "find",
        "description": "Finds a place.",
        "inputSchema": {
          "type": "object",
          "properties": {
            "name": {
              "type": "string",
              "description": "Its name."
            }
          },
          "required": [
            "name"
          ],
          "additionalProperties": false
        },
        "outputSchema": {
          "type": "object",
          "description": "Where something is.",
          "properties": {
            "name": {
              "type": "string",
              "description": "The name."
            },
            "height": {
              "type": "integer",
              "description": "How high it lies, in metres."
            }
          },
          "required": [
            "name",
            "height"
          ],
          "additionalProperties": false
        },
        "annotations": {
          "readOnlyHint": true
        }
      },
      {
        "name": "write",
        "description": "Writes a file.",
        "inputSchema": {
          "type": "object",
          "properties": {
            "path": {
              "type": "string",
              "description": "Which file."
            }
          },
          "required": [
            "path"
          ],
          "additionalProperties": false
        },
        "annotations": {
          "destructiveHint": true,
          "idempotentHint": true
        }
      }
    ]
    "#);
    assert_eq!(list.get("ttlMs"), None);
}

#[tokio::test]
async fn the_newest_version_says_how_long_a_list_is_good() {
    let server = server(&World::new()).build();
    let mut list = WireClient::connect_modern(&server, json!({}))
        .request("tools/list", json!({}))
        .await;
    list["tools"] = json!([]);
    assert_snapshot!(list, @r#"{"resultType":"complete","ttlMs":60000,"cacheScope":"private","tools":[]}"#);
}

#[tokio::test]
async fn a_long_list_comes_in_pages() {
    let server = Server::builder("many", "1").tools(many(250)).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let (found, pages) = all(&mut wire).await;
    let expected: Vec<String> = (0..250).map(|number| format!("tool_{number:04}")).collect();
    assert_eq!(found, expected);
    assert_eq!(pages, 3);
    let server = Server::builder("many", "1").tools(many(200)).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    assert_eq!(all(&mut wire).await.1, 2, "no page is empty");
}

#[tokio::test]
async fn a_cursor_stays_true_where_tools_go() {
    let tools = many(150);
    let server = Server::builder("many", "1").tools(tools).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let first = wire.request("tools/list", json!({})).await;
    let cursor = &first["nextCursor"];
    let fewer = many(150).filtered(|spec| &*spec.name > "tool_0050" && &*spec.name != "tool_0099");
    let server = Server::builder("many", "1").tools(fewer).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let second = wire
        .request("tools/list", json!({ "cursor": cursor }))
        .await;
    assert_eq!(names(&second).first().unwrap(), "tool_0100");
    assert_eq!(names(&second).len(), 50);
}

#[tokio::test]
async fn a_cursor_that_nobody_gave_is_an_error() {
    let server = Server::builder("many", "1").tools(many(3)).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let answer = wire.request("tools/list", json!({ "cursor": "%%" })).await;
    assert_snapshot!(answer, @r#"{"error":{"code":-32602,"message":"the cursor is none that this server gave"}}"#);
}

#[tokio::test]
async fn a_tool_that_works_elsewhere_is_not_served() {
    let schema = json!({ "type": "object", "properties": {} });
    let outside = ExternalTool::new("pick_colour", "Lets the user pick.", schema).unwrap();
    let tools = many(1).layered(&Toolset::from_tools([Arc::new(outside) as Arc<dyn Tool>]));
    let server = Server::builder("outside", "1").tools(tools).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    assert_eq!(all(&mut wire).await.0, ["tool_0000"]);
    let answer = wire.call("pick_colour", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}
