//! helve's client against servers of other people, over every transport that they have.
#![allow(clippy::unwrap_used, reason = "tests panic")]

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve::ToolContext;
use helve::acceptances::Acceptances;
use helve::mcp::{McpServers, ServerConfig, Transport};
use helve::tool::{Progress, ProgressUpdate};
use helve::transcript::ContentBlock;
use helve_interop::peers::{Peers, ServerProcess};
use serde_json::{Value, json};

/// One server, connected and approved.
struct ConnectedServer {
    servers: McpServers,
    name: String,
    progress: Arc<Mutex<Vec<ProgressUpdate>>>,
    context: ToolContext,
}

impl ConnectedServer {
    async fn new(config: ServerConfig) -> Self {
        let name = config.name().to_string();
        // A program that starts may take its time on a machine that does other things.
        let mut timeouts = config.timeouts();
        (timeouts.connect, timeouts.list) = (Duration::from_secs(120), Duration::from_secs(120));
        let config = config.with_timeouts(timeouts);
        let servers = McpServers::builder()
            .server(config)
            .acceptances(Acceptances::in_memory())
            .build();
        let difference = servers.difference(&name).await.unwrap();
        servers.approve(&difference).await.unwrap();
        let heard: Arc<Mutex<Vec<ProgressUpdate>>> = Arc::default();
        let listener = heard.clone();
        let progress = Progress::new(move |update| listener.lock().unwrap().push(update));
        Self {
            servers,
            name,
            progress: heard,
            context: ToolContext::builder().progress(progress).build(),
        }
    }

    /// Calls a tool by the server's name for it; an error begins with `error: `.
    async fn call(&self, tool: &str, arguments: Value) -> String {
        match self.output(tool, arguments).await {
            Ok(output) => output.text().into_owned(),
            Err(error) => format!("error: {error}"),
        }
    }

    async fn output(&self, tool: &str, arguments: Value) -> helve::ToolResult {
        let tools = self.servers.toolset();
        let name = format!("mcp__{}__{tool}", self.name);
        tools
            .call(&name, &arguments.to_string(), &self.context)
            .await
    }

    fn tools(&self) -> Vec<String> {
        let prefix = format!("mcp__{}__", self.name);
        let names = self.servers.toolset().names();
        names
            .iter()
            .map(|name| name.strip_prefix(&prefix).unwrap().to_owned())
            .collect()
    }

    fn protocol(&self) -> String {
        let status = self.servers.status_of(&self.name).unwrap();
        status.connection.protocol_version.unwrap()
    }

    /// Reports whether progress came, and only ever grew.
    fn has_monotonic_progress(&self) -> bool {
        let heard = self.progress.lock().unwrap();
        let steps: Vec<f64> = heard.iter().filter_map(|update| update.progress).collect();
        !steps.is_empty() && steps.is_sorted()
    }
}

fn stdio(name: &str, command: String, arguments: impl IntoIterator<Item = String>) -> ServerConfig {
    ServerConfig::stdio(name.parse().unwrap(), command, arguments)
}

fn http(name: &str, url: String) -> ServerConfig {
    ServerConfig::http(name.parse().unwrap(), url)
}

fn sse(name: &str, url: String) -> ServerConfig {
    ServerConfig::sse(name.parse().unwrap(), url)
}

