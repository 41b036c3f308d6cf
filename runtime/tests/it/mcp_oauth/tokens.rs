//! What becomes of tokens while a server is used: through the list of servers, as an app uses them.

use std::sync::{Arc, Mutex};

use helve_runtime::ToolContext;
use helve_runtime::acceptances::Acceptances;
use helve_runtime::mcp::{Logins, McpServers, ServerConfig, ServerTrust};
use insta::assert_snapshot;
use serde_json::{Value, json};
use url::Url;

use crate::mcp_oauth::fixture::{browser, no_browser, server, server_with};
use crate::mcp_oauth::site::{RawResponse, ReceivedRequest, Site};

/// What the server and its authorization server remember.
#[derive(Default)]
struct Memory {
    /// How many tokens there were; the last one is good.
    given: u32,
    /// How long the first one lives, in seconds.
    first_lifetime: Option<u64>,
    /// Whether refresh tokens are taken.
    refuses_renewal: bool,
    /// A scope that calls need.
    scope: Option<&'static str>,
    /// Whether the scope is never given.
    is_vain: bool,
    granted: String,
}

type Shared = Arc<Mutex<Memory>>;

async fn start(memory: Memory) -> (Site, Shared) {
    let shared = Arc::new(Mutex::new(memory));
    let own = shared.clone();
    let site = Site::start(move |base, asked| answer(base, asked, &mut own.lock().unwrap())).await;
    (site, shared)
}

fn answer(base: &str, asked: &ReceivedRequest, memory: &mut Memory) -> RawResponse {
    match asked.path.as_str() {
        "/mcp" => protected(asked, memory),
        "/.well-known/oauth-authorization-server" => RawResponse::json(&json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
        })),
        "/register" => {
            RawResponse::json(&json!({ "client_id": "registered", "redirect_uris": [] }))
        }
        "/authorize" => {
            if !memory.is_vain {
                memory.granted = asked.query.get("scope").cloned().unwrap_or_default();
            }
            let mut back = Url::parse(&asked.query["redirect_uri"]).unwrap();
            back.query_pairs_mut()
                .append_pair("code", "code")
                .append_pair("state", &asked.query["state"]);
            RawResponse::status(302).with("location", back.as_str())
        }
        "/token" => token(&asked.form()["grant_type"], memory),
        _ => RawResponse::status(404),
    }
}

fn token(grant: &str, memory: &mut Memory) -> RawResponse {
    if grant == "refresh_token" && memory.refuses_renewal {
        let mut answer = RawResponse::json(&json!({ "error": "invalid_grant" }));
        answer.status = 400;
        return answer;
    }
    memory.given += 1;
    let lifetime = memory.first_lifetime.take().unwrap_or(3_600);
    RawResponse::json(&json!({
        "access_token": format!("token-{}", memory.given),
        "refresh_token": format!("refresh-{}", memory.given),
        "token_type": "Bearer",
        "expires_in": lifetime,
    }))
}

fn protected(asked: &ReceivedRequest, memory: &Memory) -> RawResponse {
    let shown = asked.headers.get("authorization");
    if memory.given == 0 || shown != Some(&format!("Bearer token-{}", memory.given)) {
        return RawResponse::status(401).with("www-authenticate", "Bearer error=\"invalid_token\"");
    }
    let Ok(request) = serde_json::from_str::<Value>(&asked.body) else {
        return RawResponse::status(405);
    };
    let scope = memory.scope.filter(|scope| !memory.granted.contains(scope));
    if let (Some(scope), "tools/call") = (scope, request["method"].as_str().unwrap()) {
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
        return RawResponse::status(403).with("www-authenticate", challenge);
    }
    let result = match request["method"].as_str().unwrap() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "tickets", "version": "1" },
        }),
        "tools/list" => {
            json!({ "tools": [{ "name": "count", "inputSchema": { "type": "object" } }] })
        }
        "tools/call" => json!({ "content": [{ "type": "text", "text": "three" }] }),
        _ if request.get("id").is_none() => return RawResponse::status(202),
        _ => {
            let error = json!({ "code": -32601, "message": "no such method" });
            return RawResponse::json(
                &json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }),
            );
        }
    };
    RawResponse::json(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
}

fn servers(config: ServerConfig, logins: &Logins) -> McpServers {
    let mut trust = ServerTrust::default();
    trust.definitions = true;
    McpServers::builder()
        .server(config.with_trust(trust))
        .logins(logins.clone())
        .acceptances(Acceptances::in_memory())
        .build()
}

async fn call(servers: &McpServers) -> String {
    let context = ToolContext::new();
    match servers
        .toolset()
        .call("mcp__tickets__count", "{}", &context)
        .await
    {
        Ok(output) => output.text().into_owned(),
        Err(error) => error.to_string(),
    }
}

fn grants(site: &Site) -> Vec<String> {
    let asked = site.asked();
    let tokens = asked.iter().filter(|asked| asked.path == "/token");
    tokens
        .map(|asked| asked.form()["grant_type"].clone())
        .collect()
}

