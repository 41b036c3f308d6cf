//! What can go wrong between a server, its authorization server, and the user.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use helve_core::support::text::{first_chars, truncate};
use helve_core::tool::chain_text;
use helve_untrusted::{strip_escapes, strip_invisible};

/// The longest reason that is repeated: an authorization server may answer with a whole page.
const MOST_OF_A_CAUSE: usize = 400;

/// The error of a login or of a token; its text is for the user who wants to reach the server.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    /// The server needs to know the user, and the user is not logged in, or no longer.
    #[error("`{server}` asks for a login: run `mcp login {server}`")]
    LoginRequired {
        /// The server's name.
        server: String,
    },
    /// The server is a program of this machine, which has no login.
    #[error("`{server}` is not reached over HTTP, so there is nothing to log in to")]
    NotHttp {
        /// The server's name.
        server: String,
    },
    /// A token would be readable on the way.
    #[error(
        "`{server}` is reached over plain HTTP, where a token can be read on the way: use its `https` address"
    )]
    Unprotected {
        /// The server's name.
        server: String,
    },
    /// Nothing usable says where the login is.
    #[error("where to log in to `{server}` cannot be found out")]
    Discovery {
        /// The server's name.
        server: String,
        /// What went wrong.
        source: Cause,
    },
    /// What says where the login is names an address that a secret must not be sent to.
    #[error(
        "the authorization server of `{server}` names `{endpoint}`, which is no `https` address: nothing is sent there"
    )]
    Endpoint {
        /// The server's name.
        server: String,
        /// The address, cut where it is long.
        endpoint: String,
    },
    /// The server names another authorization server than the one that the configured secret was used with.
    #[error(
        "`{server}` now sends its logins to `{now}`, and the secret of this client was used with `{before}`: if that is right, run `mcp logout {server}` first"
    )]
    OtherIssuer {
        /// The server's name.
        server: String,
        /// The authorization server until now.
        before: String,
        /// The one that is named now.
        now: String,
    },
    /// The authorization server does not know the program.
    #[error(
        "the authorization server of `{server}` does not register this program: register it there, and set `client_id`"
    )]
    Registration {
        /// The server's name.
        server: String,
        /// What it said.
        source: Cause,
    },
    /// The end of the login cannot be received.
    #[error("nothing can listen for the end of the login on this machine, port {port}")]
    Listen {
        /// The port, 0 for any.
        port: u16,
        /// What went wrong.
        source: Arc<std::io::Error>,
    },
    /// The login was not completed.
    #[error("the login to `{server}` was not completed within {} minutes", after.as_secs() / 60)]
    Unanswered {
        /// The server's name.
        server: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// The user or the authorization server said no.
    #[error("the authorization server of `{server}` says no")]
    Refused {
        /// The server's name.
        server: String,
        /// What it said.
        source: Cause,
    },
    /// The authorization server gave no token for what came back.
    #[error("the login to `{server}` gave no token")]
    Exchange {
        /// The server's name.
        server: String,
        /// What went wrong.
        source: Cause,
    },
    /// A token could not be renewed this time.
    #[error("the token of `{server}` cannot be renewed right now")]
    Renewal {
        /// The server's name.
        server: String,
        /// What went wrong.
        source: Cause,
    },
    /// The server refuses the token that was made for it.
    #[error(
        "`{server}` does not accept the token that its own authorization server has just given"
    )]
    Rejected {
        /// The server's name.
        server: String,
    },
    /// The server asks for a scope that a login has already asked for in vain.
    #[error("`{server}` asks for `{scopes}`, which the last login asked for and did not get")]
    Scope {
        /// The server's name.
        server: String,
        /// The scopes, with a space between two.
        scopes: String,
    },
    /// The server asks for one login after the other.
    #[error("`{server}` asked for {logins} logins within {} minutes: it is not asked again", within.as_secs() / 60)]
    TooManyLogins {
        /// The server's name.
        server: String,
        /// How many.
        logins: usize,
        /// Within what time.
        within: Duration,
    },
    /// The key that the program shows is none.
    #[error("the key of the client for `{server}` is not a usable PEM private key: {reason}")]
    Key {
        /// The server's name.
        server: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The authorization server took too long.
    #[error("the authorization server of `{server}` took longer than {} seconds", after.as_secs())]
    TimedOut {
        /// The server's name.
        server: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// Tokens cannot be kept.
    #[error("the login cannot be kept in `{}`", path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: Arc<std::io::Error>,
    },
}

impl OAuthError {
    /// Returns what stands behind the words that a server asks for a login.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::LoginRequired { server } => format!("run `mcp login {server}`"),
            error => chain_text(error),
        }
    }
}

/// An external error message, in one line, cut and without anything that a terminal would act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause(Arc<str>);

impl Cause {
    /// Takes an error and everything behind it.
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

    /// Takes a text from outside.
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

/// Returns a text from outside as one line of at most so many characters that shows what it is.
pub(super) fn one_line(text: &str, most: usize) -> String {
    // Escape sequences first, while they can be distinguished from what is around them; enough is kept to fill the
    // line.
    let text = strip_escapes(first_chars(text, 4 * most));
    let text = strip_invisible(&text);
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    truncate(&line, most).into_owned()
}
