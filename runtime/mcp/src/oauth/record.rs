//! The stored record of a login.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rmcp::transport::auth::StoredCredentials;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long before its expiry a token is renewed, in seconds; at most half of its lifetime.
const AHEAD: u64 = 60;

/// A login to one server: the client of the program at the authorization server, and the tokens.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct LoginRecord {
    /// The URL of the server, because the file name only contains its hash.
    pub(super) server: String,
    /// The client id.
    pub(super) client_id: String,
    /// The client secret of a dynamic registration; a configured secret is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    /// The redirect URL of the login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) redirect_uri: Option<String>,
    /// The issuer of the authorization server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) issuer: Option<String>,
    /// The token endpoint.
    pub(super) token_endpoint: String,
    /// The requested scopes.
    #[serde(default)]
    pub(super) requested: Vec<String>,
    /// The tokens, in rmcp's format.
    pub(super) credentials: StoredCredentials,
}

/// An access token, with its lifetime.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) secret: String,
    /// The times from which the token should be renewed, and from which it is expired, in seconds since 1970.
    ends: Option<(u64, u64)>,
}

impl LoginRecord {
    pub(super) fn token(&self) -> Option<Token> {
        let response = self.response()?;
        let secret = response.get("access_token")?.as_str()?.to_owned();
        let ends = response.get("expires_in").and_then(Value::as_u64);
        let ends = ends
            .zip(self.credentials.token_received_at)
            .map(|(seconds, since)| {
                let end = since.saturating_add(seconds);
                (end - AHEAD.min(seconds / 2), end)
            });
        Some(Token { secret, ends })
    }

    /// Returns whether there is a refresh token.
    pub(super) fn has_refresh_token(&self) -> bool {
        let response = self.response();
        response.is_some_and(|response| response.get("refresh_token").is_some())
    }

    /// Returns whether the login is from this authorization server.
    pub(super) fn is_from(&self, issuer: Option<&str>, token_endpoint: &str) -> bool {
        match (self.issuer.as_deref(), issuer) {
            (Some(before), Some(now)) => before == now,
            (None, None) => self.token_endpoint == token_endpoint,
            _ => false,
        }
    }

    /// Returns the name of the authorization server for display.
    pub(super) fn giver(&self) -> &str {
        self.issuer.as_deref().unwrap_or(&self.token_endpoint)
    }

    /// Returns the token response as JSON, because rmcp's type exposes its fields only through a trait of another
    /// crate.
    fn response(&self) -> Option<Value> {
        serde_json::to_value(self.credentials.token_response.as_ref()?).ok()
    }
}

impl Token {
    /// Returns whether the token does not need to be renewed yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.ends.is_none_or(|(stale, _)| now() < stale)
    }

    /// Returns whether the token is not expired.
    pub(super) fn is_alive(&self) -> bool {
        self.ends.is_none_or(|(_, end)| now() < end)
    }

    /// Returns the remaining lifetime, if it is known.
    pub(super) fn rest(&self) -> Option<Duration> {
        let (_, end) = self.ends?;
        Some(Duration::from_secs(end.saturating_sub(now())))
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

// Not derived, because all other fields are secrets.
impl fmt::Debug for LoginRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginRecord")
            .field("issuer", &self.issuer)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}
