//! What is kept of a login.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rmcp::transport::auth::StoredCredentials;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A token is renewed this long before it ends, or at half of its life where that is shorter.
const AHEAD: u64 = 60;

/// A login to one server: who the program is to its authorization server, and the tokens from there.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// The server's address, because the file's name only has its hash.
    pub(super) server: String,
    /// The id of the program there.
    pub(super) client_id: String,
    /// The secret that the registration gave with it; a configured one is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    /// Where the answer came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) redirect_uri: Option<String>,
    /// Who the authorization server says it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) issuer: Option<String>,
    /// Where the tokens come from.
    pub(super) token_endpoint: String,
    /// What the login asked for.
    #[serde(default)]
    pub(super) requested: Vec<String>,
    /// The tokens, as rmcp keeps them.
    pub(super) credentials: StoredCredentials,
}

/// A token, and how long it lasts.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) secret: String,
    /// Seconds since 1970: from when on it should be renewed, and from when on it is of no use.
    ends: Option<(u64, u64)>,
}

impl Record {
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

    /// Returns whether there is a token to renew the other with.
    pub(super) fn has_refresh_token(&self) -> bool {
        let response = self.response();
        response.is_some_and(|response| response.get("refresh_token").is_some())
    }

    /// Returns whether it comes from this authorization server.
    pub(super) fn is_from(&self, issuer: Option<&str>, token_endpoint: &str) -> bool {
        match (self.issuer.as_deref(), issuer) {
            (Some(before), Some(now)) => before == now,
            (None, None) => self.token_endpoint == token_endpoint,
            _ => false,
        }
    }

    /// Returns who gave the tokens, for people.
    pub(super) fn giver(&self) -> &str {
        self.issuer.as_deref().unwrap_or(&self.token_endpoint)
    }

    /// Returns the tokens as on the wire: rmcp's type shows them through another crate's trait alone.
    fn response(&self) -> Option<Value> {
        serde_json::to_value(self.credentials.token_response.as_ref()?).ok()
    }
}

impl Token {
    /// Returns whether it needs no renewal yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.ends.is_none_or(|(stale, _)| now() < stale)
    }

    /// Returns whether it is of use at all.
    pub(super) fn is_alive(&self) -> bool {
        self.ends.is_none_or(|(_, end)| now() < end)
    }

    /// Returns how long it still lasts, where that is known.
    pub(super) fn rest(&self) -> Option<Duration> {
        let (_, end) = self.ends?;
        Some(Duration::from_secs(end.saturating_sub(now())))
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

// By hand, because everything else in it is a secret.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("issuer", &self.issuer)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}
