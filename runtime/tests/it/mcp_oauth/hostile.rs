//! Servers that mean ill, or do not know what they do: a clear error each, and nothing goes where it should not.

use std::collections::BTreeMap;

use helve_runtime::mcp::{Logins, ServerConfig};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::mcp_oauth::fixture::{Differences, browser, chain, no_browser, server, start};
use crate::mcp_oauth::site::{RawResponse, Site};

const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";

/// Tries to log in to a server that answers in one way on one path, and nowhere else.
async fn error_of(
    path: &'static str,
    answer: impl Fn(&str) -> RawResponse + Send + Sync + 'static,
) -> String {
    let site = Site::start(move |base, asked| {
        if asked.path == path {
            answer(base)
        } else {
            RawResponse::status(404)
        }
    })
    .await;
    let error = Logins::in_memory()
        .login(&server(&site), no_browser)
        .await
        .unwrap_err();
    site.masked(chain(&error))
}

/// Tries to log in where the authorization server names these endpoints.
async fn error_with(metadata: impl Into<BTreeMap<&'static str, Value>>) -> String {
    let site = start(Differences {
        metadata: metadata.into(),
        ..Differences::default()
    })
    .await;
    let error = Logins::in_memory()
        .login(&server(&site), no_browser)
        .await
        .unwrap_err();
    assert!(!site.visits().contains("/token"));
    site.masked(chain(&error))
}

fn names(issuer: &'static str) -> impl Fn(&str) -> RawResponse {
    move |base| {
        RawResponse::json(&json!({
            "resource": format!("{base}/mcp"),
            "authorization_servers": [issuer],
        }))
    }
}

