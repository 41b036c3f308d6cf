//! Resources and prompts as tools that read them.

use helve_runtime::acceptances::Acceptances;
use helve_runtime::mcp::McpServers;
use helve_runtime::tool::ToolContext;
use serde_json::{Value, json};

use crate::mcp_tools::mcp_server::{TestServer, tool};
use crate::mcp_tools::support::{connect, own_config, servers};

fn says() -> Value {
    json!({
        "tools": [tool("get_prompt", "The server's own.", json!({}))],
        "resources": [{ "uri": "note:1", "name": "one", "title": "The first", "description": "A note.", "mimeType": "text/markdown", "size": 3 }],
        "templates": [{ "uriTemplate": "note:{id}", "name": "any" }],
        "files": { "note:1": "# One" },
        "prompts": [{ "name": "ask", "description": "Asks.", "arguments": [{ "name": "what", "required": true }] }],
    })
}

async fn call(servers: &McpServers, tool: &str, arguments: &str) -> String {
    let called = servers
        .toolset()
        .call(&format!("mcp__fs__{tool}"), arguments, &ToolContext::new())
        .await;
    called.map_or_else(
        |error| format!("{}: {error}", error.kind()),
        |output| output.text().into_owned(),
    )
}

#[tokio::test]
async fn resources_and_prompts_are_read_by_tools() {
    let mut says = says();
    says["tools"] = json!([]);
    let servers = servers(
        own_config("fs"),
        &TestServer::new(says),
        &Acceptances::in_memory(),
    );
    connect(&servers).await;
    insta::assert_snapshot!(servers.toolset().names().join("\n"), @r#"
    mcp__fs__get_prompt
    mcp__fs__list_prompts
    mcp__fs__list_resources
    mcp__fs__read_resource
    "#);
    insta::assert_snapshot!(call(&servers, "list_resources", "{}").await, @r#"{"resources":[{"uri":"note:1","name":"The first","description":"A note.","mimeType":"text/markdown"}],"templates":[{"uriTemplate":"note:{id}","name":"any"}]}"#);
    insta::assert_snapshot!(call(&servers, "read_resource", r#"{"uri":"note:1"}"#).await, @"# One");
    insta::assert_snapshot!(call(&servers, "read_resource", r#"{"uri":"note:2"}"#).await, @"failed: the MCP server `fs` refused the resource `note:2`: there is no note:2 (code -32002)");
    insta::assert_snapshot!(call(&servers, "read_resource", "{}").await, @"invalid_arguments: `/uri`: expected a string (Its URI, as `list_resources` gives it or a template filled i…), got nothing; this key is required");
    insta::assert_snapshot!(call(&servers, "list_prompts", "{}").await, @r#"{"prompts":[{"name":"ask","description":"Asks.","arguments":[{"name":"what","required":true}]}]}"#);
    insta::assert_snapshot!(call(&servers, "get_prompt", r#"{"name":"ask","arguments":{"what":"sit"}}"#).await, @r#"
    [user]
    Please "sit".
    [assistant]
    At once.
    "#);
    for tool in servers.toolset().tools() {
        let spec = tool.spec();
        assert!(spec.untrusted_output && spec.annotations.read_only == Some(true));
    }
}

#[tokio::test]
async fn a_tool_of_the_servers_own_stands() {
    let servers = servers(
        own_config("fs"),
        &TestServer::new(says()),
        &Acceptances::in_memory(),
    );
    connect(&servers).await;
    let prompt = servers.toolset().get("mcp__fs__get_prompt").unwrap();
    assert_eq!(&*prompt.spec().description, "The server's own.");
}

#[tokio::test]
async fn they_can_be_switched_off() {
    let offer = TestServer::new(says());
    let builder = McpServers::builder().server_within(own_config("fs"), offer.connect());
    let servers = builder
        .acceptances(Acceptances::in_memory())
        .without_context_tools()
        .build();
    connect(&servers).await;
    assert_eq!(servers.toolset().names(), ["mcp__fs__get_prompt"]);
    let config = own_config("fs").without(["*_resource*", "list_prompts"]);
    let servers = self::servers(config, &offer, &Acceptances::in_memory());
    connect(&servers).await;
    assert_eq!(servers.toolset().names(), ["mcp__fs__get_prompt"]);
}
