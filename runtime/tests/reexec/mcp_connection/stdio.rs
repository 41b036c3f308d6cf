//! Servers that are programs: started, spoken to, killed, and quoted where they die.

use std::path::Path;
use std::process::exit;
use std::time::Duration;

use helve_runtime::mcp::connection::{Connection, ConnectionDeps, ConnectionState};
use helve_runtime::mcp::{ServerConfig, StdioServer, Transport};
use helve_runtime::tool::ToolContext;
use libtest_mimic::Trial;
use serde_json::{Map, Value, json};

use crate::mcp_connection::script::{self, Flow, Outbox, legacy_server, text_result};
use crate::mcp_connection::support::{error_text, object, text, trial, until};

/// What this program is to be instead of tests.
pub(crate) const ROLE_VARIABLE: &str = "MCP_CONNECTION_ROLE";

pub(crate) fn tests() -> Vec<Trial> {
    let tests = vec![
        trial("a program is spoken to", speaks),
        trial("a program sees few variables", environment),
        trial("a program that is not there is told", not_there),
        trial("a folder that is not there is told", no_folder),
        trial("a program that dies at once is quoted", dies_at_once),
        trial(
            "a program that dies in a call is quoted and started anew",
            dies_in_call,
        ),
        trial("a program without a sandbox is not run outside", no_sandbox),
    ];
    #[cfg(target_os = "linux")]
    let tests = {
        let mut tests = tests;
        tests.push(trial(
            "a program ends with all that it started",
            whole_group,
        ));
        tests.push(trial(
            "a program that does not listen is made to end",
            stubborn,
        ));
        tests
    };
    tests
}

fn program(role: &str) -> StdioServer {
    let this = std::env::current_exe().unwrap();
    let mut server = StdioServer::new(this.to_str().unwrap().to_owned(), Vec::new());
    server
        .environment
        .insert(ROLE_VARIABLE.to_owned(), role.to_owned());
    server
}

fn connection(server: StdioServer) -> Connection {
    let config = ServerConfig::new("program".parse().unwrap(), Transport::Stdio(server));
    Connection::new(config, ConnectionDeps::new())
}

/// Is a server on standard input and output.
pub(crate) fn serve(role: &str) {
    if role == "dies" {
        eprintln!("reading the configuration\n\x1b[31mno such table: users\x1b[0m");
        exit(3);
    }
    println!("A line that is no message.");
    let stubborn = role == "stubborn";
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async move {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        tokio::spawn(script::run_script(
            theirs,
            std::sync::Arc::new(legacy_server(answer)),
        ));
        let (mut reader, mut writer) = tokio::io::split(ours);
        let (stdin, stdout) = (StdinLines(std::io::stdin()), std::io::stdout());
        tokio::spawn(async move {
            let mut stdin = stdin;
            while let Some(line) = stdin.line().await {
                let _ = tokio::io::AsyncWriteExt::write_all(&mut writer, line.as_bytes()).await;
            }
            if !stubborn {
                exit(0);
            }
        });
        let mut buffer = vec![0; 4096];
        loop {
            let count = tokio::io::AsyncReadExt::read(&mut reader, &mut buffer).await;
            let count = count.unwrap();
            if count == 0 {
                exit(0);
            }
            let mut stdout = stdout.lock();
            std::io::Write::write_all(&mut stdout, &buffer[..count]).unwrap();
            std::io::Write::flush(&mut stdout).unwrap();
        }
    });
}

/// Standard input, read on a thread of its own.
struct StdinLines(std::io::Stdin);

impl StdinLines {
    async fn line(&mut self) -> Option<String> {
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            std::io::stdin()
                .read_line(&mut line)
                .map(|count| (count, line))
        });
        let _ = &self.0;
        match read.await {
            Ok(Ok((count, line))) if count > 0 => Some(line),
            _ => None,
        }
    }
}