#[tokio::test]
async fn redirects_end() {
    let round = error_of(RESOURCE, |_| {
        RawResponse::status(302).with("location", RESOURCE)
    })
    .await;
    assert_snapshot!(round, @r#"
    where to log in to `tickets` cannot be found out
    OAuth metadata discovery failed for http://site/.well-known/oauth-protected-resource/mcp: OAuth request exceeded 10 redirects
    "#);
    let away = error_of(RESOURCE, |_| {
        RawResponse::status(302).with("location", "http://127.0.0.1:9/internal")
    })
    .await;
    assert_snapshot!(away, @r#"
    where to log in to `tickets` cannot be found out
    OAuth metadata discovery failed for http://site/.well-known/oauth-protected-resource/mcp: OAuth discovery redirect to non-same-origin URL rejected: http://127.0.0.1:9/internal
    "#);
}

#[tokio::test]
async fn a_body_is_read_up_to_a_bound() {
    let huge = error_of(RESOURCE, |_| {
        let mut answer = RawResponse::json(&json!({}));
        answer.body = format!("\"{}\"", "a".repeat(4 << 20));
        answer
    })
    .await;
    assert_snapshot!(huge, @r#"
    where to log in to `tickets` cannot be found out
    OAuth metadata discovery failed for http://site/.well-known/oauth-protected-resource/mcp: OAuth HTTP response body exceeds 1048576 bytes
    "#);
}

#[tokio::test]
async fn authorization_servers_in_other_networks_are_not_asked() {
    let mut shown = String::new();
    for issuer in [
        "http://169.254.169.254/latest",
        "http://10.0.0.1",
        "https://metadata.google.internal",
        "file:///etc/passwd",
    ] {
        shown.push_str(&error_of(RESOURCE, names(issuer)).await);
    }
    assert_snapshot!(shown, @r#"
    where to log in to `tickets` cannot be found out
    Protected resource metadata at http://site/.well-known/oauth-protected-resource/mcp names authorization servers http://169.254.169.254/latest, but none published usable metadata
    where to log in to `tickets` cannot be found out
    Protected resource metadata at http://site/.well-known/oauth-protected-resource/mcp names authorization servers http://10.0.0.1, but none published usable metadata
    where to log in to `tickets` cannot be found out
    Protected resource metadata at http://site/.well-known/oauth-protected-resource/mcp names authorization servers https://metadata.google.internal, but none published usable metadata
    where to log in to `tickets` cannot be found out
    Protected resource metadata at http://site/.well-known/oauth-protected-resource/mcp names authorization servers file:///etc/passwd, but none published usable metadata
    "#);
}

#[tokio::test]
async fn metadata_of_another_server_is_not_believed() {
    let site = Site::start(|base, asked| match asked.path.as_str() {
        "/mcp" => {
            let named = format!("Bearer resource_metadata=\"{base}/metadata\"");
            RawResponse::status(401).with("www-authenticate", named)
        }
        "/metadata" => RawResponse::json(&json!({
            "resource": "https://evil.example.com/mcp",
            "authorization_servers": [base],
        })),
        _ => RawResponse::status(404),
    })
    .await;
    let error = Logins::in_memory()
        .login(&server(&site), no_browser)
        .await
        .unwrap_err();
    let resource = site.masked(chain(&error));
    assert_snapshot!(resource, @r#"
    where to log in to `tickets` cannot be found out
    Protected resource metadata at http://site/metadata is unusable: Protected resource metadata resource mismatch: reference 'http://site/mcp', permitted 'https://evil.example.com/mcp'
    "#);
    let issuer = error_with([("issuer", json!("https://login.example.com"))]).await;
    assert_snapshot!(issuer, @r#"
    where to log in to `tickets` cannot be found out
    Authorization server issuer mismatch: expected http://site/, received https://login.example.com
    "#);
}

#[tokio::test]
async fn a_server_that_publishes_nothing_has_no_login() {
    assert_snapshot!(error_of("/", |_| RawResponse::status(200)).await, @r#"
    where to log in to `tickets` cannot be found out
    it does not publish where its authorization server is
    "#);
}

#[tokio::test]
async fn secrets_go_to_protected_addresses_alone() {
    let mut shown = String::new();
    for (name, endpoint) in [
        ("token_endpoint", "http://10.1.2.3/token"),
        ("token_endpoint", "http://tokens.example.com/token"),
        (
            "registration_endpoint",
            "http://tokens.example.com/register",
        ),
        ("authorization_endpoint", "javascript:alert(1)"),
        (
            "authorization_endpoint",
            "https://login.example.com@evil.example.com/",
        ),
        ("authorization_endpoint", "\u{1b}]0;title\u{7}"),
    ] {
        shown.push_str(&error_with([(name, json!(endpoint))]).await);
    }
    let long = format!("https://login.example.com/{}", "a".repeat(100_000));
    shown.push_str(&error_with([("authorization_endpoint", json!(long))]).await);
    assert_snapshot!(shown, @r#"
    the authorization server of `tickets` names `http://10.1.2.3/token`, which is no `https` address: nothing is sent there
    the authorization server of `tickets` names `http://tokens.example.com/token`, which is no `https` address: nothing is sent there
    the authorization server of `tickets` names `http://tokens.example.com/register`, which is no `https` address: nothing is sent there
    the authorization server of `tickets` names `javascript:alert(1)`, which is no `https` address: nothing is sent there
    the authorization server of `tickets` names `https://login.example.com@evil.example.com/`, which is no `https` address: nothing is sent there
    the authorization server of `tickets` names ``, which is no `https` address: nothing is sent there
    the authorization server of `tickets` names `https://login.example.com/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…`, which is no `https` address: nothing is sent there
    "#);
}

#[tokio::test]
async fn a_server_that_proves_nothing_is_not_logged_in_to() {
    assert_snapshot!(error_with([("code_challenge_methods_supported", json!(["plain"]))]).await, @r#"
    where to log in to `tickets` cannot be found out
    Authorization server does not support the required PKCE code challenge method (S256)
    "#);
}

#[tokio::test]
async fn a_registration_that_fails_is_told_in_a_line() {
    let site = Site::start(|base, asked| match asked.path.as_str() {
        "/.well-known/oauth-authorization-server" => RawResponse::json(&json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
        })),
        "/register" => {
            let mut answer = RawResponse::status(403);
            answer.body = "\u{1b}[31mgo\r\naway ".repeat(10_000);
            answer
        }
        _ => RawResponse::status(404),
    })
    .await;
    let error = Logins::in_memory()
        .login(&server(&site), no_browser)
        .await
        .unwrap_err();
    assert_snapshot!(chain(&error), @r#"
    the authorization server of `tickets` does not register this program: register it there, and set `client_id`
    Registration failed: HTTP 403 Forbidden: go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away go away…
    "#);
}

#[tokio::test]
async fn a_token_endpoint_that_redirects_is_not_followed() {
    let elsewhere = Site::start(|_, _| {
        RawResponse::json(&json!({ "access_token": "x", "token_type": "Bearer" }))
    })
    .await;
    let away = elsewhere.base.clone();
    let leaves = Site::start(move |base, asked| match asked.path.as_str() {
        "/.well-known/oauth-authorization-server" => RawResponse::json(&json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
        })),
        "/authorize" => {
            let (back, state) = (&asked.query["redirect_uri"], &asked.query["state"]);
            RawResponse::status(302).with("location", format!("{back}?code=c&state={state}"))
        }
        "/token" => RawResponse::status(307).with("location", format!("{away}/token")),
        _ => RawResponse::status(404),
    })
    .await;
    let config = crate::mcp_oauth::fixture::server_with(&leaves, |auth| {
        auth.client_id = Some("id".to_owned())
    });
    let error = Logins::in_memory()
        .login(&config, browser)
        .await
        .unwrap_err();
    assert_snapshot!(chain(&error), @r#"
    the login to `tickets` gave no token
    OAuth token exchange failed: Other error: server returned empty error response
    "#);
    assert_eq!(elsewhere.visits(), "");
}

#[tokio::test]
async fn nothing_is_sent_where_a_token_can_be_read() {
    let config = ServerConfig::http("tickets".parse().unwrap(), "http://tickets.example.com/mcp");
    let error = Logins::in_memory()
        .login(&config, no_browser)
        .await
        .unwrap_err();
    assert_snapshot!(chain(&error), @"`tickets` is reached over plain HTTP, where a token can be read on the way: use its `https` address");
}
