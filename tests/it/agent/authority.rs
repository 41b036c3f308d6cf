//! What agents may do that work for others: never more than those above them.

use helve::agent::session::{Posting, Sessions};
use helve::agent::{CallSite, Hook, Next, TurnStatus};
use helve::permission::{DeferAll, Mode, Policy, Rule, Rules, Verdict};
use helve::tool::ToolResult;
use helve::toolset::ToolFilter;

use super::support::{Log, ObservedStore, address, begin, reload, resume, say, session};
use super::*;

fn bypassing(name: &str, script: ScriptedModel) -> Agent {
    Agent::new(name, script)
        .toolset(tools())
        .policy(Policy::new(Mode::Bypass))
}

fn deleting() -> ScriptedModel {
    ScriptedModel::new()
        .call("delete", json!({ "path": "a" }))
        .say("It is gone.")
}

fn handing_to(agent: &str) -> ScriptedModel {
    let task = json!({ "agent": agent, "prompt": "Delete it." });
    ScriptedModel::new().calls([("task", task)]).say("Done.")
}

/// What the calls of all agents came to.
fn outcomes(told: &EventLog) -> Vec<String> {
    let results = told.events().into_iter();
    let results = results.filter(|event| event["type"] == "tool_result");
    results
        .map(|event| {
            format!("{}: {}", event["agent"], event["content"][0]["text"]).replace('"', "")
        })
        .collect()
}

async fn run(agent: &Agent) -> EventLog {
    let told = EventLog::default();
    let context = ToolContext::new();
    agent
        .run(vec![Message::user("go")], &context, told.listener())
        .await;
    told
}

#[tokio::test]
async fn a_delegate_does_nothing_that_its_caller_may_not() {
    let deny = Rules::new().deny(Rule::tool("delete"));
    for policy in [
        Policy::new(Mode::Explore),
        Policy::new(Mode::DontAsk),
        Policy::new(Mode::Default),
        Policy::new(Mode::Bypass).rules(deny),
    ] {
        let mode = policy.current_mode();
        let agent = Agent::new("main", handing_to("helper"))
            .policy(policy)
            .delegate(bypassing("helper", deleting()));
        let outcomes = outcomes(&run(&agent).await);
        assert_eq!(outcomes.len(), 2, "{mode}: {outcomes:?}");
        assert!(
            outcomes[0].starts_with("helper: Tool call denied: "),
            "{mode}: {outcomes:?}"
        );
    }
    // What the caller may, the delegate may.
    let allow = Rules::new().allow(Rule::tool("delete"));
    let agent = Agent::new("main", handing_to("helper"))
        .policy(Policy::new(Mode::DontAsk).rules(allow))
        .delegate(bypassing("helper", deleting()));
    let outcomes = outcomes(&run(&agent).await);
    assert_eq!(outcomes, ["helper: deleted a", "main: It is gone."]);
}

#[tokio::test]
async fn no_delegate_has_a_tool_that_the_session_filters_out() {
    let agent = |filter: ToolFilter| {
        let helper = bypassing("helper", handing_to("worker"))
            .filter(ToolFilter::new().without(["delete"]))
            .delegate(bypassing("worker", deleting()));
        Agent::new("main", handing_to("helper"))
            .policy(Policy::new(Mode::Bypass))
            .filter(filter)
            .delegate(helper)
    };
    let filtered = outcomes(&run(&agent(ToolFilter::new().without(["delete"]))).await);
    assert!(
        filtered[0].starts_with("worker: unknown tool `delete`"),
        "{filtered:?}"
    );
    let filtered = outcomes(&run(&agent(ToolFilter::new().tools(["add"]))).await);
    assert!(!filtered[0].contains("deleted"), "{filtered:?}");
    // What a delegate leaves out itself binds none that it was declared to hand tasks to.
    let open = outcomes(&run(&agent(ToolFilter::new().without(["add"]))).await);
    assert_eq!(open[0], "worker: deleted a");
}

