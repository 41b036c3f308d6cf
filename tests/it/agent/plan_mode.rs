//! Plan mode: nothing changes until the user approves the plan.

use std::fs;
use std::sync::{Arc, Mutex};

use helve::permission::{Mode, PRESENT_PLAN, Policy, Rule, RuleScope, Rules};

use super::*;

const PLAN: &str = "1. Delete `a`.\n2. Run the tests.";

fn present() -> (&'static str, serde_json::Value) {
    (PRESENT_PLAN, json!({ "plan": PLAN }))
}

fn deletion() -> (&'static str, serde_json::Value) {
    ("delete", json!({ "path": "a" }))
}

fn edits_accepted() -> Decision {
    Decision::AllowAlways {
        rules: Vec::new(),
        scope: RuleScope::Session,
        message: None,
    }
}

/// An agent in plan mode that tries to delete a file, presents its plan, and tries again.
fn planner(policy: Policy) -> Agent {
    let model = ScriptedModel::new()
        .calls([deletion()])
        .calls([present()])
        .calls([deletion()])
        .say("Done.");
    Agent::new("main", model).toolset(tools()).policy(policy)
}

/// Answers the plan with a decision and everything else with a rejection, and keeps what was asked.
fn answering(agent: Agent, decision: Decision) -> (Agent, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    let agent = agent.approve_with(move |question| {
        let line = format!("{}: {}", question.tool, question.ends_plan);
        kept.lock().unwrap().push(line);
        match question.ends_plan {
            true => decision.clone(),
            false => Decision::reject_once(),
        }
    });
    (agent, asked)
}

async fn run(agent: &Agent) -> helve::agent::TurnReport {
    let context = ToolContext::new();
    agent.run(vec![Message::user("go")], &context, |_| {}).await
}

#[tokio::test]
async fn nothing_changes_before_the_plan_is_approved() {
    let (agent, asked) = answering(planner(Policy::new(Mode::Plan)), Decision::allow_once());
    let report = run(&agent).await;
    assert_eq!(report.approved_mode, Some(Mode::Default));
    let results = results(&report.messages);
    assert_eq!(
        results[0],
        "!Tool call denied: it does more than read, and the mode is `plan`"
    );
    assert_eq!(
        results[1],
        "The user approved the plan. Plan mode has ended: carry the plan out."
    );
    // After the approval, a change asks as in the default mode.
    assert_eq!(results[2], "!Tool call rejected by user");
    let asked = asked.lock().unwrap().clone();
    assert_eq!(asked, ["present_plan: true", "delete: false"]);
}

