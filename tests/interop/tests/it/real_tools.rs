//! Finding the tools of other people's servers among ten thousand: they are listed as they are today, and nothing of
//! theirs is kept here.
#![allow(clippy::unwrap_used, reason = "tests panic")]

#[path = "../../../../runtime/tests/it/recall/corpus.rs"]
mod corpus;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use corpus::rules::shared_words;
use helve::acceptances::Acceptances;
use helve::agent::tool_search::ToolIndex;
use helve::mcp::{McpServers, ServerConfig, Transport};
use helve::{Tool, Toolset};
use helve_interop::peers::Peers;
use serde_json::Value;

/// How many tools the servers have to list at least.
const MIN_TOOLS: usize = 100;
/// How many of the first answers are looked at.
const DEPTH: usize = 10;

/// What somebody wants of one of the servers.
struct ToolQuestion {
    question: String,
    /// The name under which helve offers the tool.
    tool: String,
}

fn asked() -> Vec<ToolQuestion> {
    let read = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        ToolQuestion {
            question: text("question"),
            tool: format!("mcp__{}__{}", text("server"), text("tool")),
        }
    };
    include_str!("real_tools/questions_real.jsonl")
        .lines()
        .map(read)
        .collect()
}

/// Returns what is said of each server; none needs a credential, a browser or the network to list its tools.
fn configs(peers: &Peers, folder: &str) -> Vec<ServerConfig> {
    let node = |name: &str, arguments: &[&str]| stdio(name, peers.node(), arguments);
    let python = |name: &str, module: &str| stdio(name, peers.python(), &["-m", module]);
    let everything = peers.reference_server("everything");
    let filesystem = peers.reference_server("filesystem");
    let memory = peers.reference_server("memory");
    let github = peers.reference_server("github");
    let playwright = peers.server("@playwright/mcp/cli.js");
    let devtools = peers.server("chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js");
    let quiet = "--no-usage-statistics";
    vec![
        node("everything", &[&everything]),
        node("files", &[&filesystem, folder]),
        node("memory", &[&memory]),
        python("git", "mcp_server_git"),
        python("time", "mcp_server_time"),
        node("github", &[&github]),
        node("playwright", &[&playwright]),
        telling_nobody(&node("devtools", &[&devtools, quiet])),
    ]
}

/// A program that starts may take its time on a machine that does other things.
fn stdio(name: &str, command: String, arguments: &[&str]) -> ServerConfig {
    let arguments = arguments.iter().map(|&argument| argument.to_owned());
    let config = ServerConfig::stdio(name.parse().unwrap(), command, arguments);
    let mut timeouts = config.timeouts();
    (timeouts.connect, timeouts.list) = (Duration::from_secs(120), Duration::from_secs(120));
    config.with_timeouts(timeouts)
}

/// Keeps a server from looking for a newer version of itself.
fn telling_nobody(config: &ServerConfig) -> ServerConfig {
    let Transport::Stdio(server) = config.transport() else {
        unreachable!("it is a program");
    };
    let mut server = server.clone();
    let name = "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS".to_owned();
    server.environment.insert(name, "1".to_owned());
    ServerConfig::new(config.name().clone(), Transport::Stdio(server))
        .with_timeouts(config.timeouts())
}

async fn approved(configs: Vec<ServerConfig>) -> McpServers {
    let names: Vec<String> = configs
        .iter()
        .map(|config| config.name().to_string())
        .collect();
    let servers = configs
        .into_iter()
        .fold(McpServers::builder(), |servers, config| {
            servers.server(config)
        })
        .acceptances(Acceptances::in_memory())
        .build();
    for name in names {
        let difference = servers.difference(&name).await.unwrap();
        servers.approve(&difference).await.unwrap();
    }
    servers
}

/// Prints the recall over some questions, and holds it to a bar.
fn hold(index: &ToolIndex, what: &str, asked: &[ToolQuestion], bar: f64) {
    let is_missed = |asked: &&ToolQuestion| {
        let found = index.search(&asked.question, DEPTH);
        !found.iter().any(|found| found.name == *asked.tool)
    };
    let missed = asked.iter().filter(is_missed);
    let missed: Vec<String> = missed
        .map(|missed| format!("{}: {}", missed.tool, missed.question))
        .collect();
    let recall = 1.0 - missed.len() as f64 / asked.len() as f64;
    println!("recall at {DEPTH}, {what}: {recall:.3}, bar {bar}; missed:");
    for missed in &missed {
        println!("  {missed}");
    }
    assert!(recall >= bar, "{what}: {recall:.3}");
}

#[test]
fn questions_about_real_tools_do_not_name_them() {
    let asked = asked();
    assert_eq!(asked.len(), 40);
    for ToolQuestion { question, tool } in asked {
        let shared = shared_words(&question, &tool);
        assert!(shared.is_empty(), "{shared:?} of {tool}: {question}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn real_tools_are_found_among_ten_thousand() {
    let Some(peers) = Peers::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let servers = approved(configs(&peers, &root.to_string_lossy())).await;
    let real: Vec<Arc<dyn Tool>> = servers.toolset().tools();
    assert!(real.len() >= MIN_TOOLS, "{} real tools", real.len());
    let count = real.len();
    let tools = corpus::tools_with(real);
    assert_eq!(tools.len(), corpus::TOTAL);
    let names: HashSet<String> = tools
        .iter()
        .map(|tool| tool.spec().name.to_string())
        .collect();
    let index = ToolIndex::from_toolset(&Toolset::from_tools(tools));
    let asked = asked();
    for ToolQuestion { tool, .. } in &asked {
        assert!(names.contains(tool), "no server has {tool} any more");
    }
    println!("{count} real tools among {}", corpus::TOTAL);
    let about_others = corpus::questions().into_iter().map(|asked| ToolQuestion {
        question: asked.question,
        tool: asked.tool,
    });
    hold(
        &index,
        "300 questions",
        &about_others.collect::<Vec<_>>(),
        0.9,
    );
    hold(&index, "40 questions about the real ones", &asked, 0.5);
    servers.close().await;
}
