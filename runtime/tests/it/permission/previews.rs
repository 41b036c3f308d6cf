//! What whoever is asked is shown of a call.

use std::sync::{Arc, Mutex};

use futures_util::future::{self, BoxFuture, FutureExt as _};
use helve_runtime::agent::{Agent, AgentEvent, EventKind};
use helve_runtime::model::ScriptedModel;
use helve_runtime::permission::{
    Answer, Approver, Decision, PartStatus, Policy, Question, QuestionPart, Rules,
};
use helve_runtime::prelude::*;
use helve_runtime::tool::{CallPart, Check, CheckReport, Coverage, Preview};
use helve_runtime::transcript::Message;
use helve_runtime::{tool, toolset};

use crate::permission::fixture::rule;

/// Edits a file by steps.
#[tool(crate = helve_runtime, check = check, match_rule = covers)]
fn edit(
    /// The steps, one a line.
    steps: String,
) -> String {
    steps
}

fn check(_: &ToolContext, steps: &str) -> CheckReport {
    let part = |step: &str| match step.starts_with("see") {
        true => CallPart::read_only(step),
        false => CallPart::new(step),
    };
    Check::ask("it edits")
        .caused_by("cut a")
        .with_parts(steps.lines().map(part))
        .with_preview(Preview::diff("a.txt", Some("a\nb\n"), "b\n"))
}

fn covers(_: &ToolContext, rule: &str, steps: &str) -> Coverage {
    Coverage::from_parts(steps.lines().map(|step| step.starts_with(rule)))
}

/// Keeps the question.
#[derive(Clone, Default)]
struct Keeping(Arc<Mutex<Option<Question>>>);

impl Approver for Keeping {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        *self.0.lock().unwrap() = Some(question.clone());
        future::ready(Decision::reject_once().into()).boxed()
    }
}

#[tokio::test]
async fn a_question_shows_the_change_and_the_parts() {
    let arguments = serde_json::json!({ "steps": "see a\npaste b\ncut a" });
    let model = ScriptedModel::new().call("edit", arguments).say("Well.");
    let approver = Keeping::default();
    let rules = Rules::new().allow(rule("edit(paste)"));
    let agent = Agent::new("main", model)
        .toolset(toolset![edit])
        .policy(Policy::default().rules(rules))
        .approver(approver.clone());
    let told = Arc::new(Mutex::new(None));
    let previews = told.clone();
    let events = move |event: AgentEvent| {
        if let EventKind::ApprovalRequested { preview, .. } = event.kind {
            *previews.lock().unwrap() = preview;
        }
    };
    let prompt = vec![Message::user("Edit it.")];
    agent.run(prompt, &ToolContext::new(), events).await;

    let question = approver.0.lock().unwrap().take().expect("a question");
    assert_eq!(question.part.as_deref(), Some("cut a"));
    assert_eq!(
        question.parts,
        [
            QuestionPart::new("see a", PartStatus::ReadOnly),
            QuestionPart::new("paste b", PartStatus::Allowed),
            QuestionPart::new("cut a", PartStatus::Open),
        ]
    );
    let preview = Preview::diff("a.txt", Some("a\nb\n"), "b\n");
    assert_eq!(question.preview.as_ref(), Some(&preview));
    assert_eq!(told.lock().unwrap().as_ref(), Some(&preview));
}
