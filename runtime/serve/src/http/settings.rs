//! The settings of a server over HTTP: tokens, allowed names and limits.

use std::time::Duration;

use super::allowed_names::AllowedNames;
use super::tokens::Tokens;

/// The settings of a server over HTTP: who may use the server, and its limits.
///
/// Without tokens the server accepts local clients only; with tokens every request needs one. The server accepts the host
/// `localhost` and its own address; another name needs [`allow_host`](Self::allow_host). A page in a browser may use the
/// server if it has the server's own origin, or one that is allowed.
///
/// ```
/// use helve::serve::{HttpSettings, Tokens};
///
/// let mut tokens = Tokens::new();
/// tokens.read("editor=0b7e6fd2c1a44f4e9a31").unwrap();
/// let settings = HttpSettings::new().tokens(tokens).allow_host("tools.example.com").unwrap();
/// # drop(settings);
/// ```
#[derive(Debug, Clone)]
pub struct HttpSettings {
    pub(super) tokens: Tokens,
    pub(super) names: AllowedNames,
    pub(super) limits: HttpLimits,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct HttpLimits {
    pub(super) connections: usize,
    /// How long the head of a request may take, and how long a connection may be idle between two requests.
    pub(super) head: Duration,
    /// How long the body of a request may take.
    pub(super) body: Duration,
    /// The greatest size of the body of a request, in bytes.
    pub(super) body_bytes: usize,
    /// How long a client may pause while it reads a response.
    pub(super) write: Duration,
    /// The number of sessions of each principal. A new session replaces the one that was idle for the longest time.
    pub(super) sessions: usize,
    pub(super) session_idle: Duration,
    /// How long running calls may take once the server shuts down.
    pub(super) grace: Duration,
}

/// The error of a name that cannot be allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The text is not a host.
    #[error(
        "`{0}` is not a valid host: write a name or an address, with a port to allow only that port"
    )]
    Host(String),
    /// The text is not an origin.
    #[error(
        "`{0}` is no origin: write it as browsers do, such as `https://app.example.com` or `http://localhost:3000`"
    )]
    Origin(String),
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            tokens: Tokens::new(),
            names: AllowedNames::default(),
            limits: HttpLimits {
                connections: 128,
                head: Duration::from_secs(30),
                body: Duration::from_secs(60),
                body_bytes: 16 << 20,
                write: Duration::from_secs(60),
                sessions: 64,
                session_idle: Duration::from_secs(30 * 60),
                grace: Duration::from_secs(10),
            },
        }
    }
}

impl HttpSettings {
    /// Returns the settings of a server for local clients.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the tokens. Every request then needs one of them.
    #[must_use]
    pub fn tokens(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// Allows a host name, such as that of a reverse proxy: `tools.example.com`. With a port, only that port is allowed.
    ///
    /// # Errors
    /// Fails if the text is not a host.
    pub fn allow_host(mut self, host: &str) -> Result<Self, NameError> {
        let is_host = self.names.add_host(host);
        is_host
            .then_some(self)
            .ok_or_else(|| NameError::Host(host.to_owned()))
    }

    /// Allows the pages of an origin to use the server: `https://app.example.com`.
    ///
    /// # Errors
    /// Fails if the text is not an origin.
    pub fn allow_origin(mut self, origin: &str) -> Result<Self, NameError> {
        let is_origin = self.names.add_origin(origin);
        is_origin
            .then_some(self)
            .ok_or_else(|| NameError::Origin(origin.to_owned()))
    }

    /// Sets how many connections are open at once. The default is 128. A further connection replaces the oldest one that has
    /// not sent a request with a known token and an allowed host. If there is no such connection, the new one is rejected.
    #[must_use]
    pub fn max_connections(mut self, max: usize) -> Self {
        self.limits.connections = max.max(1);
        self
    }

    /// Sets how long a client may take to send the head and the body of a request, and to read a response. The defaults are
    /// 30, 60 and 60 seconds.
    #[must_use]
    pub fn timeouts(mut self, head: Duration, body: Duration, response: Duration) -> Self {
        self.limits.head = head;
        self.limits.body = body;
        self.limits.write = response;
        self
    }

    /// Sets the size limit of a message. The default is 16 MiB.
    #[must_use]
    pub fn max_message_bytes(mut self, max: usize) -> Self {
        self.limits.body_bytes = max;
        self
    }

    /// Sets how many sessions each principal has, and how long a session may be idle. The defaults are 64 and half an hour.
    #[must_use]
    pub fn sessions(mut self, max: usize, idle: Duration) -> Self {
        self.limits.sessions = max.max(1);
        self.limits.session_idle = idle;
        self
    }

    /// Sets how long running calls may take once the server shuts down. The default is 10 seconds.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.limits.grace = grace;
        self
    }
}
