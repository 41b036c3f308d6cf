//! Agents that hand tasks to agents.

use helve::agent::session::{Posting, Sessions};
use helve::agent::{TurnStatus, WaitMode};
use helve::permission::DeferAll;

use super::support::{
    Log, ObservedStore, address, assert_valid, begin, reload, resume, say, session,
};
use super::*;

/// Marks a key once; what it is called with does not matter.
#[tool(destructive)]
fn stamp(cx: &ToolContext, log: &Log) -> &'static str {
    log.add(format!("stamped: {}", cx.idempotency_key().unwrap()));
    "stamped"
}

fn delegating(script: ScriptedModel, helper: Agent) -> Agent {
    Agent::new("main", script).delegate(helper)
}

fn helper(script: ScriptedModel, approver: impl Approver + 'static) -> Agent {
    Agent::new("helper", script)
        .toolset(toolset![stamp, add])
        .approver(approver)
}

fn task() -> (&'static str, serde_json::Value) {
    ("task", json!({ "agent": "helper", "prompt": "Stamp it." }))
}

fn yes() -> FixedApprover {
    FixedApprover(Decision::allow_once())
}

#[tokio::test]
async fn a_delegate_works_in_a_turn_of_its_own_and_everything_names_it() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let context = helve::testing::context_with(store.log.clone());
    let script = ScriptedModel::new()
        .call("stamp", json!({}))
        .say("I stamped it.");
    let agent = delegating(
        ScriptedModel::new().calls([task()]).say("Done."),
        helper(script, yes()),
    );
    let told = EventLog::default();
    let report = agent.run_in(
        &mut conversation,
        Message::user("go"),
        &context,
        told.listener(),
    );
    let report = report.await.unwrap();
    assert_eq!(results(&report.messages), ["I stamped it."]);
    assert_eq!(report.totals.model_calls, 4, "a delegate's calls count");
    assert_eq!(store.log.count("stamped: s/t1/1.0/1.0"), 1);
    let told = told.events();
    let of_helper = told.iter().filter(|event| event["agent"] == "helper");
    for event in of_helper.clone() {
        assert_eq!(event["turn"], "t1/1.0", "{event}");
        assert_eq!(event["parent_call"], "t1/1.0", "{event}");
    }
    let results: Vec<_> = of_helper
        .filter(|event| event["type"] == "tool_result")
        .collect();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["key"], "t1/1.0/1.0");
    assert_valid(&sessions, conversation.messages()).await;
}

#[tokio::test]
async fn a_delegate_gets_what_its_turn_has_left() {
    let again = |model: ScriptedModel, n: i64| model.call("add", json!({ "a": n, "b": 1 }));
    let busy = (0..9).fold(ScriptedModel::new(), again);
    let agent = delegating(
        ScriptedModel::new().calls([task()]).say("It ran out."),
        helper(busy, yes()),
    );
    let agent = agent.bounds(Bounds::new(5));
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await;
    assert_eq!(report.end(), Some(EndReason::Finished));
    assert_eq!(report.totals.model_calls, 5);
    insta::assert_debug_snapshot!(results(&report.messages), @r#"
    [
        "!The agent did not finish: the bound on model calls was reached (used: 3 model calls, 3 tool calls, 0 tokens). Its last message: (The turn ended here: the bound on model calls was reached.)",
    ]
    "#);
}

#[tokio::test]
async fn a_delegate_that_waits_is_left_and_gone_on_with_and_its_answer_finds_it() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let context = helve::testing::context_with(store.log.clone());
    let add = json!({ "a": 1, "b": 1 });
    let first = ScriptedModel::new()
        .call("add", add)
        .call("stamp", json!({}));
    let agent = delegating(
        ScriptedModel::new().calls([task()]),
        helper(first, DeferAll),
    );
    let report = say(&agent, &mut conversation, &context).await;
    let waiting = TurnStatus::Waiting {
        approvals: vec![address("t1/1.0/2.0")],
        external: Vec::new(),
    };
    assert_eq!(report.status, waiting);
    let rest = || {
        delegating(
            ScriptedModel::new().say("Done."),
            helper(ScriptedModel::new().say("I stamped it."), DeferAll),
        )
    };
    // Nothing has come yet, in this process and in another: it waits on, and nothing is done again.
    let report = resume(&rest(), &mut conversation, &context).await;
    assert_eq!(report.status, waiting);
    let mut conversation = reload(&sessions, conversation).await;
    let report = resume(&rest(), &mut conversation, &context).await;
    assert_eq!(report.status, waiting);
    let call = address("t1/1.0/2.0");
    let decision = Decision::allow_once();
    sessions
        .post(&session(), Posting::Answer { call, decision })
        .await
        .unwrap();
    let report = resume(&rest(), &mut conversation, &context).await;
    assert_eq!(report.end(), Some(EndReason::Finished));
    assert_eq!(results(&report.messages), ["I stamped it."]);
    assert_eq!(store.log.count("stamped: s/t1/1.0/2.0"), 1);
    assert_eq!(store.log.count("written: begun t1/1.0"), 1);
    assert_valid(&sessions, conversation.messages()).await;
}

