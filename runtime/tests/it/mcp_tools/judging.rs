//! What a policy says of calls to servers.

use helve_runtime::acceptances::Acceptances;
use helve_runtime::mcp::McpServers;
use helve_runtime::permission::{Mode, Policy, Rules, Verdict};
use helve_runtime::tool::ToolContext;
use serde_json::json;

use crate::mcp_tools::mcp_server::{TestServer, tool};
use crate::mcp_tools::support::{approved, trusted};

fn offer() -> TestServer {
    TestServer::tools(json!([
        tool("read", "Reads.", json!({ "readOnlyHint": true })),
        tool("write", "Writes.", json!({})),
        tool(
            "drop",
            "Drops.",
            json!({ "readOnlyHint": true, "destructiveHint": true })
        ),
    ]))
}

fn judge(servers: &McpServers, policy: &Policy, tool: &str, arguments: &str) -> &'static str {
    let tool = servers.toolset().get(&format!("mcp__fs__{tool}")).unwrap();
    let judged = policy
        .judge(&*tool, &ToolContext::new(), arguments)
        .unwrap();
    match judged.verdict {
        Verdict::Allow => "allow",
        Verdict::Ask { .. } => "ask",
        _ => "deny",
    }
}

#[tokio::test]
async fn an_approved_reader_runs_and_everything_else_asks() {
    let servers = approved(&offer(), &Acceptances::in_memory()).await;
    let policy = Policy::new(Mode::Default);
    for (tool, verdict) in [("read", "allow"), ("write", "ask"), ("drop", "ask")] {
        assert_eq!(judge(&servers, &policy, tool, "{}"), verdict, "{tool}");
    }
}

#[tokio::test]
async fn hints_that_nobody_approved_allow_nothing() {
    let servers = trusted(&offer()).await;
    let policy = Policy::new(Mode::Default);
    for tool in ["read", "write", "drop"] {
        assert_eq!(judge(&servers, &policy, tool, "{}"), "ask", "{tool}");
    }
}

#[tokio::test]
async fn rules_are_about_servers_tools_and_arguments() {
    let servers = approved(&offer(), &Acceptances::in_memory()).await;
    let rules = Rules {
        allow: vec!["mcp__fs__write(text=draft*)".parse().unwrap()],
        deny: vec![
            "mcp__fs__read(text=secret*)".parse().unwrap(),
            "mcp__fs__d*".parse().unwrap(),
        ],
        ..Rules::new()
    };
    let policy = Policy::new(Mode::Default).rules(rules);
    for (tool, arguments, verdict) in [
        ("write", r#"{"text":"draft 1"}"#, "allow"),
        ("write", r#"{"text":"final"}"#, "ask"),
        ("write", "{}", "ask"),
        ("read", r#"{"text":"secrets"}"#, "deny"),
        ("read", r#"{"text":"news"}"#, "allow"),
        ("drop", "{}", "deny"),
    ] {
        assert_eq!(
            judge(&servers, &policy, tool, arguments),
            verdict,
            "{tool} {arguments}"
        );
    }
    let unreadable = Rules {
        deny: vec!["mcp__fs__read(path=secret)".parse().unwrap()],
        ..Rules::new()
    };
    let policy = Policy::new(Mode::Default).rules(unreadable);
    assert_eq!(
        judge(&servers, &policy, "read", "{}"),
        "deny",
        "no argument is called so"
    );
}
