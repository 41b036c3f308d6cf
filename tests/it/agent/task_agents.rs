//! Agents that are found by name, or defined in a call: they do no more than whoever chose them.

use helve::agent::AgentSource;
use helve::permission::{Mode, Policy};
use helve::transcript::AgentId;

use super::tasks::{agent, answers, calling};
use super::*;

fn deleting() -> ScriptedModel {
    ScriptedModel::new()
        .call("delete", json!({ "path": "a" }))
        .say("I tried.")
}

/// What the calls came to, of all agents.
async fn outcomes(agent: &Agent) -> Vec<String> {
    let told = EventLog::default();
    let prompt = vec![Message::user("go")];
    agent
        .run(prompt, &ToolContext::new(), told.listener())
        .await;
    let events = told.events().into_iter();
    let results = events.filter(|event| event["type"] == "tool_result");
    let text = |event: serde_json::Value| {
        format!("{}: {}", event["agent"], event["content"][0]["text"]).replace('"', "")
    };
    results.map(text).collect()
}

#[tokio::test]
async fn a_caller_restricts_the_tools_of_a_task_and_extends_nothing() {
    let task = |tools: &[&str]| json!({ "agent": "helper", "prompt": "Go.", "tools": tools });
    for tools in [&["add"][..], &[]] {
        let main = agent("main", calling(task(tools))).delegate(agent("helper", deleting()));
        let outcomes = outcomes(&main).await;
        assert!(
            outcomes[0].starts_with("helper: unknown tool `delete`"),
            "{outcomes:?}"
        );
    }
    let main = agent("main", calling(task(&["delete"]))).delegate(agent("helper", deleting()));
    assert_eq!(outcomes(&main).await[0], "helper: deleted a");
}

#[tokio::test]
async fn an_agent_that_the_model_defines_may_what_its_maker_may() {
    let task = json!({ "agent": "eraser", "prompt": "Go.", "instructions": "You erase." });
    // One script is that of both agents, since the new one has the model of its maker.
    let script = || {
        ScriptedModel::new()
            .call("task", task.clone())
            .call("delete", json!({ "path": "a" }))
            .say("Erased.")
            .say("Done.")
    };
    let main = agent("main", script()).define_agents(true);
    assert_eq!(
        outcomes(&main).await,
        ["eraser: deleted a", "main: Erased."]
    );
    // A reviewer that only reads makes nobody that writes, and neither does one in a strict mode.
    let reviewer = agent("main", script())
        .toolset(toolset![add])
        .define_agents(true);
    assert!(!outcomes(&reviewer).await[0].contains("deleted"));
    let explorer = agent("main", script()).policy(Policy::new(Mode::Explore));
    let outcomes = outcomes(&explorer.define_agents(true)).await;
    assert!(
        outcomes[0].starts_with("eraser: Tool call denied"),
        "{outcomes:?}"
    );
    let task = json!({ "agent": "helper", "prompt": "Go.", "instructions": "You erase." });
    let main = agent("main", calling(task)).define_agents(true);
    let main = main.delegate(agent("helper", ScriptedModel::new()));
    insta::assert_snapshot!(answers(&main).await[0], @"!the task was not started: there is an agent `helper` already: choose another name, or leave out `instructions`");
}

/// Finds two agents that hand every task to each other.
struct Circle;

impl AgentSource for Circle {
    fn list(&self) -> Vec<(AgentId, String)> {
        vec![
            ("a".into(), "hands on".into()),
            ("b".into(), "hands on".into()),
        ]
    }

    fn find(&self, name: &AgentId) -> Option<Agent> {
        let next = match &**name {
            "a" => "b",
            "b" => "a",
            "self" => "self",
            _ => return None,
        };
        let task = json!({ "agent": next, "prompt": "Go on." });
        Some(agent(name, calling(task)).delegate_from(Self))
    }
}

#[tokio::test]
async fn agents_that_hand_a_task_round_end_at_the_depth() {
    let a = Circle.find(&"a".into()).unwrap();
    insta::assert_debug_snapshot!(outcomes(&a).await, @r#"
    [
        "b: the task was not started: the delegation depth limit is reached: do the task yourself",
        "a: Done.",
        "b: Done.",
        "a: Done.",
    ]
    "#);
    let alone = Circle.find(&"self".into()).unwrap();
    assert_eq!(
        outcomes(&alone).await,
        ["self: the task was not started: an agent cannot delegate a task to itself"]
    );
}

/// Finds a coordinator that has an agent of its own, which deletes.
struct Staff;

impl AgentSource for Staff {
    fn list(&self) -> Vec<(AgentId, String)> {
        Vec::new()
    }

    fn find(&self, name: &AgentId) -> Option<Agent> {
        let task = json!({ "agent": "eraser", "prompt": "Erase." });
        let coordinator = agent(name, calling(task)).delegate(agent("eraser", deleting()));
        (&**name == "coordinator").then_some(coordinator)
    }
}

#[tokio::test]
async fn whoever_is_found_by_name_has_no_tool_that_the_finder_lacks_and_neither_have_its_own() {
    let task = || json!({ "agent": "coordinator", "prompt": "Go." });
    let finder = agent("main", calling(task())).delegate_from(Staff);
    assert_eq!(outcomes(&finder).await[0], "eraser: deleted a");
    let reader = agent("main", calling(task()))
        .toolset(toolset![add])
        .delegate_from(Staff);
    insta::assert_debug_snapshot!(outcomes(&reader).await, @r#"
    [
        "eraser: Tool call denied: the delegating agent does not have this tool (from the policy of the delegating agent)",
        "coordinator: I tried.",
        "main: Done.",
    ]
    "#);
}
