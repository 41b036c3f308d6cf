//! An MCP server and its authorization server, at one address, that do everything as they should.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use helve_runtime::mcp::{LoginRequest, OAuthError, ServerAuth, ServerConfig};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::mcp_oauth::site::{RawResponse, ReceivedRequest, Site};

/// What is different from a plain authorization server.
#[derive(Clone, Default)]
pub(crate) struct Differences {
    /// Fields of its metadata.
    pub(crate) metadata: BTreeMap<&'static str, Value>,
    /// What it gives as `iss` to the browser, instead of its own.
    pub(crate) issuer: Option<&'static str>,
    /// Why it refuses every login.
    pub(crate) refusal: Option<&'static str>,
    /// How long its tokens live, in seconds.
    pub(crate) lifetime: Option<u64>,
    /// The secret that a registration gives.
    pub(crate) secret: Option<&'static str>,
}

/// Starts the two.
pub(crate) async fn start(differences: Differences) -> Site {
    let challenges = Arc::new(Mutex::new(BTreeMap::new()));
    Site::start(
        move |base, asked| match (asked.method.as_str(), asked.path.as_str()) {
            (_, "/mcp") => unauthorized(base),
            (_, "/.well-known/oauth-protected-resource/mcp") => RawResponse::json(&json!({
                "resource": format!("{base}/mcp"),
                "authorization_servers": [base],
            })),
            (_, "/.well-known/oauth-authorization-server") => metadata(base, &differences),
            ("POST", "/register") => register(&differences),
            ("GET", "/authorize") => authorize(base, asked, &differences, &challenges),
            ("POST", "/token") => token(asked, &differences, &challenges),
            _ => RawResponse::status(404),
        },
    )
    .await
}

/// Describes the server at a site.
pub(crate) fn server(site: &Site) -> ServerConfig {
    ServerConfig::http("tickets".parse().unwrap(), format!("{}/mcp", site.base))
}

/// Describes the server at a site with something about who the program is.
pub(crate) fn server_with(site: &Site, set: impl FnOnce(&mut ServerAuth)) -> ServerConfig {
    let mut auth = ServerAuth::default();
    set(&mut auth);
    server(site).with_auth(auth)
}

/// A browser whose user agrees to everything.
pub(crate) fn browser(request: &LoginRequest) {
    tokio::spawn(reqwest::get(request.url.clone()));
}

/// A browser that nobody should have to open.
pub(crate) fn no_browser(request: &LoginRequest) {
    panic!("nobody should be sent to {}", request.url);
}

/// Returns an error and what is behind it, one a line.
pub(crate) fn chain(error: &OAuthError) -> String {
    let links = std::iter::successors(Some(error as &dyn std::error::Error), |link| link.source());
    links.map(|link| format!("{link}\n")).collect()
}

fn unauthorized(base: &str) -> RawResponse {
    RawResponse::status(401).with(
        "www-authenticate",
        format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\""),
    )
}

fn metadata(base: &str, differences: &Differences) -> RawResponse {
    let mut metadata = json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
    });
    for (name, value) in &differences.metadata {
        metadata[*name] = value.clone();
    }
    RawResponse::json(&metadata)
}

fn register(differences: &Differences) -> RawResponse {
    let mut registered = json!({ "client_id": "registered", "redirect_uris": [] });
    if let Some(secret) = differences.secret {
        registered["client_secret"] = secret.into();
    }
    RawResponse::json(&registered)
}

fn authorize(
    base: &str,
    asked: &ReceivedRequest,
    differences: &Differences,
    challenges: &Mutex<BTreeMap<String, String>>,
) -> RawResponse {
    let mut back = Url::parse(&asked.query["redirect_uri"]).unwrap();
    let mut challenges = challenges.lock().unwrap();
    let code = format!("code-{}", challenges.len());
    challenges.insert(code.clone(), asked.query["code_challenge"].clone());
    let mut query = back.query_pairs_mut();
    query.append_pair("state", &asked.query["state"]);
    query.append_pair("iss", differences.issuer.unwrap_or(base));
    match differences.refusal {
        Some(refusal) => query
            .append_pair("error", "access_denied")
            .append_pair("error_description", refusal),
        None => query.append_pair("code", &code),
    };
    drop(query);
    RawResponse::status(302).with("location", back.as_str())
}

fn token(
    asked: &ReceivedRequest,
    differences: &Differences,
    challenges: &Mutex<BTreeMap<String, String>>,
) -> RawResponse {
    let form = asked.form();
    if form["grant_type"] == "authorization_code" {
        // The answer to the challenge, which nobody has who only saw the code.
        let answer = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
        let challenge = challenges.lock().unwrap().remove(&form["code"]);
        if challenge != Some(answer) {
            let mut refused = RawResponse::json(&json!({ "error": "invalid_grant" }));
            refused.status = 400;
            return refused;
        }
    }
    let mut given = json!({ "access_token": "secret-token", "token_type": "Bearer" });
    if let Some(lifetime) = differences.lifetime {
        given["expires_in"] = lifetime.into();
    }
    RawResponse::json(&given)
}