fn answer(message: &Value, out: &Outbox) -> Flow {
    match message["params"]["name"].as_str() {
        Some("die") => {
            eprintln!("the disk is full");
            exit(7);
        }
        Some("variables") => {
            let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
            out.reply(message, text_result(&names.join(" ")))
        }
        Some("spawn") => {
            // A child that would outlive it.
            #[expect(
                clippy::zombie_processes,
                reason = "it is to outlive whoever started it"
            )]
            let child = std::process::Command::new("sleep")
                .arg("600")
                .spawn()
                .unwrap();
            out.reply(message, text_result(&child.id().to_string()))
        }
        Some("id") => out.reply(message, text_result(&std::process::id().to_string())),
        _ => out.reply(message, json!({})),
    }
}

async fn call(connection: &Connection, tool: &str) -> String {
    let called = crate::mcp_connection::support::call(connection, tool, false);
    text(&called.await.unwrap())
}

async fn speaks() {
    let connection = connection(program("server"));
    assert_eq!(connection.tools().await.unwrap().tools[0].name, "echo");
    let arguments = object(json!({ "text": "a\nb" }));
    let cx = ToolContext::new();
    connection.call("a", arguments, &cx, false).await.unwrap();
    connection.close().await;
    assert_eq!(connection.status().state, ConnectionState::Closed);
}

async fn environment() {
    let mut server = program("server");
    server.environment.insert("OWN".to_owned(), "1".to_owned());
    let seen = call(&connection(server.clone()), "variables").await;
    let seen: Vec<&str> = seen.split(' ').collect();
    assert!(seen.contains(&"OWN") && seen.contains(&"PATH"), "{seen:?}");
    assert!(
        !seen.iter().any(|name| name.starts_with("CARGO")),
        "{seen:?}"
    );
    server.inherited.push("CARGO_MANIFEST_*".to_owned());
    let seen = call(&connection(server), "variables").await;
    assert!(seen.contains("CARGO_MANIFEST_DIR"), "{seen}");
}

async fn not_there() {
    let server = StdioServer::new("no-such-program-here".to_owned(), Vec::new());
    insta::assert_snapshot!(error_text(connection(server).connect().await), @"the MCP server `program` could not be started: the program `no-such-program-here` is not there: install it, or write its whole path");
}

async fn no_folder() {
    let mut server = program("server");
    server.folder = Some(Path::new("/no/such/folder").to_owned());
    insta::assert_snapshot!(error_text(connection(server).connect().await), @"the MCP server `program` could not be started: its folder /no/such/folder is not there: make it, or name another");
}

async fn dies_at_once() {
    insta::assert_snapshot!(error_text(connection(program("dies")).connect().await), @"the MCP server `program` ended before it was ready: its program ended with exit code 3; its standard error ended with: reading the configuration ⏎ no such table: users");
}

async fn dies_in_call() {
    let connection = connection(program("server"));
    let cx = ToolContext::new();
    let first = call(&connection, "id").await;
    insta::assert_snapshot!(error_text(connection.call("die", Map::new(), &cx, false).await), @"the MCP server `program` stopped while it worked on `die`: its program ended with exit code 7; its standard error ended with: the disk is full; whether it took effect is not known");
    assert_ne!(call(&connection, "id").await, first);
}

async fn no_sandbox() {
    let mut server = program("server");
    server.sandboxed = true;
    insta::assert_snapshot!(error_text(connection(server).connect().await), @"the MCP server `program` could not be started: it is to run in the sandbox, and there is none here: allow the app one, or run it outside");
}

#[cfg(target_os = "linux")]
fn is_alive(id: &str) -> bool {
    // A zombie that nobody has reaped is dead enough.
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

#[cfg(target_os = "linux")]
async fn whole_group() {
    let connection = connection(program("server"));
    let (server, child) = (
        call(&connection, "id").await,
        call(&connection, "spawn").await,
    );
    assert!(is_alive(&server) && is_alive(&child));
    drop(connection);
    until(|| !is_alive(&server) && !is_alive(&child)).await;
}

#[cfg(target_os = "linux")]
async fn stubborn() {
    let connection = connection(program("stubborn"));
    let server = call(&connection, "id").await;
    tokio::time::timeout(Duration::from_secs(60), connection.close())
        .await
        .unwrap();
    until(|| !is_alive(&server)).await;
}
