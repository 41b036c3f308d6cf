//! What other systems answer about servers, held against helve; see `support/vectors.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use crate::support::mcp_server;
use crate::support::vectors;

use helve_runtime::acceptances::Acceptances;
use helve_runtime::mcp::{McpServers, ServerConfig, ServerName, ServerTrust};
use helve_runtime::permission::{Mode, Policy, Rule, Rules, Verdict};
use helve_runtime::schema;
use helve_runtime::tool::ToolContext;
use serde_json::{Value, json};

use mcp_server::{TestServer, tool};
use vectors::{Case, Tally};

const DIFFERENCES: &[(&str, &str)] = &[(
    "mcp:12",
    "MCP's names have a character at least; a tool without a name is left out, which is stricter",
)];

/// What these systems have and helve has not, or has elsewhere, each with the reason.
const NOT_SHARED: &[(&str, &str)] = &[
    (
        "MCPClient._is_sse",
        "helve is told the transport, and guesses it from no address",
    ),
    (
        "MCPClient.set_runtime_headers",
        "helve's headers are fixed when a server is described; the connection's tests hold them",
    ),
    (
        "personalities:parseMcpYaml",
        "helve's settings are TOML; what they mean is held by `checkMcpEnabled`",
    ),
    ("personalities:parseToolsYaml", "helve has no personalities"),
    (
        "personalities:parseToolsetYaml",
        "helve has no personalities",
    ),
    (
        "tools-mcp:extractSeverity",
        "helve asks no service about vulnerabilities",
    ),
    (
        "tools-mcp:parseEntries",
        "helve keeps no list of servers in that layout",
    ),
];

/// Connects to a server of this process, and approves what it says.
async fn approved(config: ServerConfig, tools: Value) -> McpServers {
    let name = config.name().to_string();
    let offer = TestServer::tools(tools);
    let builder = McpServers::builder().server_within(config, offer.connect());
    let servers = builder
        .acceptances(Acceptances::in_memory())
        .without_context_tools()
        .build();
    let failed = servers.connect().await;
    assert!(failed.is_empty(), "{failed:?}");
    let difference = servers.difference(&name).await.unwrap();
    servers.approve(&difference).await.unwrap();
    servers
}

fn config(name: &str) -> ServerConfig {
    ServerConfig::stdio(
        name.parse().expect("a name"),
        "never-started",
        [] as [&str; 0],
    )
}

fn verdict(servers: &McpServers, policy: &Policy, arguments: &str) -> &'static str {
    let tools = servers.toolset().tools();
    let [tool] = &tools[..] else {
        panic!("one tool, got {tools:?}");
    };
    match policy
        .judge(&**tool, &ToolContext::new(), arguments)
        .expect("it fits")
        .verdict
    {
        Verdict::Allow => "allow",
        Verdict::Ask { .. } => "ask",
        _ => "deny",
    }
}

/// Reports whether a client can be described so.
fn is_describable(input: &Value) -> bool {
    let is_name = input["name"]
        .as_str()
        .unwrap_or_default()
        .parse::<ServerName>()
        .is_ok();
    // A program is always one process for as long as the connection is there: nothing else can be written down.
    let is_possible = input["cfg"] != "stdio" || input["is_stateful"] == true;
    is_name && is_possible
}

/// Holds what becomes of one tool: its name as far as providers take it, and what is decided of a call.
async fn tool_case(case: &Case, tally: &mut Tally) {
    let (input, expected) = (&case.input, &case.expected);
    let text = |key: &str| input[key].as_str().unwrap_or_default();
    let hints = json!({ "readOnlyHint": input["readOnlyHint"].as_bool() });
    let mut described = tool(text("tool"), "Does something.", hints);
    described["inputSchema"] = expected["input_schema"].clone();
    let servers = approved(config(text("server")), json!([described])).await;
    let tools = servers.toolset().tools();
    let [tool] = &tools[..] else {
        return tally.differ(case, "it is left out");
    };
    let spec = tool.spec();
    let found = verdict(&servers, &Policy::new(Mode::Default), "{}");
    if found == "allow" && expected["permission"] != "allow" {
        return tally.differ_laxer(case, found);
    }
    let is_legal = text("tool")
        .bytes()
        .all(|one| one.is_ascii_alphanumeric() || b"_-".contains(&one));
    // An illegal character is mapped otherwise there, and two tools can get one name.
    let is_same_name = !is_legal || Some(&*spec.name) == expected["name"].as_str();
    let reads = spec.annotations.read_only == Some(true);
    tally.compare(
        case,
        &(is_same_name, Some(reads), Some(found)),
        &(
            true,
            expected["is_read_only"].as_bool(),
            expected["permission"].as_str(),
        ),
    );
}

