//! Prompts, and what completes their arguments.

use helve::capability::{Elicitation, ElicitationResult};
use helve::serve::{Prompt, PromptArgument, PromptMessage, Prompts, Server};
use serde_json::{Value, json};

use crate::serve_more::wire::WireClient;

fn review() -> Prompt {
    let language = PromptArgument::optional("language", "Which.").suggesting(|typed| {
        let known = ["rust", "ruby", "python"].into_iter();
        known
            .filter(|name| name.starts_with(typed))
            .map(str::to_owned)
            .collect()
    });
    Prompt::new("review", "Reviews code.", |_, arguments| {
        Box::pin(async move {
            let code = arguments.get("code").unwrap_or_default();
            Ok(vec![PromptMessage::user(format!("Review: {code}"))])
        })
    })
    .argument(PromptArgument::required("code", "What."))
    .argument(language)
}

fn asking() -> Prompt {
    Prompt::new("asking", "Asks first.", |cx, _| {
        Box::pin(async move {
            let schema =
                json!({ "type": "object", "properties": { "topic": { "type": "string" } } });
            let form = Elicitation::form("Which topic?", schema).with_key("topic");
            let text = match cx.client().elicit(&form).await? {
                ElicitationResult::Accept(values) => Value::Object(values).to_string(),
                _ => "nothing".to_owned(),
            };
            Ok(vec![PromptMessage::user(text)])
        })
    })
}

fn server() -> (Server, Prompts) {
    let prompts = Prompts::new([review(), asking()]);
    let server = Server::builder("prompts", "1").prompts(prompts.clone());
    (server.build(), prompts)
}

#[tokio::test]
async fn a_prompt_is_listed_written_and_says_what_it_lacks() {
    let (server, _) = server();
    let mut wire = WireClient::connect_modern(&server, json!({}));
    let listed = wire.request("prompts/list", json!({})).await;
    let names: Vec<_> = listed["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| &prompt["name"])
        .collect();
    assert_eq!(names, ["asking", "review"]);
    let get = json!({ "name": "review", "arguments": { "code": "1 + 1" } });
    let written = wire.request("prompts/get", get).await;
    assert_eq!(
        written["messages"][0]["content"]["text"], "Review: 1 + 1",
        "{written}"
    );
    for (params, said) in [
        (
            json!({ "name": "review" }),
            "the prompt `review` needs the argument `code`",
        ),
        (
            json!({ "name": "review", "arguments": { "code": 1 } }),
            "the argument `code` has to be text",
        ),
        (
            json!({ "name": "reviews" }),
            "unknown prompt `reviews`; `prompts/list` lists the prompts",
        ),
    ] {
        let refused = wire.request("prompts/get", params).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert_eq!(refused["error"]["message"], said);
    }
}

#[tokio::test]
async fn a_prompt_asks_the_client_and_goes_on_with_the_answer() {
    let (server, _) = server();
    let mut wire = WireClient::connect_modern(&server, json!({ "elicitation": {} }));
    let asked = wire
        .request("prompts/get", json!({ "name": "asking" }))
        .await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(
        asked["inputRequests"]["topic"]["method"], "elicitation/create",
        "{asked}"
    );
    let answers = json!({ "topic": { "action": "accept", "content": { "topic": "crabs" } } });
    let state = &asked["requestState"];
    // The state is good for this prompt alone.
    let elsewhere = json!({ "name": "review", "arguments": { "code": "x" }, "requestState": state, "inputResponses": answers });
    let refused = wire.request("prompts/get", elsewhere).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let again = json!({ "name": "asking", "requestState": state, "inputResponses": answers });
    let written = wire.request("prompts/get", again).await;
    assert_eq!(
        written["messages"][0]["content"]["text"], r#"{"topic":"crabs"}"#,
        "{written}"
    );
    // What a client knows that it will be asked it may answer at once.
    let ahead = json!({ "name": "asking", "inputResponses": answers });
    let written = wire.request("prompts/get", ahead).await;
    assert_eq!(
        written["messages"][0]["content"]["text"], r#"{"topic":"crabs"}"#,
        "{written}"
    );
    // And one that cannot be asked is told what it lacks.
    let mut mute = WireClient::connect_modern(&server, json!({}));
    let refused = mute
        .request("prompts/get", json!({ "name": "asking" }))
        .await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
}

#[tokio::test]
async fn arguments_are_completed_and_a_replaced_list_is_told() {
    let (server, prompts) = server();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let complete = |name: &str, argument: &str| {
        json!({
            "ref": { "type": "ref/prompt", "name": name },
            "argument": { "name": argument, "value": "ru" },
        })
    };
    let completed = wire
        .request("completion/complete", complete("review", "language"))
        .await;
    assert_eq!(
        completed["completion"]["values"],
        json!(["rust", "ruby"]),
        "{completed}"
    );
    let none = wire
        .request("completion/complete", complete("review", "other"))
        .await;
    assert_eq!(none["completion"]["values"], json!([]), "{none}");
    let refused = wire
        .request("completion/complete", complete("nothing", "x"))
        .await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    prompts.replace([review()]);
    let told = wire
        .next_matching(|message| message.get("id").is_none())
        .await;
    assert_eq!(told["method"], "notifications/prompts/list_changed");
}
