//! The part of the client: what it sees of the hostile server, in words, beside a good one that it calls all along.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use helve_runtime::ToolContext;
use helve_runtime::acceptances::Acceptances;
use helve_runtime::mcp::{CallTimeouts, McpServers, ServerConfig, ServerName, ServerStatus};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::mcp_faults::hostile::{Fault, SECRET, Transport};
use crate::mcp_faults::processes::server_arguments;

/// How long whatever is not meant to hang may take.
const TIMEOUT: Duration = Duration::from_secs(100);
/// How long it is waited for what does.
const HANG_TIMEOUT: Duration = Duration::from_secs(2);

/// Visits the hostile server; the last line is the most memory that the process held.
pub(crate) fn visit(fault: Fault, wire: Transport, mark: &str) -> String {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let said = runtime.block_on(async {
        let visit = ClientSession::new(fault, wire, mark);
        let good = visit.call_good_server().await;
        let said = visit.report().await;
        // Each call was answered as it should be, or the task has panicked.
        good.await.unwrap();
        visit.servers.close().await;
        said
    });
    format!("{said}peak {}\n", peak_memory())
}

struct ClientSession {
    fault: Fault,
    servers: McpServers,
    /// The hostile server's process and port, where it is not the client that starts it.
    listening: Option<ServerProcess>,
    done: CancellationToken,
}

struct ServerProcess {
    process: Child,
    port: u16,
}

impl ClientSession {
    fn new(fault: Fault, wire: Transport, mark: &str) -> Self {
        let program = std::env::current_exe().unwrap();
        let stdio = |name: &str, fault| {
            let arguments = server_arguments(fault, Transport::Stdio, mark);
            ServerConfig::stdio(server_name(name), program.to_str().unwrap(), arguments)
        };
        let listening = (wire != Transport::Stdio).then(|| ServerProcess::start(fault, wire, mark));
        let at = |path: &str| {
            let port = listening.as_ref().map_or(0, |listening| listening.port);
            format!("http://127.0.0.1:{port}{path}")
        };
        let hostile = match wire {
            Transport::Stdio => stdio("hostile", fault),
            Transport::Http => ServerConfig::http(server_name("hostile"), at("/mcp")),
            Transport::Sse => ServerConfig::sse(server_name("hostile"), at("/sse")),
        };
        let hostile = hostile
            .header("Authorization", SECRET)
            .with_timeouts(timeouts(fault));
        let good = stdio("good", Fault::Nothing).with_timeouts(timeouts(Fault::Nothing));
        let servers = McpServers::builder()
            .server(good)
            .server(hostile)
            .acceptances(Acceptances::in_memory())
            .build();
        Self {
            fault,
            servers,
            listening,
            done: CancellationToken::new(),
        }
    }

    /// Calls the good server again and again until the visit is over.
    async fn call_good_server(&self) -> tokio::task::JoinHandle<()> {
        let (servers, done) = (self.servers.clone(), self.done.clone());
        approve(&servers, "good").await.unwrap();
        let task = async move {
            let tools = servers.toolset();
            loop {
                // The last of the calls comes when the visit is over.
                let is_last = done.is_cancelled();
                let called = tools
                    .call(
                        "mcp__good__echo",
                        r#"{"text":"unharmed"}"#,
                        &ToolContext::new(),
                    )
                    .await;
                assert_eq!(called.unwrap().text(), "unharmed");
                if is_last {
                    return;
                }
                tokio::select! {
                    () = done.cancelled() => {}
                    () = tokio::time::sleep(Duration::from_millis(20)) => {}
                }
            }
        };
        tokio::spawn(task)
    }

    /// Tells what there is to see, and lets the good server go.
    async fn report(&self) -> String {
        let mut said = String::new();
        match approve(&self.servers, "hostile").await {
            Ok(shown) if self.fault == Fault::Injects => report_difference(&mut said, &shown),
            Ok(_) => {}
            Err(error) => push_line(&mut said, "no approval", &error),
        }
        let status = self.servers.status_of("hostile").unwrap();
        report_tools(&mut said, &status);
        if status
            .offered
            .iter()
            .any(|name| &**name == "mcp__hostile__echo")
        {
            self.report_call(&mut said, "hi").await;
        }
        if self.fault == Fault::HasCycles {
            self.report_cycles(&mut said).await;
        }
        if self.fault == Fault::FloodsWithChanges {
            let lists = self.call("lists").await.unwrap();
            let lists: u32 = lists.parse().unwrap();
            push_line(
                &mut said,
                "listed again at each of the changes",
                &(lists > 1_000).to_string(),
            );
        }
        if self.fault == Fault::ChangesItsMind {
            self.report_change(&mut said).await;
        }
        if let Some(listening) = &self.listening {
            push_line(
                &mut said,
                "seen by the other origin",
                &listening.other_origin_report(),
            );
        }
        self.done.cancel();
        said
    }

    /// Arguments are held against such a schema in bounded time, whatever comes of it.
    async fn report_cycles(&self, said: &mut String) {
        for tool in ["itself", "two_steps"] {
            let name = format!("mcp__hostile__{tool}");
            let arguments = r#"{"a":{"a":1}}"#;
            let tools = self.servers.toolset();
            let called = tools.call(&name, arguments, &ToolContext::new()).await;
            match called {
                Ok(_) => push_line(said, tool, "called"),
                Err(error) => push_line(said, tool, &error.to_string()),
            }
        }
    }

