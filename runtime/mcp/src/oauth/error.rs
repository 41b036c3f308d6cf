//! The errors of logins and tokens.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use helve_core::support::text::{first_chars, truncate};
use helve_core::tool::chain_text;
use helve_untrusted::{strip_escapes, strip_invisible};

/// The greatest length of a cause in characters: an authorization server may respond with a whole page.
const MOST_OF_A_CAUSE: usize = 400;

/// The error of a login or a token; its message is for the user.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    /// The server requires a login, and the user is not logged in, or no longer.
    #[error("`{server}` asks for a login: run `mcp login {server}`")]
    LoginRequired {
        /// The server's name.
        server: String,
    },
    /// The server is a local program, which has no login.
    #[error("`{server}` is not reached over HTTP, so there is nothing to log in to")]
    NotHttp {
        /// The server's name.
        server: String,
    },
    /// The token would be readable on the network.
    #[error(
        "`{server}` is reached over plain HTTP, where a token can be read on the way: use its `https` address"
    )]
    Unprotected {
        /// The server's name.
        server: String,
    },
    /// No usable metadata of the authorization server was found.
    #[error("where to log in to `{server}` cannot be found out")]
    Discovery {
        /// The server's name.
        server: String,
        /// The cause.
        source: Cause,
    },
    /// The metadata contains an endpoint to which a secret must not be sent.
    #[error(
        "the authorization server of `{server}` names `{endpoint}`, which is no `https` address: nothing is sent there"
    )]
    Endpoint {
        /// The server's name.
        server: String,
        /// The endpoint, truncated if it is long.
        endpoint: String,
    },
    /// The server names another authorization server than the one that the configured secret was used with.
    #[error(
        "`{server}` now sends its logins to `{now}`, and the secret of this client was used with `{before}`: if that is right, run `mcp logout {server}` first"
    )]
    OtherIssuer {
        /// The server's name.
        server: String,
        /// The previous authorization server.
        before: String,
        /// The new authorization server.
        now: String,
    },
    /// The authorization server does not register the program.
    #[error(
        "the authorization server of `{server}` does not register this program: register it there, and set `client_id`"
    )]
    Registration {
        /// The server's name.
        server: String,
        /// The response of the authorization server.
        source: Cause,
    },
    /// The redirect of the login cannot be received.
    #[error("nothing can listen for the end of the login on this machine, port {port}")]
    Listen {
        /// The port; 0 is any free port.
        port: u16,
        /// The cause.
        source: Arc<std::io::Error>,
    },
    /// The login was not completed.
    #[error("the login to `{server}` was not completed within {} minutes", after.as_secs() / 60)]
    Unanswered {
        /// The server's name.
        server: String,
        /// The time limit.
        after: Duration,
    },
    /// The user or the authorization server refused the login.
    #[error("the authorization server of `{server}` says no")]
    Refused {
        /// The server's name.
        server: String,
        /// The response of the authorization server.
        source: Cause,
    },
    /// The authorization server did not exchange the code for a token.
    #[error("the login to `{server}` gave no token")]
    Exchange {
        /// The server's name.
        server: String,
        /// The cause.
        source: Cause,
    },
    /// A token could not be renewed; a later attempt may succeed.
    #[error("the token of `{server}` cannot be renewed right now")]
    Renewal {
        /// The server's name.
        server: String,
        /// The cause.
        source: Cause,
    },
    /// The server rejects the token that was issued for it.
    #[error(
        "`{server}` does not accept the token that its own authorization server has just given"
    )]
    Rejected {
        /// The server's name.
        server: String,
    },
    /// The server requires a scope that a login has requested already, and that was not granted.
    #[error("`{server}` asks for `{scopes}`, which the last login asked for and did not get")]
    Scope {
        /// The server's name.
        server: String,
        /// The scopes, separated by spaces.
        scopes: String,
    },
    /// The server requires too many logins.
    #[error("`{server}` asked for {logins} logins within {} minutes: it is not asked again", within.as_secs() / 60)]
    TooManyLogins {
        /// The server's name.
        server: String,
        /// The number of logins.
        logins: usize,
        /// The time within which they were required.
        within: Duration,
    },
    /// The private key of the program is invalid.
    #[error("the key of the client for `{server}` is not a usable PEM private key: {reason}")]
    Key {
        /// The server's name.
        server: String,
        /// The reason.
        reason: &'static str,
    },
    /// The program cannot sign with a private key.
    #[error(
        "the client for `{server}` has a private key, and this program was built without the feature `mcp-jwt` of \
         helve, which signs with keys: add the feature, or set a client secret"
    )]
    KeyUnsupported {
        /// The server's name.
        server: String,
    },
    /// The authorization server did not respond in time.
    #[error("the authorization server of `{server}` took longer than {} seconds", after.as_secs())]
    TimedOut {
        /// The server's name.
        server: String,
        /// The time limit.
        after: Duration,
    },
    /// The tokens cannot be stored or loaded.
    #[error("the login cannot be kept in `{}`", path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Arc<std::io::Error>,
    },
}

impl OAuthError {
    /// Returns the text that completes a message that the server requires a login.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::LoginRequired { server } => format!("run `mcp login {server}`"),
            error => chain_text(error),
        }
    }
}

/// The message of an external error: on one line, truncated, and without escape sequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause(Arc<str>);

impl Cause {
    /// Creates a cause from an error and all of its sources.
    pub(super) fn from_source(error: &(dyn Error + 'static)) -> Self {
        let mut text = error.to_string();
        let links = std::iter::successors(error.source(), |link| (*link).source());
        for link in links.map(ToString::to_string) {
            if !text.contains(&link) {
                text.push_str(": ");
                text.push_str(&link);
            }
        }
        Self::new(&text)
    }

    /// Creates a cause from an external text.
    pub(super) fn new(text: &str) -> Self {
        Self(one_line(text, MOST_OF_A_CAUSE).into())
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Cause {}

/// Returns an external text on one line of at most `most` characters, without escape sequences and invisible
/// characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    // Escape sequences are removed first, while they can still be recognized; enough text is kept to fill the line.
    let text = strip_escapes(first_chars(text, 4 * most));
    let text = strip_invisible(&text);
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    truncate(&line, most).into_owned()
}