/// What the reference server has to say, whatever carries it.
async fn everything(config: ServerConfig) {
    let met = ConnectedServer::new(config).await;
    assert_eq!(met.protocol(), "2025-11-25");
    let tools = met.tools();
    for tool in [
        "echo",
        "get-sum",
        "get-tiny-image",
        "trigger-long-running-operation",
        "list_resources",
        "get_prompt",
    ] {
        assert!(tools.iter().any(|name| name == tool), "{tool} of {tools:?}");
    }
    assert_eq!(
        met.call("echo", json!({ "message": "so far" })).await,
        "Echo: so far"
    );
    assert_eq!(
        met.call("get-sum", json!({ "a": 2, "b": 40 })).await,
        "The sum of 2 and 40 is 42."
    );
    let wrong = met.call("get-sum", json!({ "a": "two" })).await;
    assert!(wrong.starts_with("error: "), "{wrong}");
    let weather = met
        .output("get-structured-content", json!({ "location": "Chicago" }))
        .await
        .unwrap();
    let weather: Value = serde_json::from_str(weather.structured_content().unwrap()).unwrap();
    assert!(weather["temperature"].is_number(), "{weather}");
    let image = met
        .output("get-tiny-image", json!({}))
        .await
        .unwrap()
        .content();
    assert!(image.iter().any(
        |block| matches!(block, ContentBlock::Image { mime_type, .. } if mime_type == "image/png")
    ));
    let long = met
        .call(
            "trigger-long-running-operation",
            json!({ "duration": 0.2, "steps": 4 }),
        )
        .await;
    assert!(
        long.starts_with("Long running operation completed"),
        "{long}"
    );
    assert!(met.has_monotonic_progress());
    let resources = met.call("list_resources", json!({})).await;
    assert!(resources.contains("demo://"), "{resources}");
    let prompts = met.call("list_prompts", json!({})).await;
    assert!(prompts.contains("simple-prompt"), "{prompts}");
    met.servers.close().await;
}

