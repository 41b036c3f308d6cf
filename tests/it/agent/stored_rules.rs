//! Rules that an answer gives for a whole project, beside those that the project brought along.

use helve::acceptances::Acceptances;
use helve::permission::{RuleFile, RuleFiles, RuleScope};

use super::support::Log;
use super::*;

/// Pays a bill.
#[tool(destructive)]
fn pay() -> &'static str {
    "paid"
}

/// Answers with a rule for the project.
struct ForTheProject;

impl Approver for ForTheProject {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let decision = Decision::AllowAlways {
            rules: question.suggestions.clone(),
            scope: RuleScope::Project,
            message: None,
        };
        std::future::ready(decision.into()).boxed()
    }
}

/// Runs an agent in a project, and returns what it warned of.
async fn warnings(folder: &std::path::Path) -> Vec<String> {
    let files = RuleFiles::new([
        RuleFile::for_project(folder),
        RuleFile::new(folder.join("home/permissions.json"), RuleScope::User),
    ])
    .with_acceptances(Acceptances::in_memory());
    let script = ScriptedModel::new().call("pay", json!({})).say("Paid.");
    let agent = Agent::new("main", script)
        .toolset(toolset![pay])
        .approver(ForTheProject)
        .rule_files(files.clone());
    let warned = Log::default();
    let (log, project) = (warned.clone(), folder.display().to_string());
    let events = move |event: AgentEvent| {
        if let EventKind::Warning { message } = event.kind {
            log.add(message.replace(&project, "PROJECT"));
        }
    };
    let prompt = vec![Message::user("pay")];
    let report = agent.run(prompt, &ToolContext::new(), events).await;
    assert_eq!(report.text(), "Paid.");
    let written = files.files()[0].read_rules().unwrap();
    assert!(written.allow.contains(&"pay".parse().unwrap()));
    warned.lines()
}

#[tokio::test]
async fn a_rule_for_the_project_holds_where_nothing_else_is_accepted_with_it() {
    let folder = tempfile::tempdir().unwrap();
    assert!(warnings(folder.path()).await.is_empty());
}

#[tokio::test]
async fn a_rule_beside_those_of_a_stranger_is_told_to_hold_for_the_session_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".helve")).unwrap();
    let file = folder.path().join(".helve/permissions.json");
    std::fs::write(file, r#"{"allow": ["bash"]}"#).unwrap();
    insta::assert_snapshot!(warnings(folder.path()).await.join("\n"), @"the rule applies only to this session: ignored the allow rules of `PROJECT/.helve/permissions.json` because you have not accepted it: `bash`, `pay`; `permissions trust` shows and accepts it");
}