#[tokio::test]
async fn a_server_gets_the_token_of_its_login_and_nobody_else_does() {
    let (site, _) = start(Memory::default()).await;
    let logins = Logins::in_memory();
    logins.login(&server(&site), browser).await.unwrap();
    let servers = servers(server(&site), &logins);
    servers.connect_to("tickets").await.unwrap();
    assert_eq!(call(&servers).await, "three");
    let asked = site.asked();
    let shown = asked
        .iter()
        .filter(|asked| asked.headers.contains_key("authorization"));
    let places = shown.map(|asked| asked.path.as_str()).collect::<Vec<_>>();
    assert!(
        places.len() > 2 && places.iter().all(|place| *place == "/mcp"),
        "{places:?}"
    );
}

#[tokio::test]
async fn without_a_login_it_is_said_how_to_log_in() {
    let (site, _) = start(Memory::default()).await;
    let logins = Logins::in_memory().shown_by(no_browser);
    let servers = servers(server(&site), &logins);
    let error = servers.connect_to("tickets").await.unwrap_err();
    let shown = format!("{:?}", anyhow::Error::from(error));
    assert!(
        shown.contains("`tickets` asks for a login: run `mcp login tickets`"),
        "{shown}"
    );
}

#[tokio::test]
async fn the_user_is_sent_to_log_in_where_the_configuration_lets_them() {
    let (site, _) = start(Memory::default()).await;
    let logins = Logins::in_memory().shown_by(browser);
    let servers = servers(server_with(&site, |auth| auth.login = true), &logins);
    servers.connect_to("tickets").await.unwrap();
    assert_eq!(call(&servers).await, "three");
    assert_eq!(grants(&site), ["authorization_code"]);
}

#[tokio::test]
async fn a_client_with_a_secret_needs_no_user() {
    let (site, _) = start(Memory::default()).await;
    let config = server_with(&site, |auth| {
        auth.client_id = Some("robot".to_owned());
        auth.client_secret = Some("s3cret".to_owned());
    });
    let servers = servers(config, &Logins::in_memory());
    servers.connect_to("tickets").await.unwrap();
    assert_eq!(call(&servers).await, "three");
    assert_eq!(grants(&site), ["client_credentials"]);
}

#[tokio::test]
async fn a_token_that_ends_is_renewed_before_it_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (site, _) = start(Memory {
        first_lifetime: Some(0),
        ..Memory::default()
    })
    .await;
    let logins = Logins::in_folder(folder.path());
    logins.login(&server(&site), browser).await.unwrap();
    let servers = servers(server(&site), &logins);
    servers.connect_to("tickets").await.unwrap();
    assert_eq!(call(&servers).await, "three");
    assert_eq!(grants(&site), ["authorization_code", "refresh_token"]);
    let asked = site.asked();
    let old = asked.iter().filter(|asked| {
        asked
            .headers
            .get("authorization")
            .is_some_and(|shown| shown == "Bearer token-1")
    });
    assert_eq!(old.count(), 0);
}

#[tokio::test]
async fn a_token_that_is_refused_is_renewed_once_for_all_who_use_it() {
    let (site, memory) = start(Memory::default()).await;
    let logins = Logins::in_memory();
    logins.login(&server(&site), browser).await.unwrap();
    let servers = servers(server(&site), &logins);
    servers.connect_to("tickets").await.unwrap();
    // The server forgets the token: only a newer one is good.
    memory.lock().unwrap().given = 7;
    let calls = futures_util::future::join_all((0..5).map(|_| call(&servers))).await;
    assert_eq!(calls, ["three"; 5]);
    assert_eq!(grants(&site), ["authorization_code", "refresh_token"]);
}

#[tokio::test]
async fn a_login_that_is_over_is_said_to_be() {
    let (site, memory) = start(Memory::default()).await;
    let logins = Logins::in_memory();
    logins.login(&server(&site), browser).await.unwrap();
    let servers = servers(server(&site), &logins);
    servers.connect_to("tickets").await.unwrap();
    {
        let mut memory = memory.lock().unwrap();
        (memory.given, memory.refuses_renewal) = (7, true);
    }
    assert_snapshot!(call(&servers).await, @"the MCP server `tickets` asks for a login before `count`: run `mcp login tickets`");
}

#[tokio::test]
async fn a_scope_that_is_missing_is_asked_for_beside_those_that_are_there() {
    let (site, _) = start(Memory {
        scope: Some("write"),
        ..Memory::default()
    })
    .await;
    let config = server_with(&site, |auth| {
        auth.login = true;
        auth.scopes = vec!["read".to_owned()];
    });
    let servers = servers(config, &Logins::in_memory().shown_by(browser));
    servers.connect_to("tickets").await.unwrap();
    assert_eq!(call(&servers).await, "three");
    let asked = site.asked();
    let logins = asked.iter().filter(|asked| asked.path == "/authorize");
    let scopes = logins
        .map(|asked| asked.query["scope"].as_str())
        .collect::<Vec<_>>();
    assert_eq!(scopes, ["read", "read write"]);
}

#[tokio::test]
async fn a_scope_that_is_not_given_is_not_asked_for_for_ever() {
    let (site, _) = start(Memory {
        scope: Some("write"),
        is_vain: true,
        ..Memory::default()
    })
    .await;
    let config = server_with(&site, |auth| auth.login = true);
    let servers = servers(config, &Logins::in_memory().shown_by(browser));
    servers.connect_to("tickets").await.unwrap();
    call(&servers).await;
    assert_snapshot!(call(&servers).await, @"the MCP server `tickets` asks for a login before `count`: `tickets` asks for `write`, which the last login asked for and did not get");
    let logins = site.visits().matches("/authorize").count();
    assert_eq!(logins, 2);
}