fn everything_at(peers: &Peers, kind: &'static str) -> ServerProcess {
    let (node, script) = (peers.node(), peers.reference_server("everything"));
    ServerProcess::start(move |port| {
        let mut command = Command::new(&node);
        command.args([&script, kind]).env("PORT", port.to_string());
        command
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_over_stdio() {
    let Some(peers) = Peers::find() else { return };
    let arguments = [peers.reference_server("everything"), "stdio".to_owned()];
    everything(stdio("everything", peers.node(), arguments)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_over_http() {
    let Some(peers) = Peers::find() else { return };
    let server = everything_at(&peers, "streamableHttp");
    everything(http("everything", server.url("/mcp"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_over_sse() {
    let Some(peers) = Peers::find() else { return };
    let server = everything_at(&peers, "sse");
    everything(sse("everything", server.url("/sse"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_filesystem() {
    let Some(peers) = Peers::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = |name: &str| root.join(name).to_string_lossy().into_owned();
    let arguments = [peers.reference_server("filesystem"), path("")];
    let met = ConnectedServer::new(stdio("files", peers.node(), arguments)).await;
    let written = met
        .call(
            "write_file",
            json!({ "path": path("note.txt"), "content": "remember" }),
        )
        .await;
    assert!(written.starts_with("Successfully wrote"), "{written}");
    assert_eq!(
        std::fs::read_to_string(path("note.txt")).unwrap(),
        "remember"
    );
    assert_eq!(
        met.call("read_text_file", json!({ "path": path("note.txt") }))
            .await,
        "remember"
    );
    let listed = met
        .call("list_directory", json!({ "path": path("") }))
        .await;
    assert_eq!(listed, "[FILE] note.txt");
    let outside = met
        .call("read_text_file", json!({ "path": "/etc/passwd" }))
        .await;
    assert!(outside.starts_with("error: "), "{outside}");
    met.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_memory() {
    let Some(peers) = Peers::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.jsonl");
    let mut config = stdio("memory", peers.node(), [peers.reference_server("memory")]);
    if let Transport::Stdio(server) = config.transport() {
        let mut server = server.clone();
        let place = file.to_string_lossy().into_owned();
        server
            .environment
            .insert("MEMORY_FILE_PATH".to_owned(), place);
        config = ServerConfig::new(config.name().clone(), Transport::Stdio(server));
    }
    let met = ConnectedServer::new(config).await;
    let whale = json!({ "name": "Moby", "entityType": "whale", "observations": ["is white"] });
    met.output("create_entities", json!({ "entities": [whale] }))
        .await
        .unwrap();
    let graph = met.output("read_graph", json!({})).await.unwrap();
    let graph: Value = serde_json::from_str(graph.structured_content().unwrap()).unwrap();
    assert_eq!(graph["entities"][0]["name"], "Moby");
    // What the server was told to see it saw: the variable came through.
    assert!(std::fs::read_to_string(file).unwrap().contains("Moby"));
    met.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_git() {
    let Some(peers) = Peers::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q", "-b", "main"]);
    std::fs::write(folder.path().join("a.txt"), "one").unwrap();
    let arguments = ["-m", "mcp_server_git"].map(str::to_owned);
    let met = ConnectedServer::new(stdio("git", peers.python(), arguments)).await;
    assert_eq!(met.protocol(), "2026-07-28");
    let path = folder.path().to_string_lossy().into_owned();
    let status = met.call("git_status", json!({ "repo_path": path })).await;
    assert!(status.contains("a.txt"), "{status}");
    met.output("git_add", json!({ "repo_path": path, "files": ["a.txt"] }))
        .await
        .unwrap();
    let staged = met
        .call("git_diff_staged", json!({ "repo_path": path }))
        .await;
    assert!(staged.contains("+one"), "{staged}");
    met.servers.close().await;
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    let status = command
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .status()
        .unwrap();
    assert!(status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn server_time() {
    let Some(peers) = Peers::find() else { return };
    let arguments = ["-m", "mcp_server_time"].map(str::to_owned);
    let met = ConnectedServer::new(stdio("time", peers.python(), arguments)).await;
    assert_eq!(met.protocol(), "2026-07-28");
    let converted = met
        .call(
            "convert_time",
            json!({ "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo" }),
        )
        .await;
    assert!(converted.contains("21:00:00+09:00"), "{converted}");
    let wrong = met
        .call("get_current_time", json!({ "timezone": "Nowhere/Else" }))
        .await;
    assert!(wrong.starts_with("error: "), "{wrong}");
    met.servers.close().await;
}

/// What the fastmcp server has to say, whatever carries it.
async fn fastmcp(config: ServerConfig, protocol: &str) {
    let met = ConnectedServer::new(config).await;
    assert_eq!(met.protocol(), protocol);
    let tools = met.tools();
    for tool in ["add", "count", "fail", "list_resources", "read_resource"] {
        assert!(tools.iter().any(|name| name == tool), "{tool} of {tools:?}");
    }
    assert_eq!(met.call("add", json!({ "a": 2, "b": 40 })).await, "42");
    assert_eq!(met.call("count", json!({ "to": 5 })).await, "counted to 5");
    assert!(met.has_monotonic_progress());
    let failed = met.call("fail", json!({})).await;
    assert!(failed.contains("the well is dry"), "{failed}");
    let note = met
        .call("read_resource", json!({ "uri": "notes://today" }))
        .await;
    assert!(note.contains("nothing"), "{note}");
    met.servers.close().await;
}

const FAST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/fast.py");

fn fastmcp_at(peers: &Peers, kind: &'static str) -> ServerProcess {
    let python = peers.python();
    ServerProcess::start(move |port| {
        let mut command = Command::new(&python);
        command.args([FAST, kind, &port.to_string()]);
        command
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn fastmcp_over_stdio() {
    let Some(peers) = Peers::find() else { return };
    let arguments = [FAST, "stdio"].map(str::to_owned);
    fastmcp(stdio("fast", peers.python(), arguments), "2026-07-28").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fastmcp_over_http() {
    let Some(peers) = Peers::find() else { return };
    let server = fastmcp_at(&peers, "http");
    fastmcp(http("fast", server.url("/mcp")), "2026-07-28").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fastmcp_over_sse() {
    let Some(peers) = Peers::find() else { return };
    let server = fastmcp_at(&peers, "sse");
    fastmcp(sse("fast", server.url("/sse")), "2025-11-25").await;
}