#[tokio::test]
async fn a_rejected_plan_changes_nothing() {
    let decision = Decision::reject_with_message("keep `a`");
    let (agent, asked) = answering(planner(Policy::new(Mode::Plan)), decision);
    let report = run(&agent).await;
    assert_eq!(report.approved_mode, None);
    let results = results(&report.messages);
    assert_eq!(results[1], "!Tool call rejected by user: keep `a`");
    assert!(results[2].starts_with("!Tool call denied: "), "{results:?}");
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_approval_accepts_edits_if_it_says_so() {
    let (agent, _) = answering(planner(Policy::new(Mode::Plan)), edits_accepted());
    assert_eq!(run(&agent).await.approved_mode, Some(Mode::AcceptEdits));
}

#[tokio::test]
async fn no_rule_answers_for_the_user() {
    let allow = Rules::new().allow(Rule::tool("*"));
    let policy = Policy::new(Mode::Plan).rules(allow);
    let report = run(&planner(policy.clone())).await;
    assert_eq!(report.approved_mode, None);
    let told = results(&report.messages);
    assert!(
        told.iter()
            .all(|result| result.starts_with("!Tool call denied: ")),
        "{told:?}"
    );
    let (agent, asked) = answering(planner(policy), Decision::allow_once());
    assert_eq!(run(&agent).await.approved_mode, Some(Mode::Default));
    assert_eq!(asked.lock().unwrap()[0], "present_plan: true");

    let deny = Rules::new().deny(Rule::tool(PRESENT_PLAN));
    let (agent, asked) = answering(
        planner(Policy::new(Mode::Plan).rules(deny)),
        Decision::allow_once(),
    );
    assert_eq!(run(&agent).await.approved_mode, None);
    assert!(asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_stricter_ceiling_is_not_lifted() {
    let policy = Policy::new(Mode::Plan).with_ceiling(&Policy::new(Mode::Explore));
    let (agent, asked) = answering(planner(policy), edits_accepted());
    let report = run(&agent).await;
    assert_eq!(report.approved_mode, None);
    assert!(asked.lock().unwrap().is_empty());
    let told = results(&report.messages);
    assert!(told[2].starts_with("!Tool call denied: "), "{told:?}");
}

#[tokio::test]
async fn the_tool_is_there_in_plan_mode_alone() {
    for (mode, is_there) in [
        (Mode::Plan, true),
        (Mode::Explore, false),
        (Mode::Bypass, false),
    ] {
        let model = Arc::new(ScriptedModel::new().calls([present()]).say("Done."));
        let agent = Agent::with_model("main", model.clone()).policy(Policy::new(mode));
        let report = run(&agent).await;
        let offered = model.requests()[0]
            .tools
            .iter()
            .any(|tool| &*tool.name == PRESENT_PLAN);
        assert_eq!(offered, is_there, "{mode}");
        assert_eq!(report.approved_mode, None);
    }
}

#[tokio::test]
async fn a_delegate_neither_changes_anything_nor_ends_plan_mode() {
    let helper = ScriptedModel::new()
        .calls([deletion()])
        .calls([present()])
        .calls([deletion()])
        .say("Done.");
    let helper = Agent::new("helper", helper)
        .toolset(tools())
        .policy(Policy::new(Mode::Bypass));
    let task = json!({ "agent": "helper", "prompt": "Delete it." });
    let main = ScriptedModel::new().calls([("task", task)]).say("Done.");
    let main = Agent::new("main", main)
        .policy(Policy::new(Mode::Plan))
        .delegate(helper);
    let (agent, asked) = answering(main, edits_accepted());
    let events = EventLog::default();
    let context = ToolContext::new();
    let report = agent
        .run(vec![Message::user("go")], &context, events.listener())
        .await;
    assert_eq!(report.approved_mode, None);
    assert!(asked.lock().unwrap().is_empty());
    let results = events.events().into_iter();
    let refused = results
        .filter(|event| event["agent"] == "helper" && event["type"] == "tool_result")
        .filter(|event| event["is_error"] == true);
    assert_eq!(refused.count(), 3);
}

#[tokio::test]
async fn an_approval_does_not_lift_the_plan_mode_that_a_delegate_has_itself() {
    let plan = Policy::new(Mode::Plan);
    for (policy, expected) in [
        (
            Policy::new(Mode::Plan),
            "!Tool call denied: it does more than read, and the mode is `plan`",
        ),
        // The policy of the session itself.
        (plan.clone(), "!Tool call rejected by user"),
        (Policy::new(Mode::Bypass), "!Tool call rejected by user"),
    ] {
        let reviewer = Arc::new(ScriptedModel::new().calls([deletion()]).say("Done."));
        let agent = Agent::with_model("reviewer", reviewer.clone());
        let task = json!({ "agent": "reviewer", "prompt": "Delete it." });
        let main = ScriptedModel::new()
            .calls([present()])
            .calls([("task", task)])
            .say("Done.");
        let main = Agent::new("main", main)
            .policy(plan.clone())
            .delegate(agent.toolset(tools()).policy(policy));
        let (agent, _) = answering(main, edits_accepted());
        assert_eq!(run(&agent).await.approved_mode, Some(Mode::AcceptEdits));
        let read = results(&reviewer.requests()[1].messages);
        assert_eq!(read, [expected]);
    }
}

#[tokio::test]
async fn an_approved_plan_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let plans = folder.path().join("plans");
    let agent = planner(Policy::new(Mode::Plan)).plan_folder(&plans);
    let (agent, _) = answering(agent, Decision::allow_once());
    let report = run(&agent).await;
    let stored = plans.join("t1.md");
    assert_eq!(fs::read_to_string(&stored).unwrap(), format!("{PLAN}\n"));
    let told = results(&report.messages);
    assert!(told[1].contains(&*stored.to_string_lossy()), "{told:?}");
}
