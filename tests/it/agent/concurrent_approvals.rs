//! Running calls go on while a question is being written, and while a rule is being kept.

use std::fs::File;
use std::time::Duration;

use helve::permission::{RuleFile, RuleFiles, RuleScope};
use helve::testing::context_with;
use helve::tool::{CheckReport, Preview};

use super::*;

/// No turn here takes longer; one whose calls stand still takes for ever.
const LONGEST: Duration = Duration::from_secs(60);

/// What happens in these tests, in order.
#[derive(Default)]
struct Signals {
    worked: Notify,
    answered: Notify,
    /// The folder of the rules, while somebody else has it.
    locked: Mutex<Option<File>>,
}

/// Works in several steps.
#[tool(read_only)]
async fn work(signals: &Signals) -> &'static str {
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    signals.worked.notify_one();
    "worked"
}

/// Changes something; what it would change is known once the work is done.
#[tool(destructive, check = rehearsed)]
async fn change(signals: &Signals, cx: &ToolContext) -> &'static str {
    if !cx.is_dry_run() {
        return "changed";
    }
    signals.worked.notified().await;
    "--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new\n"
}

fn rehearsed(_: &ToolContext) -> CheckReport {
    helve::Check::Pass.with_dry_run_diff()
}

/// Keeps what it is shown.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Option<Preview>>>);

impl Approver for Shown {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.lock().unwrap().clone_from(&question.preview);
        std::future::ready(Decision::allow_once().into()).boxed()
    }
}

#[tokio::test]
async fn a_call_runs_on_while_another_is_rehearsed() {
    let shown = Shown::default();
    let model = ScriptedModel::new()
        .calls([("work", json!({})), ("change", json!({}))])
        .say("Done.");
    let agent = Agent::new("main", model)
        .toolset(toolset![work, change])
        .approver(shown.clone());
    let context = context_with(Signals::default());
    let turn = agent.run(vec![Message::user("go")], &context, |_| {});
    let report = tokio::time::timeout(LONGEST, turn).await.unwrap();
    assert_eq!(results(&report.messages), ["worked", "changed"]);
    // The rehearsal saw the end of the work, which only goes on where it does not stand still for the rehearsal.
    let preview = shown.0.lock().unwrap().clone();
    let Some(Preview::Diff { unified, .. }) = preview else {
        panic!("nothing was rehearsed: {preview:?}");
    };
    assert!(unified.contains("+new"), "{unified}");
}

/// Has the folder of the rules until the answer was given, and some steps longer.
#[tool(read_only)]
async fn hold(signals: &Signals) -> &'static str {
    signals.answered.notified().await;
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    signals.locked.lock().unwrap().take();
    "let go"
}

/// Pays a bill.
#[tool(destructive)]
fn pay_the_bill() -> &'static str {
    "paid"
}

/// Answers with a rule for the project.
struct WithRule(Arc<Signals>);

impl Approver for WithRule {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.answered.notify_one();
        let decision = Decision::AllowAlways {
            rules: question.suggestions.clone(),
            scope: RuleScope::Project,
            message: None,
        };
        std::future::ready(decision.into()).boxed()
    }
}

#[tokio::test]
async fn a_call_runs_on_while_a_rule_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".helve")).unwrap();
    let locked = File::open(folder.path().join(".helve")).unwrap();
    locked.lock().unwrap();
    let signals = Arc::new(Signals {
        locked: Mutex::new(Some(locked)),
        ..Signals::default()
    });
    let files = RuleFiles::new([RuleFile::for_project(folder.path())]);
    let model = ScriptedModel::new()
        .calls([("hold", json!({})), ("pay_the_bill", json!({}))])
        .say("Done.");
    let agent = Agent::new("main", model)
        .toolset(toolset![hold, pay_the_bill])
        .approver(WithRule(signals.clone()))
        .rule_files(files.clone());
    let mut app = State::new();
    app.insert_arc(signals);
    let context = ToolContext::builder().app(Arc::new(app)).build();
    let turn = agent.run(vec![Message::user("go")], &context, |_| {});
    let report = tokio::time::timeout(LONGEST, turn).await.unwrap();
    assert_eq!(results(&report.messages), ["let go", "paid"]);
    let written = files.files()[0].read_rules().unwrap();
    assert_eq!(written.allow, ["pay_the_bill".parse().unwrap()]);
}
