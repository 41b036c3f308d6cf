//! One prompt and its answer, as text and as a value, and how much a program names of helve that embeds an agent.

use std::collections::BTreeMap;

use helve::agent::turn::{Bounds, EndReason};
use helve::agent::{AgentEvent, AskError, EventKind, TurnStatus};
use helve::model::{self, ModelError, ModelRequest, Reply};
use helve::permission::Decision;
use helve::{Value, data};
use syn::{Item, UseTree};

use super::*;

/// A city.
#[data]
#[derive(Debug, PartialEq)]
#[serde(deny_unknown_fields)]
struct City {
    name: String,
    /// The number of inhabitants.
    inhabitants: u64,
}

fn paris() -> City {
    let (name, inhabitants) = ("Paris".to_owned(), 2_100_000);
    City { name, inhabitants }
}

/// Returns an agent whose model gives these texts as its replies, and the requests that the model gets.
fn agent_that_says(texts: &[&str]) -> (Agent, Arc<ScriptedModel>) {
    let model = texts
        .iter()
        .fold(ScriptedModel::new(), |model, text| model.say(*text));
    let model = Arc::new(model);
    (Agent::with_model("main", Arc::clone(&model) as _), model)
}

fn last_text(request: &ModelRequest) -> String {
    match request.messages.last() {
        Some(Message::User { content }) => match &content[..] {
            [ContentBlock::Text { text, .. }] => text.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_prompt_is_answered_with_text() {
    let model = ScriptedModel::new()
        .call("add", json!({ "a": 2, "b": 3 }))
        .say("It is 5.");
    let agent = Agent::new("main", model).toolset(toolset![add]);
    assert_eq!(agent.ask("2 + 3?").await.unwrap(), "It is 5.");
}

#[tokio::test]
async fn the_context_and_the_events_are_those_of_the_caller() {
    let model = ScriptedModel::new().call("meet", json!({})).say("We met.");
    let agent = Agent::new("main", model).toolset(toolset![meet]);
    let mut state = State::new();
    state.insert(Barrier::new(1));
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let told = Arc::new(Mutex::new(Vec::new()));
    let names = Arc::clone(&told);
    let receive = move |event: AgentEvent| {
        if let EventKind::ToolCall { name, .. } = event.kind {
            names.lock().unwrap().push(name.to_string());
        }
    };
    let answer = agent.ask("Meet.").context(&context).on_event(receive).await;
    assert_eq!(answer.unwrap(), "We met.");
    assert_eq!(*told.lock().unwrap(), ["meet"]);
}

#[tokio::test]
async fn an_unfinished_turn_is_an_error_with_its_report() {
    let agent = Agent::new("main", ScriptedModel::new().fail("overloaded"));
    let error = agent.ask("Hello").await.unwrap_err();
    insta::assert_snapshot!(error, @"the agent did not finish: the model failed: the model could not reply: overloaded");
    let AskError::Unfinished(report) = error else {
        panic!("{error:?}")
    };
    assert_eq!(report.end(), Some(EndReason::ModelFailed));

    let model = ScriptedModel::new().call("add", json!({ "a": 2, "b": 3 }));
    let agent = Agent::new("main", model).toolset(toolset![add]);
    let error = agent
        .bounds(Bounds::new(1))
        .ask("2 + 3?")
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"the agent did not finish: the bound on model calls was reached");
}

#[tokio::test]
async fn a_turn_that_waits_for_somebody_is_an_error() {
    let model = ScriptedModel::new().call("delete", json!({ "path": "a" }));
    let agent = Agent::new("main", model).toolset(toolset![delete]);
    let agent = agent.approver(helve::permission::DeferAll);
    let error = agent.ask("Delete a.").await.unwrap_err();
    insta::assert_snapshot!(error, @"the agent waits for an answer or a result from outside of the process; `Agent::run_in` records such a turn, and `Agent::resume` continues it");
    let AskError::Unfinished(report) = error else {
        panic!("{error:?}")
    };
    assert!(matches!(report.status, TurnStatus::Waiting { .. }));
}

#[tokio::test]
async fn an_answer_is_a_value_of_the_requested_type() {
    let (agent, model) = agent_that_says(&[r#"{ "name": "Paris", "inhabitants": 2100000 }"#]);
    let city = agent.ask_for::<City>("The capital of France?").await;
    assert_eq!(city.unwrap(), paris());
    let output = model.requests()[0].options.output.clone().unwrap();
    assert_eq!(&*output.name, "City");
    assert_eq!(
        output.schema.value()["required"],
        json!(["name", "inhabitants"])
    );
}

#[tokio::test]
async fn an_answer_with_one_possible_meaning_needs_no_second_turn() {
    let answer = "```json\n{ \"name\": \"Paris\", \"inhabitants\": \"2100000\" }\n```";
    let (agent, model) = agent_that_says(&[answer]);
    assert_eq!(agent.ask_for::<City>("?").await.unwrap(), paris());
    assert_eq!(model.used(), 1);
}

#[tokio::test]
async fn the_model_is_told_its_mistakes_once() {
    let wrong = r#"{ "name": "Paris", "population": 1 }"#;
    let right = r#"{ "name": "Paris", "inhabitants": 2100000 }"#;
    let (agent, model) = agent_that_says(&[wrong, right]);
    assert_eq!(agent.ask_for::<City>("?").await.unwrap(), paris());
    let requests = model.requests();
    assert_eq!(requests[1].messages.len(), 3);
    insta::assert_snapshot!(last_text(&requests[1]), @r#"
    The answer does not match the required format:
    - `/population`: expected one of the keys `name`, `inhabitants`, got the unknown key `population` with the number 1
    - `/inhabitants`: expected an integer of at least 0 (The number of inhabitants), got nothing; this key is required

    Answer again with one JSON object that matches this JSON Schema, and nothing else:
    {"type":"object","description":"A city.","properties":{"name":{"type":"string"},"inhabitants":{"type":"integer","description":"The number of inhabitants.","minimum":0}},"required":["name","inhabitants"],"additionalProperties":false}
    "#);

    let (agent, model) = agent_that_says(&[wrong, "Paris!", right]);
    let error = agent.ask_for::<City>("?").await.unwrap_err();
    insta::assert_snapshot!(error, @"the answer does not match the requested type: the answer: expected a JSON object, got text that is not JSON: expected value at line 1 column 1, near `Paris!`");
    let AskError::InvalidAnswer { answer, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!((&*answer, model.used()), ("Paris!", 2));
}

#[tokio::test]
async fn a_value_that_is_no_object_is_below_a_key() {
    let (agent, model) = agent_that_says(&[r#"{ "value": ["Paris", "Rome"] }"#]);
    let cities = agent.ask_for::<Vec<String>>("Two capitals?").await;
    assert_eq!(cities.unwrap(), ["Paris", "Rome"]);
    let output = model.requests()[0].options.output.clone().unwrap();
    assert_eq!(
        output.schema.value()["properties"]["value"]["type"],
        "array"
    );

    let (agent, _) = agent_that_says(&[r#"{ "value": null }"#]);
    assert_eq!(agent.ask_for::<Option<u8>>("?").await.unwrap(), None);
    let (agent, _) = agent_that_says(&[r#"{ "a": 1 }"#]);
    let map = agent.ask_for::<BTreeMap<String, u8>>("?").await.unwrap();
    assert_eq!(map, BTreeMap::from([("a".to_owned(), 1)]));
}

#[tokio::test]
async fn a_function_is_a_model_and_another_one_an_approver() {
    let model = model::from_fn(|request: ModelRequest| async move {
        Ok::<_, ModelError>(match &request.messages[..] {
            [_] => Reply::from("Deleting.").with_call("c1", "delete", &json!({ "path": "a" })),
            [.., Message::Tool { content }] => Reply::from(content.len().to_string()),
            _ => Reply::from("?"),
        })
    });
    let agent = Agent::new("main", model).toolset(toolset![delete]);
    let agent = agent.approve_with(|question| match &*question.tool {
        "delete" => Decision::allow_once(),
        _ => Decision::reject_with_message("no"),
    });
    let told = Arc::new(Mutex::new(Vec::<Value>::new()));
    let events = Arc::clone(&told);
    let receive = move |event| events.lock().unwrap().push(json!(event));
    assert_eq!(agent.ask("Delete a.").on_event(receive).await.unwrap(), "1");
    let results = told.lock().unwrap();
    let results = results
        .iter()
        .filter(|event| event["type"] == "tool_result");
    let results: Vec<_> = results.map(|event| event["is_error"].clone()).collect();
    assert_eq!(results, [json!(false)]);
}

/// Adds the names of an import to a list.
fn add_names(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => add_names(&path.tree, names),
        UseTree::Group(group) => group.items.iter().for_each(|tree| add_names(tree, names)),
        UseTree::Name(name) => names.push(name.ident.to_string()),
        UseTree::Rename(name) => names.push(name.ident.to_string()),
        UseTree::Glob(_) => panic!("a glob hides how many names there are"),
    }
}

#[test]
fn embedding_an_agent_takes_ten_types() {
    let text = include_str!("../../../examples/embed.rs");
    let mut names = Vec::new();
    let mut body = text.to_owned();
    for item in syn::parse_file(text).unwrap().items {
        if let Item::Use(import) = item
            && let UseTree::Path(path) = &import.tree
            && path.ident == "helve"
        {
            add_names(&path.tree, &mut names);
        }
    }
    // Every other mention would be one more that is not counted.
    body.retain(|c| !c.is_whitespace());
    assert_eq!(
        body.matches("helve::").count(),
        body.matches("usehelve::").count()
    );
    names.retain(|name| name.starts_with(char::is_uppercase));
    names.sort();
    assert_eq!(
        names,
        [
            "Agent",
            "BoxFuture",
            "Decision",
            "DynamicTool",
            "Hook",
            "Next",
            "Origin",
            "Reply",
            "ToolList",
            "Toolset"
        ]
    );
}