#[tokio::test]
async fn whoever_works_for_a_delegate_is_bound_by_the_session_too() {
    let worker = bypassing("worker", deleting());
    let helper = bypassing("helper", handing_to("worker")).delegate(worker);
    let agent = Agent::new("main", handing_to("helper"))
        .policy(Policy::new(Mode::Explore))
        .delegate(helper);
    let told = run(&agent).await;
    insta::assert_debug_snapshot!(outcomes(&told), @r#"
    [
        "worker: Tool call denied: it does more than read, and the mode is `explore` (from the policy of the delegating agent)",
        "helper: It is gone.",
        "main: Done.",
    ]
    "#);
}

#[tokio::test]
async fn agents_work_for_each_other_so_deep_and_no_deeper() {
    let handing =
        |name: &str, to: &str, below: Agent| bypassing(name, handing_to(to)).delegate(below);
    let five = bypassing("e", deleting());
    let agent = handing(
        "a",
        "b",
        handing("b", "c", handing("c", "d", handing("d", "e", five))),
    );
    insta::assert_debug_snapshot!(outcomes(&run(&agent).await), @r#"
    [
        "d: the task was not started: the delegation depth limit is reached: do the task yourself",
        "c: Done.",
        "b: Done.",
        "a: Done.",
    ]
    "#);
    let agent = bypassing("main", handing_to("helper"))
        .delegate(bypassing("helper", deleting()))
        .bounds(Bounds::new(5).depth(0));
    assert!(!outcomes(&run(&agent).await)[0].contains("deleted"));
}

/// Says what it sees.
struct ObservingHook(&'static str, Log);

impl Hook for ObservingHook {
    fn permission<'a>(
        &'a self,
        site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        self.1.add(format!("{}: {}", self.0, site.call.name));
        next.run(())
    }

    fn tool_call<'a>(
        &'a self,
        site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        self.1.add(format!("{} runs {}", self.0, site.call.name));
        next.run(context)
    }
}

#[tokio::test]
async fn the_hooks_of_the_session_lie_around_those_of_its_delegates() {
    let log = Log::default();
    let helper = bypassing("helper", deleting()).hook(ObservingHook("helper", log.clone()));
    let agent = bypassing("main", handing_to("helper"))
        .hook(ObservingHook("main", log.clone()))
        .session_hook(ObservingHook("session", log.clone()))
        .delegate(helper);
    run(&agent).await;
    insta::assert_debug_snapshot!(log.lines(), @r#"
    [
        "session: task",
        "main: task",
        "session: delete",
        "helper: delete",
        "session runs delete",
        "helper runs delete",
    ]
    "#);
}

/// Lets everything run.
struct AllowingHook;

impl Hook for AllowingHook {
    fn permission<'a>(
        &'a self,
        _: &'a CallSite,
        _: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        futures_util::future::ready(Verdict::Allow).boxed()
    }
}

#[tokio::test]
async fn no_hook_of_a_delegate_loosens_what_holds_above() {
    let agent = Agent::new("main", handing_to("helper"))
        .policy(Policy::new(Mode::Explore))
        .delegate(bypassing("helper", deleting()).hook(AllowingHook));
    let outcomes = outcomes(&run(&agent).await);
    assert!(!outcomes[0].contains("deleted"), "{outcomes:?}");
}

/// Keeps who asks, and says yes.
struct LoggingApprover(Log);

impl Approver for LoggingApprover {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let above: Vec<&str> = question.working_for.iter().map(|agent| &**agent).collect();
        let asked = format!("{} for {above:?}", question.origin.agent);
        self.0.add(asked);
        futures_util::future::ready(Decision::allow_once().into()).boxed()
    }
}

