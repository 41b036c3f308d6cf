//! The way out of a sandbox without a network: an HTTP proxy outside of the sandbox, behind a listener inside of it.
//!
//! The listener was made on the loopback of the sandbox's network namespace, and its descriptor was handed out. The
//! proxy looks the host of each connection up once, checks name and addresses against the rules, and dials the very
//! address that it checked. TLS passes through unread but for the server name in its first message, so that a tunnel to
//! one host cannot ask the machine behind it for another.

mod connection;
mod dial;
mod forward;
mod idle;
mod response;
mod server_name;
mod shared;
mod tunnel;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use tokio::task::JoinSet;

use self::shared::ProxyState;
use super::{EgressGate, SandboxError};
use helve_core::network::{HostPolicy, HostRules, Resolve, SystemResolver};

/// A proxy that serves a sandbox; it ends, with all its connections, when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    /// The task that accepts connections; dropping the set aborts it.
    _accepting: JoinSet<()>,
    gate: Arc<EgressGate>,
}

impl Proxy {
    /// Serves what connects to a listener, as far as the rules allow it. It needs the tokio runtime that it is called on.
    ///
    /// Several processes may serve the same listener, each with a copy of its descriptor (an `OwnedFd` can be given, too).
    ///
    /// # Errors
    /// When a rule cannot be read, or the listener is none.
    pub fn serve(
        listener: impl Into<TcpListener>,
        rules: &HostRules,
    ) -> Result<Self, SandboxError> {
        Self::serve_resolving(listener, rules, Arc::new(SystemResolver))
    }

    /// Serves as [`serve`](Proxy::serve) does, with names looked up by someone else.
    ///
    /// # Errors
    /// As [`serve`](Proxy::serve).
    pub fn serve_resolving(
        listener: impl Into<TcpListener>,
        rules: &HostRules,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, SandboxError> {
        let policy = HostPolicy::new(rules).map_err(|error| SandboxError::Io {
            doing: "reading the rules about hosts".to_owned(),
            source: std::io::Error::new(std::io::ErrorKind::InvalidInput, error),
        })?;
        let listener = listener.into();
        let io = |source| SandboxError::Io {
            doing: "taking over the listener of the sandbox's network".to_owned(),
            source,
        };
        listener.set_nonblocking(true).map_err(io)?;
        let address = listener.local_addr().map_err(io)?;
        let listener = tokio::net::TcpListener::from_std(listener).map_err(io)?;
        let gate = EgressGate::new();
        let shared = Arc::new(ProxyState {
            policy,
            resolver,
            gate: Arc::clone(&gate),
        });
        let mut accepting = JoinSet::new();
        accepting.spawn(connection::accept(listener, shared));
        Ok(Self {
            address,
            _accepting: accepting,
            gate,
        })
    }

    /// Returns what every connection is held against.
    #[must_use]
    pub fn gate(&self) -> &Arc<EgressGate> {
        &self.gate
    }

    /// Returns where the proxy is reached from inside the sandbox.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the variables that lead programs to a proxy at this address, in both spellings that they look for.
    #[must_use]
    pub fn environment(address: SocketAddr) -> Vec<(&'static str, String)> {
        let url = format!("http://{address}");
        // What a command starts inside the sandbox is reached directly.
        let direct = "localhost,127.0.0.1,::1".to_owned();
        vec![
            ("HTTP_PROXY", url.clone()),
            ("http_proxy", url.clone()),
            ("HTTPS_PROXY", url.clone()),
            ("https_proxy", url.clone()),
            ("ALL_PROXY", url.clone()),
            ("all_proxy", url),
            ("NO_PROXY", direct.clone()),
            ("no_proxy", direct),
            // Node reads the others only if it is configured to.
            ("NODE_USE_ENV_PROXY", "1".to_owned()),
        ]
    }
}
