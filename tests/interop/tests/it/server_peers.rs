//! helve's server against clients of other people, over every transport and in every protocol that they speak.
#![allow(clippy::unwrap_used, reason = "tests panic")]

use std::process::{Command, Stdio};

use helve_interop::peers::{self, Peers, ServerProcess};
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport};
use rmcp::{ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use serde_json::Value;

const SERVER: &str = env!("CARGO_BIN_EXE_peer_server");
/// How many tools it serves: its own, those that read skills and long results, and the one that runs scripts of skills.
const TOOLS: usize = 10;
const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/client.py");

/// Starts the server on a port of this machine; its home folder is one that nobody else has.
fn start_server() -> (ServerProcess, tempfile::TempDir) {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(SERVER);
    command.args(["serve", "--http", "127.0.0.1:0"]);
    at_home(&mut command, &home);
    (ServerProcess::start_with_announced_port(command), home)
}

fn at_home(command: &mut Command, home: &tempfile::TempDir) {
    command.current_dir(home.path()).env("HOME", home.path());
    for name in ["CONFIG", "DATA", "STATE", "CACHE"] {
        command.env(format!("XDG_{name}_HOME"), home.path().join(name));
    }
}

fn python(peers: &Peers, mode: &str, target: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(&peers.python);
    at_home(&mut command, &home);
    let (went_well, said) = peers::run(command.args([CLIENT, mode]).args(target));
    assert!(went_well, "{said}");
    // It says so of every end of a session that is not answered with 200 or 204; the protocol leaves that open.
    said.replace("Session termination failed: 202\n", "")
}

/// What the Python client sees, whatever carries it; only the protocol differs.
fn expected_output(protocol: &str) -> String {
    format!(
        r#"protocol {protocol}
instructions None
tools add count fail forget greet load_skill read_result read_skill_file run_skill_script wait
add reads only True
add {{"sum":6,"count":3}} {{"sum": 6, "count": 3}}
count counted to 3 in order [(3.0, 3.0)]
greet Good day, Ada. ['What is your name?']
forget forgotten 1 question
fail error: the well is dry
add error: `/numbers`: expected an array of at least 1 items, got the string "many"; put the value into a list
nothing -32602
wait given up
add {{"sum":4,"count":1}}
resource skill://write-a-greeting/SKILL.md ---
"#
    )
}

#[test]
fn the_python_client_over_stdio() {
    let Some(peers) = Peers::find() else { return };
    let target = [SERVER, "serve", "--stdio"];
    assert_eq!(
        python(&peers, "legacy", &target),
        expected_output("2025-11-25")
    );
    assert_eq!(
        python(&peers, "auto", &target),
        expected_output("2026-07-28")
    );
}

#[test]
fn the_python_client_over_http() {
    let Some(peers) = Peers::find() else { return };
    let (server, _home) = start_server();
    let url = server.url("/mcp");
    assert_eq!(
        python(&peers, "legacy", &[&url]),
        expected_output("2025-11-25")
    );
    assert_eq!(
        python(&peers, "auto", &[&url]),
        expected_output("2026-07-28")
    );
}

/// Runs the inspector's command line; returns what it says, if all is well.
fn inspector(peers: &Peers, arguments: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(&peers.node);
    at_home(&mut command, &home);
    command.arg(peers.inspector()).arg("--cli").args(arguments);
    let (went_well, said) = peers::run(&mut command);
    assert!(went_well, "{arguments:?}: {said}");
    said
}

#[test]
fn the_inspector_finds_no_fault_with_the_tools() {
    let Some(peers) = Peers::find() else { return };
    let (server, _home) = start_server();
    let url = server.url("/mcp");
    for era in ["legacy", "modern"] {
        let listed = inspector(
            &peers,
            &[
                &url,
                "--method",
                "tools/list",
                "--strict",
                "--quiet",
                "--protocol-era",
                era,
            ],
        );
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(listed["tools"].as_array().unwrap().len(), TOOLS, "{era}");
    }
}

#[test]
fn the_inspector_calls_a_tool_over_stdio() {
    let Some(peers) = Peers::find() else { return };
    for era in ["legacy", "modern"] {
        let called = inspector(
            &peers,
            &[
                SERVER,
                "serve",
                "--stdio",
                "--method",
                "tools/call",
                "--tool-name",
                "add",
                "--tool-args-json",
                r#"{"numbers":[1,2]}"#,
                "--quiet",
                "--protocol-era",
                era,
            ],
        );
        let called: Value = serde_json::from_str(&called).unwrap();
        assert_eq!(called["structuredContent"]["sum"], 3, "{era}");
    }
}

#[test]
fn the_inspector_verifies_the_skills() {
    let Some(peers) = Peers::find() else { return };
    let (server, _home) = start_server();
    let url = server.url("/mcp");
    let verified = inspector(
        &peers,
        &[
            &url,
            "--method",
            "skills/list",
            "--verify",
            "--require-digests",
            "--quiet",
            "--protocol-era",
            "modern",
        ],
    );
    assert!(verified.contains("write-a-greeting"), "{verified}");
}

/// Lists the tools and calls one with rmcp's own client, in the protocol of this version.
async fn rmcp<T, E, A>(transport: T, versions: Vec<ProtocolVersion>) -> String
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let lifecycle = match versions.is_empty() {
        true => ClientLifecycleMode::Initialize,
        false => ClientLifecycleMode::Discover {
            preferred_versions: versions,
        },
    };
    let client = ().serve_with_lifecycle(transport, lifecycle).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), TOOLS);
    let arguments = serde_json::json!({ "numbers": [1, 2] });
    let arguments = arguments.as_object().cloned().unwrap();
    let call = CallToolRequestParams::new("add").with_arguments(arguments);
    let called = client.call_tool(call).await.unwrap();
    client.cancel().await.unwrap();
    called.structured_content.unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_of_rmcp_over_stdio() {
    for versions in [vec![], vec![ProtocolVersion::V_2026_07_28]] {
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(SERVER);
        command.args(["serve", "--stdio"]);
        at_home(&mut command, &home);
        let mut command = tokio::process::Command::from(command);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let mut server = command.spawn().unwrap();
        let streams = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        assert_eq!(rmcp(streams, versions).await, r#"{"sum":3,"count":2}"#);
        // The end of its input ends it, in order.
        assert!(server.wait().await.unwrap().success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_of_rmcp_over_http() {
    let (server, _home) = start_server();
    // rmcp builds an HTTP client without cryptography of its own.
    let _ = rustls::crypto::ring::default_provider().install_default();
    for versions in [vec![], vec![ProtocolVersion::V_2026_07_28]] {
        let transport = StreamableHttpClientTransport::from_uri(server.url("/mcp"));
        assert_eq!(rmcp(transport, versions).await, r#"{"sum":3,"count":2}"#);
    }
}