#[tokio::test]
async fn the_approver_of_the_session_is_asked_and_told_who_asks() {
    let log = Log::default();
    let worker = Agent::new("worker", deleting()).toolset(tools());
    let helper = Agent::new("helper", handing_to("worker")).delegate(worker);
    let never = LoggingApprover(Log::default());
    let agent = Agent::new("main", handing_to("helper"))
        .approver(LoggingApprover(log.clone()))
        .delegate(helper.approver(never));
    let outcomes = outcomes(&run(&agent).await);
    assert_eq!(outcomes[0], "worker: deleted a");
    assert_eq!(log.lines(), [r#"worker for ["main", "helper"]"#]);
}

#[tokio::test]
async fn a_turn_that_is_gone_on_with_may_no_more_than_when_it_began() {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let context = ToolContext::new();
    let agent = |mode: Mode, script: ScriptedModel| {
        Agent::new("main", script)
            .toolset(tools())
            .policy(Policy::new(mode))
            .approver(DeferAll)
    };
    let first = ScriptedModel::new().call("delete", json!({ "path": "a" }));
    say(&agent(Mode::Default, first), &mut conversation, &context).await;
    let mut conversation = reload(&sessions, conversation).await;
    let call = address("t1/1.0");
    let decision = Decision::allow_once();
    let posting = Posting::Answer { call, decision };
    sessions.post(&session(), posting).await.unwrap();
    let rest = || ScriptedModel::new().call("delete", json!({ "path": "b" }));
    // It began in the default mode, and asks in a looser one all the same.
    let report = resume(&agent(Mode::Bypass, rest()), &mut conversation, &context).await;
    let waiting = TurnStatus::Waiting {
        approvals: vec![address("t1/2.0")],
        external: Vec::new(),
    };
    assert_eq!(report.status, waiting);
    let answer = Decision::reject_once();
    let posting = Posting::Answer {
        call: address("t1/2.0"),
        decision: answer,
    };
    sessions.post(&session(), posting).await.unwrap();
    // In a stricter one it may no more than that.
    let stricter = agent(Mode::Explore, rest().say("Stopped."));
    let report = resume(&stricter, &mut conversation, &context).await;
    assert_eq!(report.end(), Some(EndReason::Finished));
    insta::assert_debug_snapshot!(results(&report.messages), @r#"
    [
        "deleted a",
        "!Tool call rejected by user",
        "!Tool call denied: it does more than read, and the mode is `explore`",
    ]
    "#);
}

#[tokio::test]
async fn rules_that_held_when_a_turn_began_hold_when_it_is_gone_on_with_and_so_do_those_of_today() {
    let sessions = Sessions::new(ObservedStore::default());
    let mut conversation = begin(&sessions).await;
    let context = ToolContext::new();
    let agent = |rules: Rules, script: ScriptedModel| {
        let asks = Rules::new().ask(Rule::tool("add"));
        let policy = Policy::new(Mode::Bypass).rules(asks).rules(rules);
        Agent::new("main", script)
            .toolset(tools())
            .policy(policy)
            .approver(DeferAll)
    };
    let allows = |posting: &str| Posting::answer(address(posting), Decision::allow_once());
    let add = json!({ "a": 1, "b": 2 });
    let denying = Rules::new().deny(Rule::tool("delete"));
    let first = ScriptedModel::new().call("add", add.clone());
    say(&agent(denying.clone(), first), &mut conversation, &context).await;
    sessions.post(&session(), allows("t1/1.0")).await.unwrap();
    // The program that resumes it has removed the rule.
    let rest = ScriptedModel::new()
        .call("delete", json!({ "path": "b" }))
        .call("add", add.clone());
    let mut conversation = reload(&sessions, conversation).await;
    let without = agent(Rules::new(), rest);
    let report = resume(&without, &mut conversation, &context).await;
    let denied =
        "!Tool call denied: the rule `delete` denies it (from the policy at the start of the turn)";
    assert_eq!(results(&report.messages), ["3", denied]);
    sessions.post(&session(), allows("t1/3.0")).await.unwrap();
    // A rule of today holds besides.
    let denying_more = Rules::new().deny(Rule::tool("count"));
    let rest = ScriptedModel::new()
        .call("delete", json!({ "path": "b" }))
        .call("count", json!({}))
        .say("Stopped.");
    let mut conversation = reload(&sessions, conversation).await;
    let report = resume(&agent(denying_more, rest), &mut conversation, &context).await;
    assert_eq!(
        results(&report.messages)[2..],
        ["3", denied, "!Tool call denied: the rule `count` denies it"]
    );
    // The next turn begins with what holds today.
    let next = ScriptedModel::new()
        .call("delete", json!({ "path": "b" }))
        .say("It is gone.");
    let report = say(&agent(Rules::new(), next), &mut conversation, &context).await;
    assert_eq!(results(&report.messages).last().unwrap(), "deleted b");
}
