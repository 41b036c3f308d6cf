//! Questions and their answers: at once, late, from elsewhere, for good.

use std::time::Duration;

use helve::agent::session::{Posting, Sessions};
use helve::agent::{Conversation, TurnStatus};
use helve::permission::{DeferAll, Policy, Rule, RuleScope, Rules, TimeLimitedApprover};

use super::support::{
    Log, ObservedStore, address, assert_valid, begin, reload, resume, say, session,
};
use super::*;
use helve::agent::TurnReport;
use helve::tool::{Check, CheckReport, Coverage, FileAccess};

/// Sends something, anywhere below an address that a rule names.
#[tool(destructive, match_rule = below, suggest_rules = suggest)]
fn send(
    /// Where to.
    to: &str,
    log: &Log,
) -> &'static str {
    log.add(format!("sent: {to}"));
    "sent"
}

fn below(_: &ToolContext, rule: &str, to: &str) -> bool {
    rule.strip_suffix("/*")
        .is_some_and(|folder| to.starts_with(folder))
}

fn suggest(to: &str) -> Vec<String> {
    let folder = to.split_once('/').map(|(folder, _)| format!("{folder}/*"));
    folder.into_iter().collect()
}

fn sends(to: &[&str]) -> ScriptedModel {
    let calls = to.iter().map(|to| ("send", json!({ "to": to })));
    ScriptedModel::new().calls(calls)
}

fn agent(script: ScriptedModel, approver: impl Approver + 'static) -> Agent {
    Agent::new("main", script)
        .toolset(toolset![send, add, meet])
        .approver(approver)
}

/// Counts what it is asked, and says the same of everything.
struct CountingApprover(Log, Decision);

impl Approver for CountingApprover {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.add(format!("asked: {}", question.arguments));
        std::future::ready(self.1.clone().into()).boxed()
    }
}

fn rule() -> Vec<Rule> {
    vec!["send(home/*)".parse().unwrap()]
}

struct DeferredSession {
    store: ObservedStore,
    sessions: Sessions,
    conversation: Conversation,
    context: ToolContext,
}

impl DeferredSession {
    async fn open() -> Self {
        let store = ObservedStore::default();
        let sessions = Sessions::new(store.clone());
        let conversation = begin(&sessions).await;
        let context = helve::testing::context_with(store.log.clone());
        Self {
            store,
            sessions,
            conversation,
            context,
        }
    }

    async fn say(&mut self, agent: &Agent) -> TurnReport {
        say(agent, &mut self.conversation, &self.context).await
    }

    async fn answer(&self, call: &str, decision: Decision) {
        let call = address(call);
        let posting = Posting::Answer { call, decision };
        self.sessions.post(&session(), posting).await.unwrap();
    }

    fn said(&self, begins: &str) -> Vec<String> {
        let lines = self.store.log.lines().into_iter();
        lines.filter(|line| line.starts_with(begins)).collect()
    }
}

