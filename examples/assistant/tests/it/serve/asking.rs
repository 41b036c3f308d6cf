//! `ask_user` of a server: the user of the client is asked, with an elicitation.

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::{Value, json};

use super::program::{ServeProcess, folder};

/// Calls the tool of a server for a client with these capabilities; the client answers an elicitation like this. Returns
/// the elicitation, and the text of the result.
fn ask(capabilities: &Value, answer: &Value) -> (Option<Value>, String) {
    let folder = folder();
    let mut program = ServeProcess::start(folder.path(), &["serve", "--stdio"]);
    let mut input = program.input();
    let questions = json!([
        { "id": "database", "text": "Which database?", "kind": "one", "options": ["SQLite", "Postgres"] },
        { "id": "parts", "text": "Which parts?", "kind": "many", "options": ["Parser", "Tests"], "other": false },
    ]);
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "raw", "version": "1" },
        },
    });
    let call = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "ask_user", "arguments": { "questions": questions } },
    });
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for message in [&initialize, &initialized, &call] {
        writeln!(input, "{message}").expect("the server reads");
    }
    let mut asked = None;
    let lines = BufReader::new(program.output()).lines();
    for line in lines.map_while(Result::ok) {
        let message: Value = serde_json::from_str(&line).expect("a message");
        if message["method"] == "elicitation/create" {
            let reply = json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer });
            writeln!(input, "{reply}").expect("the server reads");
            asked = Some(message["params"].clone());
        } else if message["id"] == 2 {
            let text = &message["result"]["content"][0]["text"];
            let text = text.as_str().unwrap_or_else(|| panic!("{message}"));
            return (asked, text.to_owned());
        }
    }
    panic!("the server ended");
}

#[test]
fn the_user_of_the_client_answers() {
    let values = json!({ "database_other": "DuckDB", "parts": ["Tests"] });
    let answer = json!({ "action": "accept", "content": values });
    let (asked, text) = ask(&json!({ "elicitation": {} }), &answer);
    assert_eq!(
        text,
        r#"{"status":"answered","answers":{"database":["DuckDB"],"parts":["Tests"]}}"#
    );
    let asked = asked.expect("an elicitation");
    assert_eq!(asked["message"], "The agent has 2 questions.");
    let properties = &asked["requestedSchema"]["properties"];
    let names: Vec<&String> = properties.as_object().expect("fields").keys().collect();
    assert_eq!(names, ["database", "database_other", "parts"]);
    assert_eq!(
        properties["database"],
        json!({ "type": "string", "title": "Which database?", "enum": ["SQLite", "Postgres"] })
    );
}

#[test]
fn a_refusal_and_a_client_that_cannot_ask_differ() {
    let decline = json!({ "action": "decline" });
    let (asked, text) = ask(&json!({ "elicitation": {} }), &decline);
    assert!(
        asked.is_some() && text.starts_with(r#"{"status":"declined""#),
        "{text}"
    );
    let (asked, text) = ask(&json!({}), &decline);
    assert!(
        asked.is_none() && text.starts_with(r#"{"status":"nobody_there""#),
        "{text}"
    );
}
