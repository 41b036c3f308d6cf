//! Calls that need approval, where the server can ask.

use std::sync::atomic::Ordering;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use helve::permission::{Answer, Approver, Decision, Mode, Policy, Question, Rules};
use insta::assert_snapshot;
use serde_json::json;

use super::tools::{World, server};
use super::wire::{WireClient, pretty, text};

#[tokio::test]
async fn a_question_is_put_to_the_person_behind_the_client() {
    let world = World::new();
    let server = server(&world).build();
    let mut wire = WireClient::connect_legacy(&server, json!({ "elicitation": {} })).await;
    let id = wire.start_call("write", json!({ "path": "a.txt" })).await;
    let mut asked = wire.next_request().await;
    assert_eq!(world.runs.load(Ordering::SeqCst), 0);
    let allow = json!({ "action": "accept", "content": { "decision": "allow once" } });
    wire.reply(&asked, allow).await;
    assert_eq!(text(&wire.wait_response(id).await), "wrote a.txt");
    asked["id"] = json!("…");
    assert_snapshot!(pretty(&asked), @r#"
    {
      "jsonrpc": "2.0",
      "id": "…",
      "method": "elicitation/create",
      "params": {
        "_meta": {
          "progressToken": 0
        },
        "mode": "form",
        "message": "Allow `write` to run? it may destroy something that cannot be brought back (high risk)\n\nArguments: {\"path\":\"a.txt\"}",
        "requestedSchema": {
          "type": "object",
          "properties": {
            "decision": {
              "type": "string",
              "title": "Decision",
              "description": "Whether this one call may run",
              "enum": [
                "allow once",
                "deny"
              ]
            }
          },
          "required": [
            "decision"
          ]
        }
      }
    }
    "#);
}

#[tokio::test]
async fn whatever_is_not_a_yes_is_a_no() {
    let world = World::new();
    let server = server(&world).build();
    let mut wire =
        WireClient::connect_legacy(&server, json!({ "elicitation": { "form": {} } })).await;
    let answers = [
        json!({ "action": "accept", "content": { "decision": "deny" } }),
        json!({ "action": "accept", "content": {} }),
        json!({ "action": "accept", "content": { "decision": "perhaps" } }),
        json!({ "action": "accept" }),
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": ["allow once"] }),
        json!({ "roots": [] }),
    ];
    let mut said = Vec::new();
    for answer in answers {
        let id = wire.start_call("write", json!({ "path": "a" })).await;
        let asked = wire.next_request().await;
        wire.reply(&asked, answer.clone()).await;
        let result = wire.wait_response(id).await;
        assert_eq!(result["isError"], true, "{answer}");
        said.push(format!("{answer}: {}", text(&result)));
    }
    let id = wire.start_call("write", json!({ "path": "a" })).await;
    let asked = wire.next_request().await;
    let error = json!({ "code": -1, "message": "busy" });
    wire.write(&json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error }))
        .await;
    said.push(text(&wire.wait_response(id).await));
    assert_snapshot!(said.join("\n"), @r#"
    {"action":"accept","content":{"decision":"deny"}}: Tool call rejected by user
    {"action":"accept","content":{}}: Tool call denied: it needs approval, and the client's answer is none to this question: `/decision`: expected one of "allow once", "deny" (Whether this one call may run), got nothing; this key is required
    {"action":"accept","content":{"decision":"perhaps"}}: Tool call denied: it needs approval, and the client's answer is none to this question: `/decision`: expected one of "allow once", "deny", got the string "perhaps"
    {"action":"accept"}: Tool call denied: it needs approval, and the client's answer is none to this question: `/decision`: expected one of "allow once", "deny" (Whether this one call may run), got nothing; this key is required
    {"action":"decline"}: Tool call rejected by user
    {"action":"cancel"}: Tool call rejected by user
    {"action":"accept","content":["allow once"]}: Tool call denied: it needs approval, and the client's answer is none to this question: the values of a form are an object
    {"roots":[]}: Tool call denied: it needs approval, and the client's answer is none to this question: it answers another one
    Tool call denied: it needs approval, and the client refused: busy
    "#);
    assert_eq!(world.runs.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_come_is_a_no() {
    let world = World::new();
    let server = server(&world).build();
    let mut wire = WireClient::connect_legacy(&server, json!({ "elicitation": {} })).await;
    let id = wire.start_call("write", json!({ "path": "a" })).await;
    wire.next_request().await;
    assert_snapshot!(text(&wire.wait_response(id).await), @"Tool call denied: it needs approval, and the client did not answer in time");
    assert_eq!(world.runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_told_how_a_call_is_allowed() {
    let world = World::new();
    let server = server(&world)
        .allow_command("tested permissions allow")
        .build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    assert_snapshot!(text(&wire.call("write", json!({ "path": "a" })).await), @"Tool call denied: it needs approval (it may destroy something that cannot be brought back (high risk)), and this client cannot ask its user; allow it with `tested permissions allow 'write'`");
    let mut wire = WireClient::connect_modern(&server, json!({}));
    assert_snapshot!(text(&wire.call("write", json!({ "path": "a" })).await), @"Tool call denied: it needs approval (it may destroy something that cannot be brought back (high risk)), and this client cannot ask its user; allow it with `tested permissions allow 'write'`");
    assert_eq!(world.runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn rules_and_modes_hold_as_everywhere() {
    let world = World::new();
    let rules = Rules::new().allow("write".parse().unwrap());
    let allowed = server(&world)
        .policy(Policy::default().rules(rules))
        .build();
    let mut wire = WireClient::connect_legacy(&allowed, json!({})).await;
    assert_eq!(
        text(&wire.call("write", json!({ "path": "a" })).await),
        "wrote a"
    );
    let rules = Rules::new().deny("add".parse().unwrap());
    let denied = server(&world)
        .policy(Policy::new(Mode::Bypass).rules(rules))
        .build();
    let mut wire = WireClient::connect_legacy(&denied, json!({ "elicitation": {} })).await;
    assert_snapshot!(text(&wire.call("add", json!({ "a": 1, "b": 2 })).await), @"Tool call denied: the rule `add` denies it");
    let explore = server(&world).policy(Policy::new(Mode::Explore)).build();
    let mut wire = WireClient::connect_legacy(&explore, json!({ "elicitation": {} })).await;
    assert_snapshot!(text(&wire.call("write", json!({ "path": "a" })).await), @"Tool call denied: it does more than read, and the mode is `explore`");
}

/// Allows for good, and says something.
struct Always;

impl Approver for Always {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let decision = Decision::AllowAlways {
            rules: question.suggestions.clone(),
            scope: Default::default(),
            message: Some("go ahead".to_owned()),
        };
        std::future::ready(decision.into()).boxed()
    }
}

#[tokio::test]
async fn somebody_else_may_be_appointed_to_answer() {
    let world = World::new();
    let server = server(&world).approver(Always).build();
    let mut wire = WireClient::connect_legacy(&server, json!({ "elicitation": {} })).await;
    assert_snapshot!(text(&wire.call("write", json!({ "path": "a" })).await), @r#"
    wrote a
    The user allowed this call and said: go ahead
    "#);
    // The rule holds from now on, so that nobody is asked and nothing is said.
    assert_snapshot!(text(&wire.call("write", json!({ "path": "b" })).await), @"wrote b");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_asked_about_by_nobody() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_legacy(&server, json!({ "elicitation": {} })).await;
    let answer = wire.call("write", json!({})).await;
    assert_snapshot!(text(&answer), @"`/path`: expected a string (Which file), got nothing; this key is required");
}
