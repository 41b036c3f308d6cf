//! What is to be pasted into the settings of clients.

use serde_json::{Value, json};

use super::program::run;

/// Returns what is printed for a client, without what is said of it.
fn print_config(client: &str, flags: &[&str]) -> String {
    let seen = run(&[&["serve", "--print-config", client], flags].concat());
    let printed = seen
        .strip_prefix("exit 0\n--- stdout\n")
        .expect("it succeeds");
    let (printed, said) = printed.split_once("--- stderr\n").expect("it says where");
    assert!(said.starts_with("add to `"), "{said}");
    printed.trim_end().to_owned()
}

fn print_config_json(client: &str, flags: &[&str]) -> Value {
    serde_json::from_str(&print_config(client, flags)).expect("it is JSON")
}

#[test]
fn a_client_starts_the_program() {
    let flags = ["--tools", "read_*", "--allow", "bash(git log:*)"];
    let printed_arguments = |arguments: &Value| {
        let arguments = arguments.as_array().expect("arguments").clone();
        let root = arguments[1].as_str().expect("a root").to_owned();
        // The folder is gone by now, and was absolute.
        assert!(root.starts_with('/') || root == "FOLDER", "{root}");
        let others = [&arguments[..1], &arguments[2..]].concat();
        assert_eq!(
            Value::from(others),
            json!([
                "--root",
                "serve",
                "--stdio",
                "--tools",
                "read_*",
                "--allow",
                "bash(git log:*)"
            ])
        );
    };
    for (client, servers, has_type) in [
        ("claude", "mcpServers", true),
        ("cursor", "mcpServers", false),
        ("vscode", "servers", true),
    ] {
        let value = print_config_json(client, &flags);
        let entry = &value[servers]["assistant"];
        assert_eq!(entry["command"], "PROGRAM");
        assert_eq!(entry["type"] == "stdio", has_type);
        printed_arguments(&entry["args"]);
    }
    let codex = print_config("codex", &flags);
    let lines: Vec<&str> = codex.lines().collect();
    assert_eq!(
        lines[..2],
        ["[mcp_servers.assistant]", "command = \"PROGRAM\""]
    );
    let arguments = lines[2].strip_prefix("args = ").expect("arguments");
    printed_arguments(
        &serde_json::from_str(arguments).expect("TOML writes such a list as JSON does"),
    );
}

#[test]
fn a_client_reaches_the_server() {
    let flags = ["--http", "localhost:8080", "--token-env", "ASSISTANT_TOKEN"];
    let url = "http://localhost:8080/mcp";
    let bearer = |variable: &str| json!({ "Authorization": format!("Bearer {variable}") });
    assert_eq!(
        print_config_json("claude", &flags),
        json!({ "mcpServers": { "assistant": {
            "type": "http", "url": url, "headers": bearer("${ASSISTANT_TOKEN}"),
        } } })
    );
    assert_eq!(
        print_config_json("cursor", &flags),
        json!({ "mcpServers": { "assistant": { "url": url, "headers": bearer("${env:ASSISTANT_TOKEN}") } } })
    );
    assert_eq!(
        print_config_json("vscode", &flags),
        json!({
            "inputs": [{
                "type": "promptString",
                "id": "assistant-token",
                "description": "The access token of assistant",
                "password": true,
            }],
            "servers": { "assistant": {
                "type": "http", "url": url, "headers": bearer("${input:assistant-token}"),
            } },
        })
    );
    assert_eq!(
        print_config("codex", &flags),
        "[mcp_servers.assistant]\nurl = \"http://localhost:8080/mcp\"\nbearer_token_env_var = \"ASSISTANT_TOKEN\""
    );
    // This machine alone reaches it without one.
    let open = print_config_json("claude", &["--http", "8080"]);
    assert_eq!(
        open["mcpServers"]["assistant"],
        json!({ "type": "http", "url": "http://127.0.0.1:8080/mcp" })
    );
}
