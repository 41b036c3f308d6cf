//! What a tool asks of the client, as requests of the server.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::tools::{World, server};
use super::wire::{WireClient, pretty, text};

/// Calls a tool that asks one thing; returns what was asked, and what the tool said.
async fn ask(capabilities: Value, tool: &str, reply: Value) -> (String, String) {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_legacy(&server, capabilities).await;
    let id = wire.start_call(tool, json!({})).await;
    let mut asked = wire.next_request().await;
    wire.reply(&asked, reply).await;
    asked["id"] = json!("…");
    (pretty(&asked), text(&wire.wait_response(id).await))
}

#[tokio::test]
async fn a_form() {
    let answer = json!({ "action": "accept", "content": { "name": "Anna" } });
    let (asked, said) = ask(json!({ "elicitation": {} }), "greet", answer).await;
    assert_snapshot!(asked, @r#"
    {
      "jsonrpc": "2.0",
      "id": "…",
      "method": "elicitation/create",
      "params": {
        "_meta": {
          "progressToken": 0
        },
        "mode": "form",
        "message": "Who are you?",
        "requestedSchema": {
          "type": "object",
          "properties": {
            "name": {
              "type": "string",
              "minLength": 2
            }
          },
          "required": [
            "name"
          ]
        }
      }
    }
    "#);
    assert_snapshot!(said, @"Hello Anna!");
}

#[tokio::test]
async fn a_form_whose_values_do_not_fit() {
    let answer = json!({ "action": "accept", "content": { "name": 7 } });
    let (_, said) = ask(json!({ "elicitation": {} }), "greet", answer).await;
    assert_snapshot!(said, @"using the client failed: the client's answer is none to this question: `/name`: expected a string of at least 2 characters, got the number 7");
    let (_, said) = ask(
        json!({ "elicitation": {} }),
        "greet",
        json!({ "action": "decline" }),
    )
    .await;
    assert_snapshot!(said, @"Decline");
}

#[tokio::test]
async fn an_address() {
    let (asked, said) = ask(
        json!({ "elicitation": { "url": {} } }),
        "visit",
        json!({ "action": "accept" }),
    )
    .await;
    assert_snapshot!(asked, @r#"
    {
      "jsonrpc": "2.0",
      "id": "…",
      "method": "elicitation/create",
      "params": {
        "_meta": {
          "progressToken": 0
        },
        "mode": "url",
        "message": "Log in, please",
        "url": "https://example.com/login",
        "elicitationId": "login-1"
      }
    }
    "#);
    assert_snapshot!(said, @"Accept({})");
}

#[tokio::test]
async fn a_model() {
    let answer = json!({
        "role": "assistant",
        "model": "small",
        "content": { "type": "text", "text": "2" },
        "stopReason": "endTurn",
    });
    let (asked, said) = ask(json!({ "sampling": {} }), "think", answer).await;
    assert_snapshot!(asked, @r#"
    {
      "jsonrpc": "2.0",
      "id": "…",
      "method": "sampling/createMessage",
      "params": {
        "_meta": {
          "progressToken": 0
        },
        "messages": [
          {
            "role": "user",
            "content": {
              "type": "text",
              "text": "What is 1 + 1?"
            }
          }
        ],
        "maxTokens": 10
      }
    }
    "#);
    assert_snapshot!(said, @"small says 2");
}

#[tokio::test]
async fn roots() {
    let answer = json!({ "roots": [{ "uri": "file:///a", "name": "A" }, { "uri": "file:///b" }] });
    let (asked, said) = ask(json!({ "roots": {} }), "roots", answer).await;
    assert_snapshot!(asked, @r#"
    {
      "jsonrpc": "2.0",
      "id": "…",
      "method": "roots/list",
      "params": {
        "_meta": {
          "progressToken": 0
        }
      }
    }
    "#);
    assert_snapshot!(said, @r#"
    file:///a
    file:///b
    "#);
}

/// Calls each tool that asks for something; returns what they say.
async fn refused(wire: &mut WireClient) -> String {
    let mut said = String::new();
    for tool in ["greet", "think", "roots"] {
        said.push_str(&format!("{}\n", text(&wire.call(tool, json!({})).await)));
    }
    said
}

#[tokio::test]
async fn a_client_is_asked_for_nothing_that_it_cannot_do() {
    let server = server(&World::new()).build();
    let can = json!({ "elicitation": { "url": {} } });
    let mut old = WireClient::connect_legacy(&server, can.clone()).await;
    assert_snapshot!(refused(&mut old).await, @r#"
    using the client failed: this client does not support elicitation
    using the client failed: this client does not support sampling
    using the client failed: this client does not support roots
    "#);
    let mut new = WireClient::connect_modern(&server, can);
    assert_snapshot!(refused(&mut new).await, @r#"
    no result: {"error":{"code":-32021,"message":"Missing required client capability","data":{"requiredCapabilities":{"elicitation":{"form":{}}}}}}
    no result: {"error":{"code":-32021,"message":"Missing required client capability","data":{"requiredCapabilities":{"sampling":{}}}}}
    no result: {"error":{"code":-32021,"message":"Missing required client capability","data":{"requiredCapabilities":{"roots":{}}}}}
    "#);
}

#[tokio::test]
async fn a_question_is_withdrawn_where_the_call_that_asked_is_cancelled() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_legacy(&server, json!({ "elicitation": {} })).await;
    let id = wire.start_call("greet", json!({})).await;
    let asked = wire.next_request().await;
    wire.notify("notifications/cancelled", json!({ "requestId": id }))
        .await;
    let told = wire.next_notification("notifications/cancelled").await;
    assert_eq!(told["requestId"], asked["id"]);
    assert_snapshot!(told["reason"], @r#""the call that asked has ended""#);
}
