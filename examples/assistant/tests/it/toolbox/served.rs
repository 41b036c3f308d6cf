//! The tools for the clients of an MCP server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use super::{page, place, web};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;

/// What a client hears from the server until it has an answer to each call: answers and progress.
fn served(calls: &[(&str, Value)]) -> (Vec<Value>, Vec<Value>) {
    let server = web();
    let place = place(&server);
    let calls: Vec<(&str, Value)> = calls
        .iter()
        .map(|(tool, arguments)| {
            let text = arguments.to_string().replace("PAGE", &page(&server));
            (*tool, serde_json::from_str(&text).expect("JSON"))
        })
        .collect();
    let mut command = place.command(&["serve", "--stdio"]);
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut program = command.spawn().expect("the binary starts");
    let mut input = program.stdin.take().expect("an input");
    let lines = BufReader::new(program.stdout.take().expect("an output")).lines();
    let mut heard = lines
        .map_while(Result::ok)
        .map(|line| serde_json::from_str::<Value>(&line).expect("JSON"));
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    writeln!(input, "{INITIALIZE}\n{initialized}").expect("it reads");
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    writeln!(input, "{list}").expect("it reads");
    let (mut answers, mut progress) = (Vec::new(), Vec::new());
    for (at, (tool, arguments)) in calls.iter().enumerate() {
        let params =
            json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": tool } });
        let call =
            json!({ "jsonrpc": "2.0", "id": at + 3, "method": "tools/call", "params": params });
        writeln!(input, "{call}").expect("it reads");
        let answer = heard.find(|message| {
            if message["method"] == "notifications/progress" {
                let params = server.redact_url(&message["params"].to_string());
                progress.push(serde_json::from_str(&params).expect("JSON"));
            }
            if message["id"] == 2 {
                answers.push(message.clone());
            }
            message["id"] == at + 3
        });
        let text = answer.expect("an answer").to_string();
        answers.push(serde_json::from_str(&server.redact_url(&text)).expect("JSON"));
    }
    drop(input);
    program.wait().expect("it ends");
    (answers, progress)
}

#[test]
fn clients_call_them_and_hear_what_they_do() {
    let calls = [
        ("web_fetch", json!({ "url": "PAGE", "find": "metres" })),
        ("web_search", json!({ "query": "the tower" })),
        (
            "http_request",
            json!({ "preset": "tracker", "url": "items", "pick": "/items/*/name" }),
        ),
    ];
    let (answers, progress) = served(&calls);
    let list = answers[0]["result"]["tools"].as_array().expect("tools");
    for (tool, _) in &calls {
        let listed = list
            .iter()
            .find(|one| one["name"] == *tool)
            .expect("it is listed");
        assert_eq!(listed["annotations"]["openWorldHint"], true, "{listed}");
    }
    assert!(list.iter().any(|one| one["name"] == "check_code"));
    let texts: Vec<&str> = answers[1..]
        .iter()
        .map(|answer| {
            answer["result"]["content"][0]["text"]
                .as_str()
                .expect("a text")
        })
        .collect();
    insta::assert_snapshot!(texts.join("\n---\n"), @r#"
    <untrusted source="http://127.0.0.1:PORT/page" tool="web_fetch">
    [http://127.0.0.1:PORT/page, text/html: 1 match in 156 characters]
    title: The tower
    (the content of the page, without navigation)

    --- at character 108 ---
    # The tower

    The tower was built in 1889, and it is the highest building of the old town.

    Its height is 41 metres, from the market to the flag on its roof.
    </untrusted>
    ---
    <untrusted source="unknown" tool="web_search">
    1 result from searxng

    1. The tower
       https://example.com/tower
       It was built in 1889.
    </untrusted>
    ---
    <untrusted source="items" tool="http_request">
    200 OK, application/json, `/items/*/name` of 121 bytes, shown whole

    [
      "item 0",
      "item 1",
      "item 2"
    ]
    </untrusted>
    "#);
    let said: Vec<String> = progress
        .iter()
        .map(|params| format!("{}: {}", params["progressToken"], params["message"]))
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r#"
    "web_fetch": "requesting http://127.0.0.1:PORT/page"
    "http_request": "sending GET http://127.0.0.1:PORT/v1/items, with the secret `TRACKER_TOKEN`"
    "#);
}
