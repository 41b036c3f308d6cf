//! What of a server becomes a tool, under which name, and how the list follows the server.

use helve_runtime::acceptances::Acceptances;
use helve_runtime::mcp::{McpServers, ServerConfig};
use helve_runtime::tool::ToolContext;
use helve_runtime::toolset::ToolFilter;
use serde_json::json;

use crate::mcp_tools::mcp_server::{TestServer, tool};
use crate::mcp_tools::support::{connect, own_config, render_status, servers, trusted, wait_until};

#[tokio::test]
async fn names_are_mapped_and_what_is_no_tool_is_withheld_alone() {
    let offer = TestServer::tools(json!([
        tool("read", "Reads.", json!({})),
        tool("a:b/c", "Odd \u{1b}[31mname\u{202e}.", json!({})),
        tool(&"x".repeat(80), "Long.", json!({})),
        { "name": "cyclic", "inputSchema": { "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } }, "$defs": { "a": { "$ref": "#/$defs/a" } } } },
        { "name": "list", "inputSchema": { "type": "array" } },
        { "name": "bad\u{1b}[2Jresult", "inputSchema": { "type": "object" }, "outputSchema": { "type": "object", "properties": { "a": { "$ref": "https://example.org" } } } },
    ]));
    let servers = trusted(&offer).await;
    insta::assert_snapshot!(render_status(&servers), @r#"
    NotNeeded
    mcp__fs__read
    mcp__fs__a_b_c_e1572215
    mcp__fs__xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_b2e80351
    mcp__fs__bad__2Jresult_f708f004
    withheld `cyclic`: its description cannot be used: `a` in it is nothing but itself
    withheld `list`: its description cannot be used: the root of the schema must describe an object, not "array"
    note: the schema of what `badresult` returns is not used: `$ref` to `https://example.org` leaves the document, and no schema is ever fetched
    "#);
    let odd = servers.toolset().get("mcp__fs__a_b_c_e1572215").unwrap();
    assert_eq!(&*odd.spec().description, "Odd name.");
    assert_eq!(odd.spec().title.as_deref(), Some("a:b/c"));
}

#[tokio::test]
async fn the_original_name_reaches_the_server() {
    let offer = TestServer::tools(json!([tool("a:b/c", "Odd.", json!({}))]));
    let servers = trusted(&offer).await;
    let (tools, context) = (servers.toolset(), ToolContext::new());
    let called = tools.call("mcp__fs__a_b_c_e1572215", r#"{"text":"hi"}"#, &context);
    assert_eq!(called.await.unwrap().text(), "done");
    assert_eq!(
        offer.calls(),
        [("a:b/c".to_owned(), json!({ "text": "hi" }))]
    );
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_leave() {
    let offer = TestServer::tools(json!([tool("read", "Reads.", json!({}))]));
    let servers = trusted(&offer).await;
    let (tools, context) = (servers.toolset(), ToolContext::new());
    let called = tools.call("mcp__fs__read", r#"{"text":[1]}"#, &context);
    insta::assert_snapshot!(called.await.unwrap_err(), @"`/text`: expected a string, got the array [1]");
    assert!(offer.calls().is_empty());
}

#[tokio::test]
async fn only_the_chosen_tools_are_there() {
    let tools = json!([
        tool("read_one", "", json!({})),
        tool("read_all", "", json!({})),
        tool("write", "", json!({}))
    ]);
    let offer = TestServer::tools(tools);
    let config = own_config("fs").only(["read_*", "raed"]).without(["*_all"]);
    let servers = servers(config, &offer, &Acceptances::in_memory());
    connect(&servers).await;
    insta::assert_snapshot!(render_status(&servers), @r#"
    NotNeeded
    mcp__fs__read_one
    note: it has no tool `raed`, which the configuration names
    "#);
}

#[tokio::test]
async fn the_list_follows_the_server() {
    let offer = TestServer::tools(json!([tool("read", "Reads.", json!({}))]));
    let servers = trusted(&offer).await;
    let tools = servers.toolset();
    assert_eq!(tools.names(), ["mcp__fs__read"]);
    offer.set(
        "tools",
        json!([
            tool("read", "Reads.", json!({})),
            tool("write", "Writes.", json!({}))
        ]),
    );
    offer.notify();
    wait_until(|| tools.names().len() == 2).await;
    assert_eq!(tools.names(), ["mcp__fs__read", "mcp__fs__write"]);
}

/// On several threads, where the list is also made by whoever follows the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_tools_are_there_once_the_server_is_connected_to() {
    for _ in 0..300 {
        let offer = TestServer::tools(json!([tool("read", "Reads.", json!({}))]));
        let mut builder = McpServers::builder().acceptances(Acceptances::in_memory());
        for name in ["one", "two", "three", "four"] {
            builder = builder.server_within(own_config(name), offer.connect());
        }
        let servers = builder.build();
        connect(&servers).await;
        assert_eq!(servers.toolset().names().len(), 4);
    }
}

#[tokio::test]
async fn each_server_fails_alone() {
    let offer = TestServer::tools(json!([tool("read", "Reads.", json!({}))]));
    let gone = ServerConfig::stdio("gone".parse().unwrap(), "/no/such/program", [] as [&str; 0]);
    let servers = McpServers::builder()
        .server(gone)
        .server_within(own_config("fs"), offer.connect())
        .server_within(own_config("fs"), TestServer::tools(json!([])).connect())
        .acceptances(Acceptances::in_memory())
        .build();
    let failed = servers.connect().await;
    let named: Vec<&str> = failed
        .iter()
        .map(|failure| failure.server.as_str())
        .collect();
    assert_eq!(named, ["gone"]);
    assert_eq!(servers.toolset().names(), ["mcp__fs__read"]);
    insta::assert_snapshot!(servers.warnings().join("\n"), @"two MCP servers are called `fs`; the first of them is used");
    let unknown = servers.difference("f").await.unwrap_err();
    insta::assert_snapshot!(unknown, @"no MCP server is called `f`; did you mean `fs`?");
}

#[tokio::test]
async fn the_instructions_are_said_once_for_the_group() {
    let offer = TestServer::new(json!({
        "instructions": "Read before you write.\u{200b}",
        "tools": [tool("read", "Reads.", json!({})), tool("write", "Writes.", json!({}))],
    }));
    let servers = trusted(&offer).await;
    let said = servers.toolset().instructions();
    let said: Vec<(&str, &str)> = said
        .iter()
        .map(|(group, text)| (&**group, &**text))
        .collect();
    assert_eq!(said, [("fs", "Read before you write.")]);
}

#[tokio::test]
async fn a_filter_knows_the_server_and_its_own_names_whatever_the_model_calls_a_tool() {
    let offer = TestServer::tools(json!([
        tool("a:b/c", "Odd.", json!({})),
        tool("get__one", "Gets.", json!({})),
        tool("write", "Writes.", json!({}))
    ]));
    let servers = trusted(&offer).await;
    let names = |filter: ToolFilter| servers.toolset().granted(&filter).names();
    let chosen = ToolFilter::new().server_tools("fs", ["a:b/c", "get__one"]);
    assert_eq!(
        names(chosen),
        ["mcp__fs__a_b_c_e1572215", "mcp__fs__get__one"]
    );
    assert!(names(ToolFilter::new().servers(["fs__get"])).is_empty());
    // The names of tools are those of the app's own.
    let own = ToolFilter::new()
        .tools(["something"])
        .without(["mcp__fs__write"]);
    assert_eq!(names(own), ["mcp__fs__a_b_c_e1572215", "mcp__fs__get__one"]);

    let filter = ToolFilter::new().server_tools("fs", ["read"]);
    let granted = servers.toolset().granted(&filter);
    assert!(granted.names().is_empty());
    offer.set(
        "tools",
        json!([
            tool("read", "Reads.", json!({})),
            tool("new", "New.", json!({}))
        ]),
    );
    offer.notify();
    wait_until(|| !granted.names().is_empty()).await;
    assert_eq!(granted.names(), ["mcp__fs__read"]);
}
