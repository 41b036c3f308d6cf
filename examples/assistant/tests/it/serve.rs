//! `serve`: the binary as a server, for whoever starts it and for whoever reaches its port.
#![cfg(unix)]

mod asking;
mod print;
mod program;
mod reducing;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use program::{ServeProcess, folder, run};
use serde_json::Value;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;

#[test]
fn standard_output_belongs_to_the_protocol() {
    let folder = folder();
    let mut program = ServeProcess::start(
        folder.path(),
        &["serve", "--stdio", "--tools", "read_*,grep"],
    );
    let mut input = program.input();
    for line in [
        INITIALIZE,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"README.md"}}}"#,
    ] {
        writeln!(input, "{line}").expect("the server reads");
    }
    let mut answers: Vec<Value> = Vec::new();
    let mut lines = BufReader::new(program.output()).lines();
    while answers.len() < 3 {
        let line = lines.next().expect("an answer").expect("the server writes");
        answers.push(serde_json::from_str(&line).expect("nothing else is written there"));
    }
    drop(input);
    assert!(lines.next().is_none());
    assert_eq!(program.exit_code(), Some(0));
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let names = answers[1]["result"]["tools"].as_array().expect("tools");
    let names: Vec<_> = names
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(
        names.contains(&"grep") && names.contains(&"read_file"),
        "{names:?}"
    );
    assert!(!names.contains(&"write_file"), "{names:?}");
    assert!(answers[2].to_string().contains("# Notes"), "{}", answers[2]);
}

#[test]
fn a_question_that_nobody_can_be_asked_is_refused_with_the_way_out() {
    let folder = folder();
    let mut program = ServeProcess::start(folder.path(), &["serve", "--stdio"]);
    let mut input = program.input();
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"new.txt","content":"x"}}}"#;
    writeln!(
        input,
        "{INITIALIZE}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n{call}"
    )
    .expect("the server reads");
    let mut lines = BufReader::new(program.output())
        .lines()
        .map_while(Result::ok);
    let refused = lines
        .find(|line| line.contains("\"id\":2"))
        .expect("an answer");
    assert!(refused.contains("permissions allow"), "{refused}");
    assert!(!folder.path().join("new.txt").exists());
    drop(input);
    assert_eq!(program.exit_code(), Some(0));
}

#[test]
fn a_signal_ends_it_in_order() {
    let folder = folder();
    let mut program = ServeProcess::start(folder.path(), &["serve", "--stdio"]);
    let mut input = program.input();
    writeln!(input, "{INITIALIZE}").expect("the server reads");
    let mut answer = String::new();
    let mut output = BufReader::new(program.output());
    output.read_line(&mut answer).expect("an answer");
    program.terminate();
    assert_eq!(program.exit_code(), Some(0));
}

fn http_get(address: &str, head: &str) -> String {
    http_post(address, head, INITIALIZE)
}

/// Sends one request, and reads until the server closes the connection.
fn http_post(address: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\naccept: application/json, \
         text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n{head}\r\n{body}",
        body.len()
    );
    stream
        .write_all(request.as_bytes())
        .expect("the server reads");
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .expect("the server answers");
    answer
}

#[test]
fn it_serves_over_http_until_a_signal_ends_it() {
    let folder = folder();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "editor=0123456789abcdef\n").expect("a file");
    let arguments = ["serve", "--http", "0", "--token-file", "tokens"];
    let mut program = ServeProcess::start(folder.path(), &arguments);
    let address = program.stderr_between("listening on http://", "/mcp");
    assert!(http_get(&address, "").starts_with("HTTP/1.1 401 "));
    let token = "authorization: Bearer 0123456789abcdef\r\n";
    let answer = http_get(&address, token);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("\"name\":\"assistant\""), "{answer}");
    program.terminate();
    assert_eq!(program.exit_code(), Some(0));
}

/// A session of a client that speaks HTTP.
struct HttpSession<'a> {
    address: &'a str,
    id: String,
}

impl<'a> HttpSession<'a> {
    fn begin(address: &'a str) -> Self {
        let answer = http_post(address, "", INITIALIZE);
        let (head, _) = answer.split_once("\r\n\r\n").expect("a head");
        let mut fields = head.lines().filter_map(|line| line.split_once(": "));
        let id = fields.find(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id"));
        let (_, id) = id.expect("a session");
        let session = Self {
            address,
            id: id.to_owned(),
        };
        session.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        session
    }

    fn post(&self, body: &str) -> String {
        let session = format!("mcp-session-id: {}\r\n", self.id);
        http_post(self.address, &session, body)
    }

    /// Runs a command, and returns what the client reads.
    fn bash(&self, command: &str) -> String {
        let call = serde_json::json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": { "name": "bash", "arguments": { "command": command } },
        });
        self.post(&call.to_string())
    }
}

#[test]
fn each_session_runs_its_commands_in_a_sandbox_of_its_own() {
    let is_there = run(&["call", "bash", r#"{"command": "echo it runs"}"#]);
    if !is_there.starts_with("exit 0") {
        println!("ran nothing: there is no sandbox on this machine");
        return;
    }
    let folder = folder();
    let arguments = ["serve", "--http", "0", "--mode", "bypass"];
    let mut program = ServeProcess::start(folder.path(), &arguments);
    let address = program.stderr_between("listening on http://", "/mcp");
    let [one, other] = [HttpSession::begin(&address), HttpSession::begin(&address)];
    let marked = one.bash("echo of the first > /tmp/mark; echo of both > mark; cat /tmp/mark");
    assert!(marked.contains("of the first"), "{marked}");
    let seen = other.bash("cat mark; cat /tmp/mark");
    assert!(seen.contains("of both"), "{seen}");
    assert!(!seen.contains("of the first"), "{seen}");
    let again = one.bash("cat /tmp/mark");
    assert!(again.contains("of the first"), "{again}");
    program.terminate();
    assert_eq!(program.exit_code(), Some(0));
}

#[test]
fn what_cannot_be_served_is_said() {
    for (arguments, words) in [
        (&["serve"][..], "--print-config"),
        (&["serve", "--stdio", "--http", "0"], "cannot be used with"),
        (&["serve", "--http", "0.0.0.0:0"], "a token is required"),
        (&["serve", "--http", "somewhere"], "expected HOST:PORT"),
        (
            &["serve", "--http", "0", "--token-env", "NO_SUCH_VARIABLE"],
            "`NO_SUCH_VARIABLE` (from --token-env) is not set",
        ),
        (
            &["serve", "--http", "0", "--token-file", "README.md"],
            "line 3: a token has",
        ),
        (
            &["serve", "--http", "0", "--allow-origin", "example.com"],
            "`example.com` is no origin",
        ),
        (&["serve", "--stdio", "--tools", "grepp"], "`grep`"),
        (
            &["serve", "--stdio", "--tools", "no_*"],
            "no tool matches `no_*`",
        ),
    ] {
        let said = run(arguments);
        assert!(said.starts_with("exit 2\n"), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn a_rule_is_added_where_the_refusal_says() {
    let folder = folder();
    let arguments = ["permissions", "allow", "write_file(src/**)"];
    let said = program::run_in(folder.path(), &arguments);
    assert!(said.starts_with("exit 0\n"), "{said}");
    assert!(
        said.contains("added `write_file(src/**)` to the allow rules of FOLDER/"),
        "{said}"
    );
    let listed = program::run_in(folder.path(), &["permissions", "list"]);
    assert!(listed.contains("allow write_file(src/**)"), "{listed}");
    let refused = run(&["permissions", "allow", "write_file("]);
    assert!(refused.starts_with("exit 2\n"), "{refused}");
}