    async fn report_call(&self, said: &mut String, text: &str) {
        match self.call(text).await {
            Ok(answer) if answer == text => push_line(said, "call", "answered"),
            Ok(answer) => push_line(said, "call", &format!("answered {answer:.200}")),
            Err(error) => push_line(said, "call", &error),
        }
    }

    async fn call(&self, text: &str) -> Result<String, String> {
        let arguments = json!({ "text": text }).to_string();
        let tools = self.servers.toolset();
        let called = tools
            .call("mcp__hostile__echo", &arguments, &ToolContext::new())
            .await;
        called
            .map(helve_runtime::ToolOutput::into_text)
            .map_err(|error| error.to_string())
    }

    /// Waits until the tool is withheld, and tells what the user is shown then.
    async fn report_change(&self, said: &mut String) {
        let status = loop {
            let status = self.servers.status_of("hostile").unwrap();
            if !status.withheld.is_empty() {
                break status;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        report_tools(said, &status);
        self.report_call(said, "again").await;
        let difference = self.servers.difference("hostile").await.unwrap();
        report_difference(said, &difference.to_string());
        self.servers.approve(&difference).await.unwrap();
        self.report_call(said, "and after that was approved").await;
    }
}

/// Approves what a server says now; returns what the user was shown.
async fn approve(servers: &McpServers, name: &str) -> Result<String, String> {
    let difference = servers
        .difference(name)
        .await
        .map_err(|error| error.to_string())?;
    servers
        .approve(&difference)
        .await
        .map_err(|error| error.to_string())?;
    Ok(difference.to_string())
}

fn report_tools(said: &mut String, status: &ServerStatus) {
    let names: Vec<&str> = status.offered.iter().map(|name| &**name).collect();
    match names.len() {
        0..=10 => push_line(said, "offered", &names.join(", ")),
        count => push_line(
            said,
            "offered",
            &format!("{count}, from {} to {}", names[0], names[count - 1]),
        ),
    }
    for withheld in &status.withheld {
        push_line(said, "withheld", &withheld.to_string());
    }
    for note in &status.notes {
        push_line(said, "note", note);
    }
}

/// Tells what the user is shown, without the schemas and without how the server is reached.
fn report_difference(said: &mut String, shown: &str) {
    let tells = |text: &&str| {
        let inside = ["hints:", "arguments:", "}"];
        !text.starts_with("     ") && !inside.iter().any(|part| text.trim().starts_with(part))
    };
    for text in shown.lines().skip(1).filter(tells) {
        push_line(said, "shown", text);
    }
}

/// Adds a line; nothing that a server says may steer the terminal that shows it.
fn push_line(said: &mut String, what: &str, text: &str) {
    assert!(
        !text.chars().any(|c| c.is_control() && c != '\n'),
        "{text:?}"
    );
    let _ = writeln!(
        said,
        "  {what}: {}",
        without_ports(text).replace('\n', "\n    ")
    );
}

fn without_ports(text: &str) -> String {
    let mut parts = text.split("127.0.0.1:");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str("127.0.0.1:PORT");
        kept.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    kept
}

fn server_name(name: &str) -> ServerName {
    name.parse().unwrap()
}

/// What is meant to hang is not waited for long.
fn timeouts(fault: Fault) -> CallTimeouts {
    let mut timeouts = CallTimeouts::default();
    (timeouts.connect, timeouts.list) = (TIMEOUT, TIMEOUT);
    (timeouts.call, timeouts.stall) = (TIMEOUT, TIMEOUT);
    match fault {
        Fault::HangsAtOnce => timeouts.connect = HANG_TIMEOUT,
        Fault::HangsListing => timeouts.list = HANG_TIMEOUT,
        Fault::HangsCalling | Fault::AnswersAnother | Fault::AnswersProse => {
            timeouts.stall = HANG_TIMEOUT
        }
        _ => {}
    }
    timeouts
}

impl ServerProcess {
    fn start(fault: Fault, wire: Transport, mark: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(server_arguments(fault, wire, mark))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        output.read_line(&mut first).unwrap();
        let port = first.trim().parse().unwrap();
        Self { process, port }
    }

    /// Tells whether the other origin got requests, and whether the secret was among them.
    fn other_origin_report(&self) -> String {
        let mut heads = String::new();
        let asked = TcpStream::connect(("127.0.0.1", self.port)).and_then(|mut connection| {
            connection.write_all(b"GET /seen HTTP/1.1\r\n\r\n")?;
            connection.read_to_string(&mut heads)
        });
        let body = heads.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        match asked {
            Err(_) => "nothing, since the server is gone".to_owned(),
            // A process that ends closes its listener after the connections that were waiting there.
            Ok(_) if heads.is_empty() => "nothing, since the server is gone".to_owned(),
            Ok(_) if body.is_empty() => "nothing".to_owned(),
            Ok(_) if body.contains(SECRET) => "the secret".to_owned(),
            Ok(_) => "requests without the secret".to_owned(),
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the most memory that this process has held, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        * 1024
}