#[tokio::test]
async fn a_turn_whose_answer_comes_later_is_left_and_gone_on_with_by_another_process() {
    let mut post = DeferredSession::open().await;
    let script = sends(&["home/a", "away/b"]);
    let report = post.say(&agent(script, DeferAll)).await;
    let waiting = |approvals: &[&str]| TurnStatus::Waiting {
        approvals: approvals.iter().map(|call| address(call)).collect(),
        external: Vec::new(),
    };
    assert_eq!(report.status, waiting(&["t1/1.0", "t1/1.1"]));
    post.answer("t1/1.1", Decision::reject_with_message("not there"))
        .await;
    post.conversation = reload(&post.sessions, post.conversation).await;
    let rest = agent(ScriptedModel::new().say("Sent."), DeferAll);
    let report = resume(&rest, &mut post.conversation, &post.context).await;
    assert_eq!(report.status, waiting(&["t1/1.0"]));
    // In the same process, without loading it again.
    post.answer(
        "t1/1.0",
        Decision::AllowOnce {
            message: Some("gladly".into()),
        },
    )
    .await;
    let report = resume(&rest, &mut post.conversation, &post.context).await;
    insta::assert_debug_snapshot!(results(&report.messages), @r#"
    [
        "sent | The user allowed this call and said: gladly",
        "!Tool call rejected by user: not there",
    ]
    "#);
    assert_eq!(report.text(), "Sent.");
    assert_eq!(post.said("sent"), ["sent: home/a"]);
    assert_valid(&post.sessions, post.conversation.messages()).await;
}

#[tokio::test]
async fn a_rule_that_is_granted_covers_later_calls_of_the_round_the_next_turn_and_the_next_process()
{
    let mut post = DeferredSession::open().await;
    let always = Decision::AllowAlways {
        rules: rule(),
        scope: RuleScope::Session,
        message: None,
    };
    let counting = || CountingApprover(post.store.log.clone(), always.clone());
    let first = agent(
        sends(&["home/a", "home/b", "home/c"]).say("Sent."),
        counting(),
    );
    let next = agent(sends(&["home/d"]).say("Sent."), counting());
    let last = agent(sends(&["home/e", "away/f"]).say("Sent."), counting());
    post.say(&first).await;
    assert_eq!(post.said("asked"), [r#"asked: {"to":"home/a"}"#]);
    post.say(&next).await;
    assert_eq!(post.said("asked").len(), 1);
    post.conversation = reload(&post.sessions, post.conversation).await;
    post.say(&last).await;
    assert_eq!(post.said("asked")[1..], [r#"asked: {"to":"away/f"}"#]);
    assert_eq!(post.said("sent").len(), 6);
}

#[tokio::test]
async fn a_rule_that_is_granted_answers_no_question_that_another_rule_asks() {
    let mut post = DeferredSession::open().await;
    let always = Decision::AllowAlways {
        rules: rule(),
        scope: RuleScope::Session,
        message: None,
    };
    let asking = Rules::new().ask("send(home/se/*)".parse().unwrap());
    let counting = CountingApprover(post.store.log.clone(), always);
    let agent = agent(sends(&["home/a", "home/secret"]).say("Sent."), counting)
        .policy(Policy::default().rules(asking));
    post.say(&agent).await;
    let asked = [
        r#"asked: {"to":"home/a"}"#,
        r#"asked: {"to":"home/secret"}"#,
    ];
    assert_eq!(post.said("asked"), asked);
}

#[tokio::test]
async fn a_rule_that_forbids_stops_the_calls_that_it_covers() {
    let mut post = DeferredSession::open().await;
    let never = Decision::RejectAlways {
        rules: rule(),
        scope: RuleScope::Session,
        message: Some("never".into()),
    };
    let agent = agent(
        sends(&["home/a", "home/b"]).say("No."),
        CountingApprover(post.store.log.clone(), never),
    );
    let report = post.say(&agent).await;
    assert_eq!(
        results(&report.messages),
        ["!Tool call rejected by user: never"; 2]
    );
    assert_eq!(post.said("asked").len(), 1);
    assert!(post.said("sent").is_empty());
}

/// Never answers.
struct SilentApprover;

impl Approver for SilentApprover {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        std::future::pending().boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn an_approver_has_two_minutes() {
    let began = tokio::time::Instant::now();
    let agent = agent(
        sends(&["home/a"]).say("Then not."),
        TimeLimitedApprover::new(SilentApprover),
    );
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await;
    assert_eq!(
        results(&report.messages),
        ["!Tool call rejected by user: no answer within 2 minutes"]
    );
    assert_eq!(began.elapsed(), Duration::from_secs(120));
}

#[tokio::test]
async fn an_approver_that_never_answers_holds_neither_earlier_calls_up_nor_an_interrupt() {
    // The three meet while the question is out.
    let script = ScriptedModel::new().calls([
        ("meet", json!({})),
        ("meet", json!({})),
        ("send", json!({ "to": "home/a" })),
    ]);
    let agent = agent(script, SilentApprover);
    let mut state = State::new();
    state.insert(Barrier::new(3));
    let state = Arc::new(state);
    let context = ToolContext::builder().app(state.clone()).build();
    let interrupt = async {
        state.get::<Barrier>().unwrap().unwrap().wait().await;
        context.cancellation().cancel();
    };
    let (report, ()) = tokio::join!(
        agent.run(vec![Message::user("go")], &context, |_| {}),
        interrupt
    );
    assert_eq!(report.end(), Some(EndReason::Interrupted));
    assert_eq!(results(&report.messages).len(), 3);
    assert!(results(&report.messages)[2].starts_with("!Not run"));
}

/// Breaks.
struct PanickingApprover;

impl Approver for PanickingApprover {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        async { panic!("the window is gone") }.boxed()
    }
}

#[tokio::test]
async fn an_approver_that_panics_has_allowed_nothing() {
    let agent = agent(sends(&["home/a"]).say("Then not."), PanickingApprover);
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await;
    assert_eq!(
        results(&report.messages),
        ["!Tool call denied: the approver panicked: the window is gone"]
    );
    assert_eq!(report.end(), Some(EndReason::Finished));
}

/// Writes a file.
#[tool(check = touches, match_rule = covers, suggest_rules = suggest_folder)]
fn put(
    /// Its path.
    path: &str,
) -> String {
    format!("put {path}")
}

fn touches(_: &ToolContext, path: &str) -> CheckReport {
    Check::Pass.with_accesses([FileAccess::write(path)])
}

fn covers(cx: &ToolContext, rule: &str, path: &str) -> Coverage {
    helve::permission::paths::covers(cx, rule, path)
}

fn suggest_folder(_: &str) -> Vec<String> {
    vec!["src/**".to_owned()]
}

#[cfg(unix)]
#[tokio::test]
async fn a_rule_that_is_granted_covers_no_later_call_whose_link_leads_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["src", "other"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    std::os::unix::fs::symlink("../other", root.join("src/link")).unwrap();
    let files = helve::sandbox::LocalFs::new(&root).unwrap();
    let grants = helve::capability::Grants {
        files: Some(Arc::new(files)),
        ..Default::default()
    };
    let context = ToolContext::builder().grants(grants).build();
    let always = Decision::AllowAlways {
        rules: vec!["put(src/**)".parse().unwrap()],
        scope: RuleScope::Session,
        message: None,
    };
    let log = Log::default();
    let calls = ["src/a", "src/b", "src/link/c"].map(|path| ("put", json!({ "path": path })));
    let agent = Agent::new("main", ScriptedModel::new().calls(calls).say("Put."))
        .toolset(toolset![put])
        .approver(CountingApprover(log.clone(), always));
    let report = agent.run(vec![Message::user("go")], &context, |_| {}).await;
    assert_eq!(
        results(&report.messages),
        ["put src/a", "put src/b", "put src/link/c"]
    );
    let asked = [
        r#"asked: {"path":"src/a"}"#,
        r#"asked: {"path":"src/link/c"}"#,
    ];
    assert_eq!(log.lines(), asked);
}

/// Has a language of rules that breaks.
#[tool(destructive, match_rule = broken)]
fn fragile(
    /// Anything.
    text: &str,
) -> String {
    format!("did {text}")
}

fn broken(_: &ToolContext, rule: &str, text: &str) -> bool {
    panic!("no rule is read, neither `{rule}` nor `{text}`")
}

#[tokio::test]
async fn a_match_rule_that_panics_allows_nothing_and_costs_no_turn() {
    let calls = || {
        let script = ScriptedModel::new().call("fragile", json!({ "text": "it" }));
        script.say("Done.")
    };
    let rule = || "fragile(it)".parse().unwrap();
    let rows = [
        (Rules::new(), "did it"),
        (Rules::new().allow(rule()), "did it"),
        (
            Rules::new().deny(rule()),
            "!Tool call denied: the rule `fragile(it)` denies it",
        ),
    ];
    for (rules, expected) in rows {
        let log = Log::default();
        let agent = Agent::new("main", calls())
            .toolset(toolset![fragile])
            .policy(Policy::default().rules(rules))
            .approver(CountingApprover(log.clone(), Decision::allow_once()));
        let report = agent
            .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
            .await;
        assert_eq!(results(&report.messages), [expected]);
        let asks = usize::from(!expected.starts_with('!'));
        assert_eq!(log.lines().len(), asks, "{expected}");
    }
}
