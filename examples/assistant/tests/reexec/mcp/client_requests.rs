//! What a server asks of the person, and of the model.

use serde_json::json;

use crate::mcp::fixture::{McpFixture, recording};
#[cfg(unix)]
use crate::mcp::pty;
#[cfg(unix)]
use crate::mcp::web::{ModelReply, TestServer};

pub(crate) fn nobody_is_there_to_be_asked() {
    let place = McpFixture::new().with_notes("").with_approved_server();
    insta::assert_snapshot!(place.run(&["call", "mcp__notes__ask", "{}"]), @r#"
    exit 0
    --- stdout
    {"action":"decline"}
    --- stderr
    calling `mcp__notes__ask` (does not say what it changes, medium risk) in PLACE/project
    "#);
    // Without being allowed to, it does not even get as far as a question.
    insta::assert_snapshot!(place.run(&["call", "mcp__notes__think", "{}"]), @r#"
    exit 0
    --- stdout
    {"code":-32600,"message":"this client does not lend its model to this server"}
    --- stderr
    calling `mcp__notes__think` (does not say what it changes, medium risk) in PLACE/project
    "#);
    let seen = place.run_agent(
        &["--allow", "mcp__notes__*"],
        &[("mcp__notes__visit", json!({}))],
    );
    assert!(!seen.contains("accept"), "{seen}");
    // Being allowed to is not enough: each time a person says yes.
    let place = McpFixture::new()
        .with_notes("sampling = true\n")
        .with_approved_server();
    let seen = place.run(&["call", "mcp__notes__think", "{}"]);
    assert!(
        seen.contains("no agent is running, so there is no model to sample"),
        "{seen}"
    );
    let seen = place.run_agent(
        &["--allow", "mcp__notes__*"],
        &[("mcp__notes__think", json!({}))],
    );
    assert!(
        seen.contains("the user cannot approve the request"),
        "{seen}"
    );
}

/// Starts the agent at a terminal, where it calls a tool of the server.
#[cfg(unix)]
fn start_agent(place: &McpFixture, tool: &str) -> pty::PtySession {
    let file = place.path("says.jsonl");
    std::fs::write(&file, recording(&[(tool, json!({}))])).expect("a file");
    let file = file.display().to_string();
    let arguments = [
        "run",
        "go",
        "--no-session",
        "--allow",
        "mcp__notes__*",
        "--replay",
        &file,
    ];
    start_terminal(place, &arguments)
}

/// Starts the binary at a terminal.
#[cfg(unix)]
fn start_terminal(place: &McpFixture, arguments: &[&str]) -> pty::PtySession {
    pty::PtySession::in_folder(
        &place.path("project"),
        env!("CARGO_BIN_EXE_assistant"),
        arguments,
        &[
            ("HOME", &place.path("home").display().to_string()),
            ("GROQ_API_KEY", "of-the-user"),
        ],
        (40, 100),
    )
}

#[cfg(unix)]
pub(crate) fn a_form_is_filled_in() {
    let place = McpFixture::new().with_notes("").with_approved_server();
    let mut screen = start_agent(&place, "mcp__notes__ask");
    screen.wait_for_question("[a] answer");
    screen.type_line("a");
    screen.wait_for_question("Its name");
    screen.type_line("too long");
    screen.wait_for_question("Invalid answer");
    screen.type_line("fix");
    screen.wait_for_question("2 next");
    screen.type_line("2");
    screen.wait_for_question("Push it");
    screen.type_line("");
    let (seen, code) = screen.wait_for_exit();
    assert_eq!(code, 0, "{seen}");
    insta::assert_snapshot!(place.redact(&seen), @r#"
    > go


    ? The MCP server notes asks:
        What shall the branch be called?
      Your answer is sent to the server. Do not enter secrets.
      [a] answer  [n] no
      > a
      Type /no to decline the form.
      name: Its name
        text (at most 5 characters)
      > too long
      Invalid answer: expected text (at most 5 characters).
      > fix
      base
        1 main
        2 next
        the number of a choice [default: "main"]
      > 2
      Push it
        yes or no (optional)
      >
    ✓ mcp__notes__ask
        {"action":"accept","content":{"name":"fix","base":"next"}}

    Done.

    — finished · TIME
    "#);
    let mut screen = start_agent(&place, "mcp__notes__ask");
    screen.wait_for_question("[a] answer");
    screen.type_line("n");
    let (seen, _) = screen.wait_for_exit();
    assert!(seen.contains("decline"), "{seen}");
}

#[cfg(unix)]
pub(crate) fn an_address_is_shown_and_not_opened() {
    let place = McpFixture::new().with_notes("").with_approved_server();
    let mut screen = start_agent(&place, "mcp__notes__visit");
    screen.wait_for_question("[y] yes");
    screen.type_line("y");
    let (seen, code) = screen.wait_for_exit();
    assert_eq!(code, 0, "{seen}");
    insta::assert_snapshot!(place.redact(&seen), @r#"
    > go


    ? The MCP server notes asks you to open a URL:
        Log in there.
        https://login.example/x?y=1
      Host: login.example
      The URL is not opened automatically. Answer yes after you have opened it.
      [y] yes  [n] no
      > y
    ✓ mcp__notes__visit
        {"action":"accept"}

    Done.

    — finished · TIME
    "#);
}

#[cfg(unix)]
pub(crate) fn the_model_is_lent_once_it_is_allowed() {
    let place = McpFixture::new()
        .with_notes("sampling = true\n")
        .with_approved_server();
    let mut screen = start_agent(&place, "mcp__notes__think");
    screen.wait_for_question("[y] yes, once");
    screen.type_line("n");
    let (seen, _) = screen.wait_for_exit();
    insta::assert_snapshot!(place.redact(&seen), @r#"
    > go


    ? Allow the MCP server notes to use the model?
        user:
          Say a word.
      Up to 50 tokens at your cost; the reply is sent to the server.
      [y] yes, once  [n] no
      > n
    ✓ mcp__notes__think
        {"code":-32603,"message":"using the client failed: the user declined the request"}

    Done.

    — finished · TIME
    "#);
}

#[cfg(unix)]
pub(crate) fn what_is_added_is_shown_at_once() {
    let place = McpFixture::new();
    let [program, role, state] = place.server_command();
    let mut screen = start_terminal(
        &place,
        &["mcp", "add", "notes", "--", &program, &role, &state],
    );
    screen.wait_for_question("Accept these changes");
    let table = screen.screen();
    assert!(
        table.contains("+ tool `echo`         read-only    Says it again."),
        "{table}"
    );
    screen.type_line("d");
    screen.wait_for("\"readOnlyHint\": true");
    screen.type_line("y");
    let (seen, code) = screen.wait_for_exit();
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("approved `notes` (5 tools)"), "{seen}");
    assert!(place.run(&["tools"]).contains("mcp__notes__echo"));
}

/// Runs the agent with the model at an address.
#[cfg(unix)]
fn model_flags(url: &str) -> [&str; 9] {
    let tools = "mcp__notes__*";
    [
        "run",
        "go",
        "--no-session",
        "--allow",
        tools,
        "--model",
        "groq/m",
        "--base-url",
        url,
    ]
}

#[cfg(unix)]
pub(crate) fn what_the_model_writes_goes_to_the_server() {
    let place = McpFixture::new()
        .with_notes("sampling = true\n")
        .with_approved_server();
    let model = TestServer::with_replies([
        ModelReply::tool_call("mcp__notes__think", &json!({})),
        ModelReply::message("Harbour."),
        ModelReply::message("Done."),
    ]);
    let mut screen = start_terminal(&place, &model_flags(&model.url()));
    screen.wait_for_question("[y] yes, once");
    // Nothing is written before the person has said so.
    assert_eq!(model.requests().len(), 1);
    screen.type_line("y");
    let (seen, code) = screen.wait_for_exit();
    assert_eq!(code, 0, "{seen}");
    insta::assert_snapshot!(place.redact(&seen), @r#"
    > go


    ? Allow the MCP server notes to use the model?
        user:
          Say a word.
      Up to 50 tokens at your cost; the reply is sent to the server.
      [y] yes, once  [n] no
      > y
    ✓ mcp__notes__think
        {"model":"groq/m","stopReason":"endTurn","role":"assistant","content":{"type":"text","text":"Ha…

    Done.

    — finished · 2,000,000 in · 4,000 out · TIME
    "#);
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    // Of the conversation, its tools and instructions the server gets nothing through the model.
    insta::assert_snapshot!(format!("{:#}", requests[1].json()), @r#"
    {
      "model": "m",
      "messages": [
        {
          "role": "user",
          "content": "Say a word."
        }
      ],
      "max_completion_tokens": 50,
      "stream": true,
      "stream_options": {
        "include_usage": true
      }
    }
    "#);
    let last = requests[2].json();
    let last = last["messages"]
        .as_array()
        .and_then(|messages| messages.last());
    assert!(
        last.expect("a message").to_string().contains("Harbour."),
        "{last:?}"
    );
}

#[cfg(unix)]
pub(crate) fn a_server_that_is_not_allowed_to_gets_nothing_of_the_model() {
    let place = McpFixture::new().with_notes("").with_approved_server();
    let model = TestServer::with_replies([
        ModelReply::tool_call("mcp__notes__think", &json!({})),
        ModelReply::message("Done."),
    ]);
    let screen = start_terminal(&place, &model_flags(&model.url()));
    let (seen, code) = screen.wait_for_exit();
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("does not lend its model"), "{seen}");
    assert!(!seen.contains("to use the model?"), "{seen}");
    assert_eq!(model.requests().len(), 2);
}

#[cfg(unix)]
pub(crate) fn why_the_model_failed_is_no_matter_of_the_server() {
    let place = McpFixture::new()
        .with_notes("sampling = true\n")
        .with_approved_server();
    let model = TestServer::with_replies([
        ModelReply::tool_call("mcp__notes__think", &json!({})),
        ModelReply::error("401 Unauthorized", "of-the-u**r has no credit left"),
        ModelReply::message("Done."),
    ]);
    let url = model.url();
    let log = place.path("log.txt").display().to_string();
    let logged = ["--log", "warn", "--log-file", &log];
    let mut screen = start_terminal(&place, &[&model_flags(&url)[..], &logged].concat());
    screen.wait_for_question("[y] yes, once");
    screen.type_line("y");
    let (seen, code) = screen.wait_for_exit();
    assert_eq!(code, 0, "{seen}");
    let requests = model.requests();
    let told = requests.last().expect("a request").text();
    assert!(told.contains("the model did not reply"), "{told}");
    assert!(!told.contains("credit"), "{told}");
    let log = std::fs::read_to_string(log).expect("a log");
    assert!(log.contains("has no credit left"), "{log}");
}
