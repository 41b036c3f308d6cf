//! Calls whose arguments the approver changes.

use std::collections::VecDeque;

use helve::agent::session::{ExportFormat, Sessions};
use helve::permission::{Policy, Rules};

use super::support::{Log, ObservedStore, assert_valid, begin, reload, say};
use super::*;

/// Erases a folder.
#[tool(destructive, match_rule = begins_with)]
fn erase(
    /// Its path.
    path: &str,
) -> String {
    format!("erased {path}")
}

fn begins_with(_: &ToolContext, rule: &str, path: &str) -> bool {
    path.starts_with(rule)
}

/// Gives these answers, one after the other.
struct AnswerList(Log, Mutex<VecDeque<Answer>>);

impl Approver for AnswerList {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        assert!(question.edits);
        self.0.add(format!(
            "asked: {} ({})",
            question.arguments, question.reason
        ));
        let answer = self.1.lock().unwrap().pop_front().unwrap();
        std::future::ready(answer).boxed()
    }
}

fn edited(path: &str) -> Answer {
    Answer::Edited {
        arguments: json!({ "path": path }).to_string().into(),
    }
}

async fn run(answers: Vec<Answer>, policy: Policy) -> (Vec<String>, Vec<String>, String) {
    let store = ObservedStore::default();
    let sessions = Sessions::new(store.clone());
    let mut conversation = begin(&sessions).await;
    let script = ScriptedModel::new()
        .call("erase", json!({ "path": "all" }))
        .say("Done.");
    let log = Log::default();
    let agent = Agent::new("main", script)
        .toolset(toolset![erase])
        .policy(policy)
        .approver(AnswerList(log.clone(), Mutex::new(answers.into())));
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(report.text(), "Done.");
    let id = conversation.session().id().clone();
    assert_valid(&sessions, conversation.messages()).await;
    // The records make the same conversation again.
    let before = conversation.messages().to_vec();
    let loaded = reload(&sessions, conversation).await;
    assert_eq!(loaded.messages(), before);
    let export = sessions.export(&id, ExportFormat::Markdown).await.unwrap();
    (results(&report.messages), log.lines(), export)
}

#[tokio::test]
async fn the_changed_call_is_asked_about_and_the_model_is_told() {
    let answers = vec![edited("old"), Decision::allow_once().into()];
    let (results, asked, export) = run(answers, Policy::default()).await;
    insta::assert_snapshot!(results.join("\n"), @r#"erased old | The user changed the arguments of this call. It was made with: {"path":"old"}"#);
    insta::assert_snapshot!(asked.join("\n"), @r#"
    asked: {"path":"all"} (it may destroy something that cannot be brought back (high risk))
    asked: {"path":"old"} (it may destroy something that cannot be brought back (high risk))
    "#);
    // The session has the arguments of the model, and those that were used.
    let both = [r#"{"path":"all"}"#, r#"{"path":"old"}"#];
    assert!(
        both.iter().all(|arguments| export.contains(arguments)),
        "{export}"
    );
}

#[tokio::test]
async fn a_rule_decides_about_the_changed_call() {
    let rules = Rules::new()
        .allow("erase(scratch)".parse().unwrap())
        .deny("erase(src)".parse().unwrap());
    for (path, expected) in [("scratch/a", "erased"), ("src/a", "!Tool call denied")] {
        let policy = Policy::default().rules(rules.clone());
        let (results, asked, _) = run(vec![edited(path)], policy).await;
        assert_eq!(asked.len(), 1);
        assert!(results[0].starts_with(expected), "{results:?}");
    }
}

#[tokio::test]
async fn arguments_that_are_invalid_change_nothing() {
    let invalid = Answer::Edited {
        arguments: r#"{"file": 1}"#.to_owned().into(),
    };
    let answers = vec![invalid, Decision::allow_once().into()];
    let (results, asked, _) = run(answers, Policy::default()).await;
    assert_eq!(results, ["erased all"]);
    assert!(
        asked[1].starts_with(r#"asked: {"path":"all"} (the changed arguments are not used: "#),
        "{asked:?}"
    );
}
