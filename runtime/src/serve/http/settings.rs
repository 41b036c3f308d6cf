//! What a server over HTTP is told: who may come in, under which names, and how much of everything.

use std::time::Duration;

use super::names::Names;
use super::tokens::Tokens;

/// Who may reach a server over HTTP, and what it spends on them.
///
/// Without a token it serves this machine alone; with tokens every request needs one. It answers to `localhost` and to the
/// address that it is reached at; a name needs [`allow_host`](Self::allow_host). A page in a browser is answered where it
/// comes from the server itself, or from an origin that was allowed.
///
/// ```
/// # extern crate helve_runtime as helve;
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
    pub(super) names: Names,
    pub(super) bounds: Bounds,
}

/// How much a server spends on those who ask it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// How many connections are open at once.
    pub(super) connections: usize,
    /// How long the head of a request may take, and how long a connection may wait for the next one.
    pub(super) head: Duration,
    /// How long the body of a request may take.
    pub(super) body: Duration,
    /// How long the body of a request may be.
    pub(super) body_bytes: usize,
    /// How long a client may let an answer wait that it has asked for.
    pub(super) write: Duration,
    /// How many sessions each principal has; the one that was idle for the longest time makes room.
    pub(super) sessions: usize,
    /// How long a session may be idle.
    pub(super) session_idle: Duration,
    /// How long calls may go on once the server is to end.
    pub(super) grace: Duration,
}

/// Says what cannot be allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It is no host.
    #[error(
        "`{0}` is no host: write a name or an address, and a port where only that one is meant"
    )]
    Host(String),
    /// It is no origin.
    #[error(
        "`{0}` is no origin: write it as browsers do, such as `https://app.example.com` or `http://localhost:3000`"
    )]
    Origin(String),
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            tokens: Tokens::new(),
            names: Names::default(),
            bounds: Bounds {
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
    /// Makes the settings of a server that this machine alone can reach.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the tokens of which every request needs one.
    #[must_use]
    pub fn tokens(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// Lets the server answer to a name, such as that of a proxy before it: `tools.example.com`, with a port where only that
    /// one is meant.
    ///
    /// # Errors
    /// When it is no host.
    pub fn allow_host(mut self, host: &str) -> Result<Self, NameError> {
        match self.names.add_host(host) {
            true => Ok(self),
            false => Err(NameError::Host(host.to_owned())),
        }
    }

    /// Lets pages of a site ask the server: `https://app.example.com`.
    ///
    /// # Errors
    /// When it is no origin.
    pub fn allow_origin(mut self, origin: &str) -> Result<Self, NameError> {
        match self.names.add_origin(origin) {
            true => Ok(self),
            false => Err(NameError::Origin(origin.to_owned())),
        }
    }

    /// Sets how many connections are open at once. For a new one beyond that, the oldest connection is closed that has not
    /// sent a request with a known token and a known host; where there is none, the client is told to come again. Without
    /// it, 128.
    #[must_use]
    pub fn connections(mut self, most: usize) -> Self {
        self.bounds.connections = most.max(1);
        self
    }

    /// Sets how long a client may take for the head of a request, for its body, and to take an answer. Without it, 30, 60
    /// and 60 seconds.
    #[must_use]
    pub fn patience(mut self, head: Duration, body: Duration, answer: Duration) -> Self {
        self.bounds.head = head;
        self.bounds.body = body;
        self.bounds.write = answer;
        self
    }

    /// Sets how long a message may be. Without it, 16 MiB.
    #[must_use]
    pub fn message_bytes(mut self, most: usize) -> Self {
        self.bounds.body_bytes = most;
        self
    }

    /// Sets how many sessions each principal has, and how long one may be idle. Without it, 64 and half an hour.
    #[must_use]
    pub fn sessions(mut self, most: usize, idle: Duration) -> Self {
        self.bounds.sessions = most.max(1);
        self.bounds.session_idle = idle;
        self
    }

    /// Sets how long calls may go on once the server is to end. Without it, 10 seconds.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.bounds.grace = grace;
        self
    }
}