#[tokio::test(start_paused = true)]
async fn a_delegate_of_a_turn_that_stays_stays_too() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let context = helve::testing::context_with(store.log.clone());
    let script = ScriptedModel::new()
        .call("stamp", json!({}))
        .say("I stamped it.");
    let agent = delegating(
        ScriptedModel::new().calls([task()]).say("Done."),
        helper(script, DeferAll),
    );
    let agent = agent.wait_mode(WaitMode::Block);
    let asked = Arc::new(Notify::new());
    let (tells, call) = (asked.clone(), address("t1/1.0/1.0"));
    let listener = move |event: AgentEvent| {
        let event = serde_json::to_value(&event).unwrap();
        if event["type"] == "approval_requested" {
            tells.notify_one();
        }
    };
    let post = async {
        asked.notified().await;
        let decision = Decision::allow_once();
        sessions
            .post(&session(), Posting::Answer { call, decision })
            .await
            .unwrap();
    };
    let turn = agent.run_in(&mut conversation, Message::user("go"), &context, listener);
    let (report, ()) = tokio::join!(turn, post);
    assert_eq!(results(&report.unwrap().messages), ["I stamped it."]);
}

#[tokio::test]
async fn a_crash_between_a_delegates_end_and_its_outcome_repeats_nothing() {
    let script = || {
        ScriptedModel::new()
            .call("stamp", json!({}))
            .say("I stamped it.")
    };
    let whole = ObservedStore::default();
    let context = helve::testing::context_with(whole.log.clone());
    let main = || ScriptedModel::new().calls([task()]).say("Done.");
    let agent = delegating(main(), helper(script(), yes()));
    say(
        &agent,
        &mut begin(&Sessions::new(whole.clone())).await,
        &context,
    )
    .await;
    for full_at in 2..=whole.writings() {
        let store = ObservedStore::default();
        let sessions = Sessions::new(store.clone());
        let mut conversation = begin(&sessions).await;
        let context = helve::testing::context_with(store.log.clone());
        store.fail_from(full_at);
        let agent = delegating(main(), helper(script(), yes()));
        say(&agent, &mut conversation, &context).await;
        store.fail_from(0);
        let mut conversation = reload(&sessions, conversation).await;
        let written = |what: &str| store.log.count(what) > 0;
        let main = match written("written: model_done t1/1/reply") {
            true => ScriptedModel::new().say("Done."),
            false => main(),
        };
        let script = match (
            written("written: model_done t1/1.0/1/reply"),
            written("written: model_done t1/1.0/2/reply"),
        ) {
            (_, true) => ScriptedModel::new(),
            (true, _) => ScriptedModel::new().say("I stamped it."),
            (false, _) => script(),
        };
        let agent = delegating(main, helper(script, yes()));
        let report = resume(&agent, &mut conversation, &context).await;
        assert_eq!(report.end(), Some(EndReason::Finished), "full at {full_at}");
        let stamps = store.log.count("stamped: s/t1/1.0/1.0");
        assert!(stamps <= 1, "full at {full_at}: {stamps} stamps");
        assert_eq!(
            results(&report.messages),
            ["I stamped it."],
            "full at {full_at}"
        );
        assert_valid(&sessions, conversation.messages()).await;
    }
}

#[tokio::test]
async fn what_somebody_grants_a_delegate_holds_in_the_whole_session() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let log = Log::default();
    let context = helve::testing::context_with(log.clone());
    let granted = Decision::AllowAlways {
        rules: vec!["stamp".parse().unwrap()],
        scope: helve::permission::RuleScope::Session,
        message: None,
    };
    let script = ScriptedModel::new()
        .call("stamp", json!({}))
        .say("Stamped.");
    // The delegating agent has no approver that it could ask.
    let agent = delegating(
        ScriptedModel::new()
            .calls([task()])
            .call("stamp", json!({}))
            .say("Both stamped."),
        helper(script, FixedApprover(granted)),
    )
    .toolset(toolset![stamp]);
    let report = agent.run_in(&mut conversation, Message::user("go"), &context, |_| {});
    let report = report.await.unwrap();
    assert_eq!(results(&report.messages), ["Stamped.", "stamped"]);
    assert_eq!(log.count("stamped: s/t1/2.0"), 1);
}

#[tokio::test]
async fn a_delegation_that_was_planned_before_a_restart_is_judged_again() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let context = helve::testing::context_with(store.log.clone());
    let rules = |rules| helve::permission::Policy::default().rules(rules);
    let asks = helve::permission::Rules::new().ask("task".parse().unwrap());
    let agent = delegating(
        ScriptedModel::new().calls([task()]),
        helper(ScriptedModel::new(), yes()),
    );
    let agent = agent.policy(rules(asks)).approver(DeferAll);
    let report = say(&agent, &mut conversation, &context).await;
    assert!(matches!(report.status, TurnStatus::Waiting { .. }));
    let mut conversation = reload(&sessions, conversation).await;
    let (call, decision) = (address("t1/1.0"), Decision::allow_once());
    sessions
        .post(&session(), Posting::Answer { call, decision })
        .await
        .unwrap();
    let denies = helve::permission::Rules::new().deny("task".parse().unwrap());
    let agent = delegating(
        ScriptedModel::new().say("Then not."),
        helper(ScriptedModel::new().say("I stamped it."), yes()),
    );
    let agent = agent.policy(rules(denies));
    let report = resume(&agent, &mut conversation, &context).await;
    assert_eq!(
        results(&report.messages),
        ["!Tool call denied: the rule `task` denies it"]
    );
    assert_eq!(store.log.count("written: begun t1/1.0"), 0);
}
