//! Presets: where their requests go, and what is sent with them.

use serde_json::{Value, json};

use super::server::{Server, reply};
use super::{call, context};

async fn asked(preset: Value, arguments: Value) -> (String, String) {
    let server = Server::start(|_| reply("200 OK", "x: y", "")).await;
    let folder = tempfile::tempdir().unwrap();
    let mut preset = preset;
    preset["base_url"] = format!("{}/v1", server.origin()).into();
    let cx = context(
        &server.origin(),
        json!({ "presets": { "p": preset } }),
        folder.path(),
    );
    let mut arguments = arguments;
    arguments["preset"] = "p".into();
    let url = arguments["url"].as_str().unwrap_or_default();
    arguments["url"] = url.replace("BASE", &server.origin()).into();
    let answer = call(&cx, arguments).await;
    (server.without_port(&answer), server.asked())
}

#[tokio::test]
async fn the_secret_is_sent_as_the_preset_says() {
    let mut all = Vec::new();
    for preset in [
        json!({ "secret": "API_KEY" }),
        json!({ "secret": "API_KEY", "auth": "basic", "auth_name": "ann" }),
        json!({ "secret": "API_KEY", "auth": "header", "auth_name": "X-Key" }),
        json!({ "secret": "API_KEY", "auth": "query", "auth_name": "key" }),
        json!({ "headers": { "Accept": "application/json" } }),
    ] {
        let (_, asked) = asked(
            preset,
            json!({ "url": "a?b=c", "headers": { "accept": "text/html" } }),
        )
        .await;
        all.push(asked);
    }
    insta::assert_snapshot!(all.join("\n---\n"), @r#"
    GET /v1/a?b=c HTTP/1.1
    accept: text/html
    accept-encoding: gzip, deflate, br
    authorization: Bearer s3cr3t/of+the "key"
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    ---
    GET /v1/a?b=c HTTP/1.1
    accept: text/html
    accept-encoding: gzip, deflate, br
    authorization: Basic YW5uOnMzY3IzdC9vZit0aGUgImtleSI=
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    ---
    GET /v1/a?b=c HTTP/1.1
    accept: text/html
    accept-encoding: gzip, deflate, br
    x-key: s3cr3t/of+the "key"
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    ---
    GET /v1/a?b=c&key=s3cr3t%2Fof%2Bthe+%22key%22 HTTP/1.1
    accept: text/html
    accept-encoding: gzip, deflate, br
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    ---
    GET /v1/a?b=c HTTP/1.1
    accept: application/json
    accept-encoding: gzip, deflate, br
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    "#);
}

#[tokio::test]
async fn a_url_stays_below_the_base() {
    for url in [
        "../admin",
        "..%2fadmin",
        // A server that splits the path before it decodes it has this beside the base.
        "BASE/admin/..%2fv1/a",
        "https://example.com/v1/a",
        "http://localhost:1/v1/a",
    ] {
        let (answer, asked) = asked(json!({ "secret": "API_KEY" }), json!({ "url": url })).await;
        assert!(
            answer.contains("leaves `http://127.0.0.1:PORT/v1/`"),
            "{url}: {answer}"
        );
        assert_eq!(asked, "", "{url}");
    }
}

#[tokio::test]
async fn only_what_the_preset_allows_is_sent() {
    let preset = || json!({ "allow": ["GET /v1/items/**", "POST /v1/items"] });
    let (answer, _) = asked(preset(), json!({ "url": "items/1" })).await;
    assert!(answer.starts_with("200 OK"), "{answer}");
    for arguments in [
        json!({ "url": "users" }),
        json!({ "url": "items/1", "method": "DELETE" }),
        json!({ "url": "items/..%2fusers" }),
    ] {
        let (answer, asked) = asked(preset(), arguments).await;
        assert!(
            answer.starts_with("error: the preset does not allow "),
            "{answer}"
        );
        assert_eq!(asked, "");
    }
}

/// What was judged is the only request: a redirect is a result, wherever it leads.
#[tokio::test]
async fn no_redirect_leaves_what_the_preset_allows() {
    let server = Server::start(|request| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        let location = match path {
            "/v1/up" => "/admin/export",
            "/v1/beside" => "/v1/admin/users",
            "/v1/away" => "https://other.example/",
            "/v1/odd" => "http://[",
            _ => return reply("200 OK", "x: y", "secret things"),
        };
        let status = if request.starts_with("POST") {
            "307 X"
        } else {
            "302 X"
        };
        reply(status, &format!("location: {location}"), "")
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let preset = json!({
        "base_url": format!("{}/v1", server.origin()),
        "secret": "API_KEY",
        "allow": ["GET /v1/*", "POST /v1/*"],
    });
    let settings = json!({ "presets": { "p": preset } });
    let cx = context(&server.origin(), settings, folder.path());
    let mut all = Vec::new();
    for arguments in [
        json!({ "preset": "p", "url": "up", "pick": "/items" }),
        json!({ "preset": "p", "url": "beside", "method": "POST", "text": "body" }),
        json!({ "preset": "p", "url": "away", "method": "POST", "text": "body" }),
        json!({ "preset": "p", "url": "odd" }),
    ] {
        all.push(server.without_port(&call(&cx, arguments).await));
    }
    insta::assert_snapshot!(all.join("\n---\n"), @"
    302 Found, no content type, no body
    location: /admin/export
    (the redirect was not followed; it leads to http://127.0.0.1:PORT/admin/export)
    ---
    307 Temporary Redirect, no content type, no body
    location: /v1/admin/users
    (the redirect was not followed; it leads to http://127.0.0.1:PORT/v1/admin/users)
    ---
    307 Temporary Redirect, no content type, no body
    location: https://other.example/
    (the redirect was not followed; it leads to https://other.example/)
    ---
    302 Found, no content type, no body
    location: http://[
    (the redirect was not followed; it leads to no URL)
    ");
    let asked = server.asked();
    let paths = asked.lines().filter(|line| line.ends_with(" HTTP/1.1"));
    assert_eq!(
        paths.collect::<Vec<&str>>(),
        [
            "GET /v1/up HTTP/1.1",
            "POST /v1/beside HTTP/1.1",
            "POST /v1/away HTTP/1.1",
            "GET /v1/odd HTTP/1.1"
        ]
    );
}

#[tokio::test]
async fn a_preset_that_has_no_base_is_not_configured() {
    let folder = tempfile::tempdir().unwrap();
    let cx = context(
        "http://localhost",
        json!({ "presets": { "p": { "base_url": "example.com" } } }),
        folder.path(),
    );
    let tools = helve_tools::http();
    let availability = tools.get("http_request").unwrap().availability(&cx);
    insta::assert_debug_snapshot!(availability, @r#"
    NotConfigured(
        "`http_request.presets.p.base_url`: `example.com` is not an absolute URL; write `https://host/path`: https://docs.rs/helve/latest/helve/guide/http/",
    )
    "#);
}
