//! Calls that wait for the client to come back, in the version without sessions.

use std::sync::atomic::Ordering;
use std::time::Duration;

use helve::tool::Principal;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::tools::{World, server};
use super::wire::{WireClient, pretty, text};

fn accept(name: &str) -> Value {
    json!({ "question-1": { "action": "accept", "content": { "name": name } } })
}

fn forms() -> Value {
    json!({ "elicitation": { "form": {} } })
}

#[tokio::test]
async fn the_body_goes_on_where_it_was() {
    let world = World::new();
    let server = server(&world).build();
    let mut wire = WireClient::connect_modern(&server, forms());
    let mut parked = wire.call("greet", json!({})).await;
    let state = parked["requestState"].take();
    assert_snapshot!(pretty(&parked), @r#"
    {
      "resultType": "input_required",
      "inputRequests": {
        "question-1": {
          "method": "elicitation/create",
          "params": {
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
      },
      "requestState": null
    }
    "#);
    let done = wire.retry("greet", json!({}), &state, accept("Anna")).await;
    assert_snapshot!(done, @r#"{"resultType":"complete","content":[{"type":"text","text":"Hello Anna!"}],"isError":false}"#);
    assert_eq!(world.runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_answer_is_good_once() {
    let world = World::new();
    let server = server(&world).build();
    let mut wire = WireClient::connect_modern(&server, forms());
    let parked = wire.call("greet", json!({})).await;
    let state = &parked["requestState"];
    wire.retry("greet", json!({}), state, accept("Anna")).await;
    let again = wire.retry("greet", json!({}), state, accept("Berta")).await;
    assert_snapshot!(again, @r#"{"error":{"code":-32602,"message":"no call waits for this answer: it was answered, has ended or took too long; call the tool again"}}"#);
    assert_eq!(world.runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_answer_is_good_for_its_call_and_its_principal_alone() {
    let world = World::new();
    let server = server(&world).build();
    let mut wire = WireClient::connect_modern_as(&server, forms(), Principal::user("anna"));
    let parked = wire.call("greet", json!({})).await;
    let state = &parked["requestState"];
    let mut other = WireClient::connect_modern_as(&server, forms(), Principal::user("berta"));
    for (wire, tool, arguments) in [
        (&mut other, "greet", json!({})),
        (&mut wire, "greet", json!({ "a": 1 })),
    ] {
        let answer = wire.retry(tool, arguments, state, accept("X")).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let answer = wire.retry("wait", json!({}), state, accept("X")).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    for forged in ["", "rs1.x.y", "1 0"] {
        let answer = wire
            .retry("greet", json!({}), &json!(forged), accept("X"))
            .await;
        assert_eq!(answer["error"]["code"], -32602, "{forged}");
    }
    // None of that has touched the call.
    let done = wire.retry("greet", json!({}), state, accept("Anna")).await;
    assert_eq!(text(&done), "Hello Anna!");
    // Another connection of the principal may come back as well.
    let parked = wire.call("greet", json!({})).await;
    let mut second = WireClient::connect_modern_as(&server, forms(), Principal::user("anna"));
    let done = second
        .retry("greet", json!({}), &parked["requestState"], accept("Anna"))
        .await;
    assert_eq!(text(&done), "Hello Anna!");
}

#[tokio::test]
async fn a_permission_question_comes_the_same_way() {
    let world = World::new();
    let server = server(&world).build();
    let mut wire = WireClient::connect_modern(&server, forms());
    let arguments = json!({ "path": "a" });
    let parked = wire.call("write", arguments.clone()).await;
    assert_eq!(world.runs.load(Ordering::SeqCst), 0);
    let asked = &parked["inputRequests"]["question-1"]["params"]["message"];
    assert_snapshot!(asked.as_str().unwrap(), @r#"
    Allow `write` to run? it may destroy something that cannot be brought back (high risk)

    Arguments: {"path":"a"}
    "#);
    let allow =
        json!({ "question-1": { "action": "accept", "content": { "decision": "allow once" } } });
    let done = wire
        .retry("write", arguments, &parked["requestState"], allow)
        .await;
    assert_eq!(text(&done), "wrote a");
    assert_eq!(world.runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn questions_that_come_together_are_asked_together_until_all_are_answered() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_modern(&server, forms());
    let parked = wire.call("ask_twice", json!({})).await;
    let open = |parked: &Value| -> Vec<String> {
        parked["inputRequests"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    assert_eq!(open(&parked), ["question-1", "question-2"]);
    let one = json!({ "question-1": { "action": "decline" }, "nonsense": 7 });
    let parked = wire
        .retry("ask_twice", json!({}), &parked["requestState"], one)
        .await;
    assert_eq!(open(&parked), ["question-2"]);
    let two = json!({ "question-2": { "action": "cancel" } });
    let done = wire
        .retry("ask_twice", json!({}), &parked["requestState"], two)
        .await;
    assert_snapshot!(text(&done), @"Decline and Cancel");
}

#[tokio::test]
async fn an_answer_that_is_none_is_told_to_the_tool() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_modern(&server, forms());
    let parked = wire.call("greet", json!({})).await;
    let nonsense = json!({ "question-1": { "action": "perhaps" } });
    let done = wire
        .retry("greet", json!({}), &parked["requestState"], nonsense)
        .await;
    assert_snapshot!(text(&done), @"using the client failed: the client's answer is none to this question: unknown variant `perhaps`, expected one of `accept`, `decline`, `cancel`");
}

#[tokio::test]
async fn sampling_and_roots_come_the_same_way() {
    let server = server(&World::new()).build();
    let mut wire = WireClient::connect_modern(&server, json!({ "sampling": {}, "roots": {} }));
    let parked = wire.call("think", json!({})).await;
    let answer = json!({ "question-1": {
        "role": "assistant",
        "model": "small",
        "content": { "type": "text", "text": "2" },
    } });
    let done = wire
        .retry("think", json!({}), &parked["requestState"], answer)
        .await;
    assert_eq!(text(&done), "small says 2");
    let parked = wire.call("roots", json!({})).await;
    let answer = json!({ "question-1": { "roots": [{ "uri": "file:///a" }] } });
    let done = wire
        .retry("roots", json!({}), &parked["requestState"], answer)
        .await;
    assert_eq!(text(&done), "file:///a\n");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_comes_back_for_ends() {
    let world = World::new();
    let server = server(&world)
        .input_timeout(Duration::from_secs(60))
        .build();
    let mut wire = WireClient::connect_modern(&server, forms());
    let parked = wire.call("greet", json!({})).await;
    tokio::time::sleep(Duration::from_secs(59)).await;
    let kept = wire.call("greet", json!({})).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let late = wire
        .retry("greet", json!({}), &parked["requestState"], accept("A"))
        .await;
    assert_eq!(late["error"]["code"], -32602, "{late}");
    let done = wire
        .retry("greet", json!({}), &kept["requestState"], accept("Anna"))
        .await;
    assert_eq!(text(&done), "Hello Anna!");
}

#[tokio::test]
async fn there_is_room_for_so_many_only() {
    let server = server(&World::new()).max_suspended(2).build();
    let mut wire = WireClient::connect_modern(&server, forms());
    let first = wire.call("greet", json!({})).await;
    wire.call("greet", json!({})).await;
    assert_snapshot!(wire.call("greet", json!({})).await, @r#"{"error":{"code":-32603,"message":"too many calls of yours wait for an answer; answer one, then try again"}}"#);
    // Another principal has room of its own.
    let mut other = WireClient::connect_modern_as(&server, forms(), Principal::user("berta"));
    assert!(other.call("greet", json!({})).await["requestState"].is_string());
    wire.retry("greet", json!({}), &first["requestState"], accept("Anna"))
        .await;
    assert!(wire.call("greet", json!({})).await["requestState"].is_string());
}

#[tokio::test(start_paused = true)]
async fn a_question_that_the_call_has_given_up_is_not_asked_again() {
    /// Asks a question, waits five seconds for the answer, and works for a minute.
    #[helve::tool(read_only)]
    async fn ask_briefly(
        cx: &helve::ToolContext,
        /// How often it asks.
        times: u32,
    ) -> &'static str {
        let form = json!({ "type": "object", "properties": {} });
        let form = helve::capability::Elicitation::form("Well?", form).with_key("well");
        for _ in 0..times {
            let client = cx.client();
            let answer = client.elicit(&form);
            if tokio::time::timeout(Duration::from_secs(5), answer)
                .await
                .is_ok()
            {
                return "answered";
            }
        }
        tokio::time::sleep(Duration::from_secs(60)).await;
        "not answered"
    }
    let server = helve::serve::Server::builder("brief", "1")
        .tools(helve::toolset![ask_briefly])
        .build();
    let mut wire = WireClient::connect_modern(&server, forms());
    let once = json!({ "times": 1 });
    let suspended = wire.call("ask_briefly", once.clone()).await;
    tokio::time::sleep(Duration::from_secs(7)).await;
    let done = wire
        .retry("ask_briefly", once, &suspended["requestState"], json!({}))
        .await;
    assert_eq!(text(&done), "not answered");

    // The second question replaces the first, under the same key.
    let twice = json!({ "times": 2 });
    let suspended = wire.call("ask_briefly", twice.clone()).await;
    tokio::time::sleep(Duration::from_secs(7)).await;
    let state = &suspended["requestState"];
    let suspended = wire
        .retry("ask_briefly", twice.clone(), state, json!({}))
        .await;
    let open = suspended["inputRequests"].as_object().unwrap();
    assert_eq!(open.keys().collect::<Vec<_>>(), ["well"]);
    let answer = json!({ "well": { "action": "decline" } });
    let done = wire
        .retry("ask_briefly", twice, &suspended["requestState"], answer)
        .await;
    assert_eq!(text(&done), "answered");
}