/// Reports whether a tool may be called under a policy of servers that are on or off, with lists of tools.
async fn enabled_case(case: &Case, tally: &mut Tally) {
    let arguments = &case.input["args"];
    let (servers, called) = (
        &arguments[0]["servers"],
        arguments[1].as_str().expect("a name"),
    );
    let mut builder = McpServers::builder().acceptances(Acceptances::in_memory());
    for (name, policy) in servers.as_object().expect("servers") {
        if policy["enabled"] == false {
            continue;
        }
        let mut trust = ServerTrust::default();
        trust.definitions = true;
        let mut config = config(name).with_trust(trust);
        if let Some(tools) = policy["tools"].as_array() {
            config = config.only(tools.iter().filter_map(Value::as_str));
        }
        let offer = TestServer::tools(json!([tool("list_issues", "Lists.", json!({}))]));
        builder = builder.server_within(config, offer.connect());
    }
    let servers = builder.build();
    assert!(servers.connect().await.is_empty());
    // What is no server's is not decided by servers.
    let is_free = !called.starts_with("mcp__") || servers.toolset().get(called).is_some();
    tally.compare(case, &is_free, &!case.expected.is_string());
}

/// Reports whether a call is refused for an argument.
async fn reject_case(case: &Case, tally: &mut Tally) {
    let arguments = &case.input["args"];
    let called = arguments[1].as_str().expect("a name");
    let Some(own) = called.strip_prefix("mcp__slack__") else {
        // A rule about a server's tool is about no other.
        let rule = Rule::tool("mcp__slack__send_message");
        return tally.compare(case, &rule.matches_tool(called), &case.expected.is_string());
    };
    let rejected = arguments[0]["servers"]["slack"]["reject_args"]
        .as_object()
        .expect("rules");
    let rules = rejected.iter().flat_map(|(tool, rejected)| {
        let rejected = rejected.as_object().expect("arguments");
        rejected.iter().flat_map(move |(argument, values)| {
            let values = values
                .as_array()
                .expect("values")
                .iter()
                .filter_map(Value::as_str);
            values.map(move |value| {
                Rule::calls(format!("mcp__slack__{tool}"), format!("{argument}={value}"))
            })
        })
    });
    let policy = Policy::new(Mode::Default).rules(Rules {
        deny: rules.collect(),
        ..Rules::new()
    });
    let mut described = tool(own, "Does something.", json!({ "readOnlyHint": true }));
    described["inputSchema"]["properties"]["channel"] = json!({ "type": "string" });
    let servers = approved(config("slack"), json!([described])).await;
    let found = verdict(&servers, &policy, &arguments[2].to_string());
    if found == "allow" && case.expected.is_string() {
        return tally.differ_laxer(case, found);
    }
    tally.compare(case, &(found == "deny"), &case.expected.is_string());
}

/// Reports whether a tool of this name is among those that a list of patterns chooses.
async fn chosen_case(case: &Case, tally: &mut Tally) {
    let arguments = &case.input["args"];
    let name = arguments[0].as_str().expect("a name");
    let patterns = arguments[1].as_array().expect("patterns");
    let config = config("any").only(patterns.iter().filter_map(Value::as_str));
    let servers = approved(config, json!([tool(name, "Does something.", json!({}))])).await;
    chosen(case, tally, !servers.toolset().names().is_empty());
}

/// Reports whether a name fits a pattern, as the rules about tools have it.
fn pattern_case(case: &Case, tally: &mut Tally) {
    let arguments = &case.input["args"];
    let text = |index: usize| arguments[index].as_str().expect("a text");
    chosen(case, tally, Rule::tool(text(1)).matches_tool(text(0)));
}

fn chosen(case: &Case, tally: &mut Tally, is_chosen: bool) {
    let expected = case.expected.as_bool().expect("yes or no");
    if is_chosen && !expected {
        return tally.differ_laxer(case, "it is chosen");
    }
    tally.compare(case, &is_chosen, &expected);
}

/// Holds a schema with references written there against the same with them written otherwise: both mean the same.
fn schema_case(case: &Case, tally: &mut Tally) {
    let read = |schema: &Value| schema::from_value(schema.clone()).expect("a schema");
    let (found, expected) = (read(&case.input["args"][0]), read(&case.expected));
    tally.compare(case, &found, &expected);
}

#[tokio::test]
async fn mcp() {
    let Some(cases) = vectors::load_topic("mcp") else {
        return;
    };
    let mut tally = Tally::new("mcp");
    let mut not_shared = Vec::new();
    for case in &cases {
        match &*case.function {
            "MCPClient.__init__" => {
                tally.compare(case, &is_describable(&case.input), &(case.expected == "ok"));
            }
            "MCPTool" => tool_case(case, &mut tally).await,
            "core:checkMcpEnabled" => enabled_case(case, &mut tally).await,
            "core:checkMcpRejectArgs" => reject_case(case, &mut tally).await,
            "tools-mcp:isServerAllowed" => chosen_case(case, &mut tally).await,
            "tools-mcp:matchesGlob" => pattern_case(case, &mut tally),
            "tools-mcp:rewriteDefinitionsToRefs" => schema_case(case, &mut tally),
            other => match NOT_SHARED.iter().find(|(function, _)| *function == other) {
                Some((_, reason)) => not_shared.push(format!("  {}: {other}: {reason}", case.id)),
                None => panic!("{}: {other} is not known", case.id),
            },
        }
    }
    println!(
        "mcp: {} cases are about what helve does not share:\n{}",
        not_shared.len(),
        not_shared.join("\n")
    );
    tally.finish(DIFFERENCES);
}
