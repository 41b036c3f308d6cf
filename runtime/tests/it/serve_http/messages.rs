//! Messages that are well, and those that are none.

use helve::serve::HttpSettings;
use serde_json::json;

use super::served::{INITIALIZE, PING, serve};

#[tokio::test]
async fn a_session_of_an_older_protocol() {
    let served = serve(HttpSettings::new());
    let id = served.session(&[]).await;
    let session = format!("mcp-session-id: {id}");
    let call = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}"#;
    let called = served.ask("POST /mcp", &[&session], call).await;
    insta::assert_snapshot!(called.message(), @r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"hello"}],"isError":false}}"#);
    assert_eq!(served.ask("DELETE /mcp", &[&session], "").await.status, 202);
    assert_eq!(served.ping(&id, &[]).await, 404);
}

#[tokio::test]
async fn a_call_without_a_session() {
    let served = serve(HttpSettings::new());
    let called = served.call("echo", json!({ "text": "hello" }), &[]).await;
    assert_eq!(called.header("content-type"), Some("application/json"));
    insta::assert_snapshot!(called.body, @r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"hello"}],"isError":false}}"#);
    let principal = served.call("who", json!({}), &[]).await;
    assert_eq!(
        principal.message()["result"]["content"][0]["text"],
        "nobody of billing on http"
    );
}

#[tokio::test]
async fn what_is_no_message_is_answered_in_words() {
    let served = serve(HttpSettings::new());
    let batch = format!("[{INITIALIZE},{PING}]");
    let mut said = Vec::new();
    for (request, head, body) in [
        ("POST /mcp", &[][..], "{"),
        ("POST /mcp", &[], "\u{0}\u{1}"),
        ("POST /mcp", &[], "{\"jsonrpc\":\"1.0\"}"),
        ("POST /mcp", &[], &batch),
        ("POST /mcp", &[], PING),
        ("POST /mcp", &["content-type: text/plain"], PING),
        ("POST /mcp", &["accept: application/json"], PING),
        ("GET /mcp", &[], ""),
        ("PUT /mcp", &[], PING),
        ("POST /", &[], PING),
        ("GET /mcp/../secret", &[], ""),
        ("POST /mcp", &["mcp-protocol-version: 1999-01-01"], PING),
        ("POST /mcp", &["mcp-session-id: no-such-session"], PING),
    ] {
        let answer = served.ask(request, head, body).await;
        said.push(format!("{request}: {}", answer.said()));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    POST /mcp: 400 {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this is no JSON"}}
    POST /mcp: 400 {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this is no JSON"}}
    POST /mcp: 400 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"this is not a JSON-RPC 2.0 message, or it is a batch"}}
    POST /mcp: 400 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"this is not a JSON-RPC 2.0 message, or it is a batch"}}
    POST /mcp: 400 Bad Request: Session ID is required
    POST /mcp: 415 Unsupported Media Type: Content-Type must be application/json
    POST /mcp: 406 Not Acceptable: Client must accept both application/json and text/event-stream
    GET /mcp: 400 Bad Request: Session ID is required
    PUT /mcp: 405 Method Not Allowed
    POST /: 404 there is nothing here; the server is at `/mcp`
    GET /mcp/../secret: 404 there is nothing here; the server is at `/mcp`
    POST /mcp: 400 Bad Request: Unsupported MCP-Protocol-Version: 1999-01-01
    POST /mcp: 404 Not Found: Session not found
    "#);
}
