//! Who is asked, how long there is, and what the answers mean.

use std::time::Duration;

use futures_util::future::{self, BoxFuture, FutureExt as _};
use helve_runtime::permission::{
    Answer, Approver, Decision, DenyAll, Mode, Policy, Question, Rule, Rules, TimeLimitedApprover,
    Verdict,
};
use helve_runtime::tool::{Tool, ToolContext};
use helve_runtime::transcript::{CallKey, Origin, ToolCall};
use serde_json::{Value, json};

use crate::vectors_permission::fixture::RecordedTool;
use crate::vectors_permission::vectors::{self, Case, Tally};

const DIFFERENCES: &[(&str, &str)] = &[];

fn question(tool: &str, arguments: &str) -> Question {
    let call = ToolCall::new("1", tool, arguments);
    Question::new(
        Origin::new("main", "t1"),
        CallKey::new(0, 0),
        &call,
        "it may destroy something that cannot be brought back (high risk)",
    )
}

struct Says(Decision);

impl Approver for Says {
    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Answer> {
        future::ready(self.0.clone().into()).boxed()
    }
}

fn is_approved(approver: &dyn Approver) -> bool {
    let answer = approver.ask(&question("opencode", "{}")).now_or_never();
    matches!(answer, Some(Answer::Decided(decision)) if decision.is_allowed())
}

/// Counts what the gate of one system answers.
fn gate(case: &Case, tally: &mut Tally) {
    let expected = &case.expected;
    let what = case.input["case"].as_str().expect("a case");
    match what {
        "default timeout" => {
            let limit = TimeLimitedApprover::<DenyAll>::DEFAULT;
            let recorded = expected["timeoutMs"].as_u64().map(Duration::from_millis);
            tally.compare(case, &Some(limit), &recorded);
        }
        // The recorded answer is a defect: who cannot be asked has not said yes.
        "channel has no sendApprovalRequest" => {
            tally.compare(case, &is_approved(&DenyAll), &false);
        }
        "user rejects" => {
            let approved = is_approved(&Says(Decision::reject_once()));
            tally.compare(case, &Some(approved), &expected["approved"].as_bool());
        }
        _ => {
            let question = question("opencode", r#"{"task":"build something"}"#);
            let text = expected["text"].as_str().expect("a text");
            let told =
                text.contains(&*question.tool) && question.arguments.contains("build something");
            tally.compare(case, &told, &true);
        }
    }
}

/// Reports whether something that carries out work may be used: what the app has itself is declared, what a plugin brings
/// has the plugin's name before it, declares nothing that counts, and needs a rule.
fn is_usable(name: &str, trusted: &Value) -> bool {
    let trusted = trusted.as_array().into_iter().flatten();
    let rules = trusted.map(|plugin| Rule::tool(format!("{}/*", plugin.as_str().expect("a name"))));
    let policy = Policy::new(Mode::DontAsk).rules(Rules {
        allow: rules.collect(),
        ..Rules::new()
    });
    let tool = RecordedTool::new(&json!({ "name": name })).with_trust(!name.contains('/'));
    let judgement = policy
        .judge(&tool, &ToolContext::new(), "{}")
        .expect("it fits");
    judgement.verdict == Verdict::Allow
}

/// Names what an agent's commands run on: nothing, unless one of its tools asks for processes.
fn backend(personality: &Value) -> &'static str {
    let names = personality["toolset"].as_array().into_iter().flatten();
    let mut tools = names.map(|name| RecordedTool::new(&json!({ "name": name })));
    if tools.any(|tool| tool.spec().requires.process) {
        "local"
    } else {
        "none"
    }
}

#[test]
fn approval() {
    let Some(cases) = vectors::load_topic("approval") else {
        return;
    };
    let mut tally = Tally::new("approval");
    for case in &cases {
        let arguments = &case.input["args"];
        match &*case.function {
            "ApprovalGate.request" => gate(case, &mut tally),
            "wiring:isExecutionBackendAllowed" => {
                let name = arguments[0].as_str().expect("a name");
                let usable = is_usable(name, &arguments[1]);
                tally.compare(case, &Some(usable), &case.expected.as_bool());
            }
            "wiring:resolveExecutionBackendName" => {
                let name = backend(&arguments[0]);
                tally.compare(case, &Some(name), &case.expected.as_str());
            }
            other => panic!("{}: {other} is not known", case.id),
        }
    }
    tally.finish(DIFFERENCES);
}
