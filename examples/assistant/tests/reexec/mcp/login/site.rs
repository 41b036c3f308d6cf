//! An MCP server that asks for a login, and its authorization server, at one address.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::mcp::web::{TestRequest, TestResponse, TestServer};

/// How what a login gives begins: the token, and the one that renews it.
pub(crate) const TOKENS: [&str; 2] = ["token-of-the-user", "renewal-of-the-user"];

/// The code that the browser brings back.
pub(crate) const CODE: &str = "code-of-this-login";

/// The two at work.
pub(crate) struct LoginServer {
    server: TestServer,
    mind: Arc<Mutex<AuthorizationState>>,
}

/// What they remember.
struct AuthorizationState {
    /// Whether a person who logs in is let in.
    agrees: bool,
    /// How many tokens were given; the last one is good.
    given: usize,
    /// Whether even that one is not.
    has_revoked: bool,
}

impl LoginServer {
    /// Starts them; the authorization server agrees to every login, or to none.
    pub(crate) fn start(agrees: bool) -> Self {
        let mind = Arc::new(Mutex::new(AuthorizationState {
            agrees,
            given: 0,
            has_revoked: false,
        }));
        let own = mind.clone();
        let server = TestServer::start(move |asked| {
            let base = format!("http://{}", asked.header("host"));
            Some(answer(
                &base,
                asked,
                &mut own.lock().expect("nobody panics"),
            ))
        });
        Self { server, mind }
    }

    /// Takes the last token as one that has run out.
    pub(crate) fn expire_token(&self) {
        self.mind.lock().expect("nobody panics").has_revoked = true;
    }

    /// Renews no token from now on.
    pub(crate) fn reject_renewal(&self) {
        self.mind.lock().expect("nobody panics").agrees = false;
    }

    /// Returns how many tokens were given.
    pub(crate) fn issued_tokens(&self) -> usize {
        self.mind.lock().expect("nobody panics").given
    }

    pub(crate) fn base(&self) -> String {
        self.server.url().trim_end_matches("/v1").to_owned()
    }

    /// Takes the port, which differs from run to run, out of a text.
    pub(crate) fn redact_port(&self, text: &str) -> String {
        self.server.redact_url(text)
    }
}

/// Returns where the address of a login has the browser come back to.
pub(crate) fn redirect_uri(address: &str) -> String {
    percent_decode(parameter(address, "redirect_uri"))
}

fn answer(base: &str, asked: &TestRequest, mind: &mut AuthorizationState) -> TestResponse {
    let (method, address) = asked.request_line();
    let path = address.split('?').next().unwrap_or_default();
    match (method, path) {
        ("POST", "/mcp") if mind.accepts(asked.header("authorization")) => serve(&asked.json()),
        ("GET", "/mcp") => status("405 Method Not Allowed"),
        (_, "/mcp") => status("401 Unauthorized").with(
            "www-authenticate",
            &format!(
                "Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\""
            ),
        ),
        (_, "/.well-known/oauth-protected-resource/mcp") => TestResponse::json(&json!({
            "resource": format!("{base}/mcp"),
            "authorization_servers": [base],
        })),
        (_, "/.well-known/oauth-authorization-server") => TestResponse::json(&json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        })),
        ("POST", "/register") => {
            TestResponse::json(&json!({ "client_id": "registered", "redirect_uris": [] }))
        }
        ("GET", "/authorize") => {
            let back = percent_decode(parameter(address, "redirect_uri"));
            let state = parameter(address, "state");
            let said = match mind.agrees {
                true => format!("code={CODE}"),
                false => "error=access_denied&error_description=not+today".to_owned(),
            };
            status("302 Found").with("location", &format!("{back}?{said}&state={state}"))
        }
        ("POST", "/token") => mind.issue_tokens(&asked.text()),
        _ => status("404 Not Found"),
    }
}

impl AuthorizationState {
    fn accepts(&self, authorization: &str) -> bool {
        let good = format!("Bearer {}-{}", TOKENS[0], self.given);
        authorization == good && !self.has_revoked
    }

    /// Gives tokens for the code, to whoever began the login, and for the last of those that renew them.
    fn issue_tokens(&mut self, form: &str) -> TestResponse {
        let form = format!("?{form}");
        let value = |name| parameter(&form, name);
        let is_due = match value("grant_type") {
            "authorization_code" => value("code") == CODE && !value("code_verifier").is_empty(),
            _ => value("refresh_token") == format!("{}-{}", TOKENS[1], self.given),
        };
        if !is_due || !self.agrees {
            let refused = json!({ "error": "invalid_grant" }).to_string();
            return TestResponse::new("400 Bad Request", "application/json", refused);
        }
        self.given += 1;
        self.has_revoked = false;
        TestResponse::json(&json!({
            "access_token": format!("{}-{}", TOKENS[0], self.given),
            "refresh_token": format!("{}-{}", TOKENS[1], self.given),
            "token_type": "Bearer",
            "expires_in": 3600,
            "scope": "read",
        }))
    }
}

/// Answers as the MCP server.
fn serve(message: &Value) -> TestResponse {
    if message["id"].is_null() {
        return status("202 Accepted");
    }
    let mut reply = json!({ "jsonrpc": "2.0", "id": message["id"] });
    let nothing = json!({ "type": "object" });
    match message["method"].as_str() {
        Some("initialize") => {
            reply["result"] = json!({
                "protocolVersion": "2025-06-18",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "tickets", "version": "2.0.0" },
            });
        }
        Some("tools/list") => {
            let count = json!({ "name": "count", "description": "Counts tickets.", "inputSchema": nothing });
            reply["result"] = json!({ "tools": [count] });
        }
        Some("tools/call") => {
            reply["result"] = json!({ "content": [{ "type": "text", "text": "7 tickets" }] });
        }
        _ => reply["error"] = json!({ "code": -32601, "message": "Method not found" }),
    }
    TestResponse::json(&reply)
}

fn status(status: &str) -> TestResponse {
    TestResponse::new(status, "text/plain", "")
}

/// Returns a parameter of an address, as it stands there.
fn parameter<'a>(address: &'a str, name: &str) -> &'a str {
    let (_, query) = address.split_once('?').unwrap_or_default();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(own, _)| *own == name)
        .map_or("", |(_, value)| value)
}

fn percent_decode(text: &str) -> String {
    let mut parts = text.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut decoded, part| {
        let code = u8::from_str_radix(&part[..2], 16).expect("two digits");
        decoded.push(char::from(code));
        decoded.push_str(&part[2..]);
        decoded
    })
}
