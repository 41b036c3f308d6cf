//! A command line is analysed once, however many rules are held against it and whoever is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::{BoxFuture, FutureExt};
use helve::agent::Agent;
use helve::model::ScriptedModel;
use helve::permission::{Answer, Approver, Decision, Mode, Policy, Question, Rules, shell};
use helve::prelude::*;
use helve::tool::{CheckReport, Confinement};
use helve::transcript::Message;
use serde_json::json;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Counts the analyses of command lines.
#[derive(Clone, Default)]
struct Analyses(Arc<AtomicUsize>);

impl Subscriber for Analyses {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "helve::shell"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Would run a command line.
#[tool(open_world, check = check)]
fn command_line(
    /// The line.
    line: &str,
) -> String {
    format!("ran {line}")
}

fn check(cx: &ToolContext, line: &str) -> CheckReport {
    shell::check(cx, line)
}

/// Lets everything run, and keeps how many parts it was shown.
#[derive(Clone, Default)]
struct Asked(Arc<AtomicUsize>);

impl Approver for Asked {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.store(question.parts.len(), Ordering::SeqCst);
        std::future::ready(Decision::allow_once().into()).boxed()
    }
}

// One test: a callsite that another thread meets first would be taken for one that nobody listens to.
#[tokio::test]
async fn a_line_is_analysed_once() {
    let analyses = Analyses::default();
    let _listening = tracing::subscriber::set_default(analyses.clone());
    let rule = |text: &str| format!("command_line({text})").parse().unwrap();
    let rules = Rules::new().deny(rule("rm:*")).deny(rule("curl:*"));
    let rules = rules.ask(rule("ssh:*")).allow(rule("git add:*"));
    let asked = Asked::default();
    let line = json!({ "line": "git add . && make install" });
    let model = ScriptedModel::new().call("command_line", line).say("Done.");
    let agent = Agent::new("main", model)
        .toolset(toolset![command_line])
        .policy(Policy::new(Mode::Default).rules(rules))
        .approver(asked.clone());
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await;
    assert_eq!(report.text(), "Done.");
    assert_eq!(asked.0.load(Ordering::SeqCst), 2);
    assert_eq!(analyses.0.load(Ordering::SeqCst), 1);

    // What only reads is held to that by whoever runs it.
    let tool = toolset![command_line].get("command_line").unwrap();
    let confinement = |line: &str| {
        let call = json!({ "line": line }).to_string();
        let facts = tool.facts(&ToolContext::new(), &call).unwrap();
        facts.confinement
    };
    assert_eq!(confinement("ls -l | wc"), Confinement::ReadOnly);
    assert_eq!(confinement("ls -l > list"), Confinement::None);
    assert_eq!(confinement("make"), Confinement::None);
}
