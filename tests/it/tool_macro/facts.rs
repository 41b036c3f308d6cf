//! What a call would be, before anything runs.

use super::*;

/// Deletes a file.
#[tool(destructive, risk_with = risk, check = check, match_rule = matches, suggest_rules = suggest)]
async fn delete(
    /// Which.
    path: &str,
    /// How often.
    #[arg(default = 1)]
    times: u32,
) -> String {
    unreachable!("{path} {times}: nothing runs to judge a call")
}

fn risk(path: &str, times: &u32) -> Risk {
    if path.starts_with("tmp/") && *times == 1 {
        Risk::Low
    } else {
        Risk::High
    }
}

fn check(_: &ToolContext, path: &str, _: &u32) -> Check {
    if path.starts_with('/') {
        Check::deny("only below the root")
    } else {
        Check::ask(format!("delete {path}?"))
    }
}

fn matches(_: &ToolContext, rule: &str, path: &str, _: &u32) -> bool {
    rule.strip_suffix("/*")
        .is_some_and(|folder| path.starts_with(folder))
}

fn suggest(path: &str, _: &u32) -> Vec<String> {
    path.split_once('/')
        .map(|(folder, _)| format!("{folder}/*"))
        .into_iter()
        .collect()
}

/// Reads.
#[tool(read_only)]
fn read() {}

/// Does not say.
#[tool]
fn silent() {}

#[test]
fn come_from_the_tools_own_functions_and_nothing_runs() {
    let tool = toolset![delete].get("delete").unwrap();
    let context = ToolContext::new();
    let facts = tool.facts(&context, r#"{"path":"tmp/a"}"#).unwrap();
    assert_eq!(
        (facts.risk, facts.concurrency),
        (Risk::Low, Concurrency::Exclusive)
    );
    assert_eq!(facts.check, Check::ask("delete tmp/a?"));
    assert_eq!(facts.suggested_rules, ["tmp/*"]);
    let facts = tool
        .facts(&context, r#"{"path":"/etc","times":2}"#)
        .unwrap();
    assert_eq!(
        (facts.risk, facts.check),
        (Risk::High, Check::deny("only below the root"))
    );
    assert!(tool.facts(&context, "{}").is_err());
}

#[tokio::test]
async fn deny_a_call_in_a_test_of_the_tool_too() {
    let arguments = serde_json::json!({ "path": "/etc" });
    let denied = helve::testing::call_with(delete, arguments, &ToolContext::new()).await;
    let Err(ToolError::Denied(denial)) = denied else {
        panic!("the call ran");
    };
    assert_eq!(denial.reason, "only below the root");
}

#[test]
fn include_the_rules_of_the_tool() {
    let tool = toolset![delete].get("delete").unwrap();
    let context = ToolContext::new();
    let covers = |rule| {
        let prepared = tool.prepare(&context, r#"{"path":"tmp/a"}"#.into());
        prepared
            .unwrap()
            .coverage(&context, rule)
            .unwrap()
            .covers_all()
    };
    assert!(covers("tmp/*"));
    assert!(!covers("src/*"));
    assert!(tool.prepare(&context, "{}".into()).is_err());
}

#[test]
fn follow_from_the_declaration_where_the_tool_has_no_functions() {
    let context = ToolContext::new();
    for (name, risk, concurrency) in [
        ("read", Risk::Low, Concurrency::Parallel),
        ("silent", Risk::Medium, Concurrency::Exclusive),
    ] {
        let tool = toolset![read, silent].get(name).unwrap();
        let facts = tool.facts(&context, "").unwrap();
        assert_eq!(
            (facts.risk, facts.concurrency, facts.check),
            (risk, concurrency, Check::Pass)
        );
        let prepared = tool.prepare(&context, "".into()).unwrap();
        assert!(prepared.coverage(&context, "any").is_none());
    }
}
