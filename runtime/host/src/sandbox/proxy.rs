//! The network access of a sandbox: an HTTP proxy outside of the sandbox, with a listener inside.
//!
//! The listener is bound to the loopback interface of the sandbox's network namespace, and its descriptor is passed
//! out. The proxy resolves the host of each connection once, checks the name and the addresses against the rules, and
//! connects to the address that it checked. TLS is passed through unread except for the server name in its first
//! message, so that a tunnel to one host cannot be used to request another host from the same server.

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
use super::{EgressGate, SandboxError, SandboxPolicy};
use helve_core::network::{HostPolicy, HostRules, Resolve, SystemResolver};

/// Creates the gate of a sandbox.
pub(super) fn gate_for(policy: &SandboxPolicy) -> Arc<EgressGate> {
    if policy.ask_blocked {
        EgressGate::asking()
    } else {
        EgressGate::new()
    }
}

/// A proxy that serves a sandbox. Dropping the proxy ends it and all of its connections.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    /// The task that accepts connections; dropping the set aborts it.
    _accepting: JoinSet<()>,
    gate: Arc<EgressGate>,
}

impl Proxy {
    /// Serves the connections of a listener, as far as the rules allow them. The proxy runs on the tokio runtime of the
    /// caller.
    ///
    /// Several processes may serve the same listener, each with a copy of its descriptor (an `OwnedFd` can be given, too).
    ///
    /// # Errors
    /// Fails if a rule cannot be parsed, or if the descriptor is not a listener.
    pub fn serve(
        listener: impl Into<TcpListener>,
        rules: &HostRules,
    ) -> Result<Self, SandboxError> {
        Self::serve_resolving(listener, rules, Arc::new(SystemResolver))
    }

    /// Like [`serve`](Proxy::serve), with a gate that other proxies may share.
    pub(super) fn serve_gated(
        listener: impl Into<TcpListener>,
        rules: &HostRules,
        gate: Arc<EgressGate>,
    ) -> Result<Self, SandboxError> {
        Self::serve_with(listener.into(), rules, Arc::new(SystemResolver), gate)
    }

    /// Like [`serve`](Proxy::serve), with a custom resolver.
    ///
    /// # Errors
    /// As [`serve`](Proxy::serve).
    pub fn serve_resolving(
        listener: impl Into<TcpListener>,
        rules: &HostRules,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, SandboxError> {
        Self::serve_with(listener.into(), rules, resolver, EgressGate::new())
    }

    /// Like [`serve`](Proxy::serve), with a custom resolver and a gate, which may be one that
    /// [asks about hosts that no rule allows](EgressGate::asking).
    ///
    /// # Errors
    /// As [`serve`](Proxy::serve).
    pub fn serve_with(
        listener: TcpListener,
        rules: &HostRules,
        resolver: Arc<dyn Resolve>,
        gate: Arc<EgressGate>,
    ) -> Result<Self, SandboxError> {
        let policy = HostPolicy::new(rules).map_err(|error| SandboxError::Io {
            doing: "reading the rules about hosts".to_owned(),
            source: std::io::Error::new(std::io::ErrorKind::InvalidInput, error),
        })?;
        let io = |source| SandboxError::Io {
            doing: "taking over the listener of the sandbox's network".to_owned(),
            source,
        };
        listener.set_nonblocking(true).map_err(io)?;
        let address = listener.local_addr().map_err(io)?;
        let listener = tokio::net::TcpListener::from_std(listener).map_err(io)?;
        let shared = Arc::new(ProxyState::new(policy, resolver, Arc::clone(&gate)));
        let mut accepting = JoinSet::new();
        accepting.spawn(connection::accept(listener, shared));
        Ok(Self {
            address,
            _accepting: accepting,
            gate,
        })
    }

    /// Returns the gate that checks every connection.
    #[must_use]
    pub fn gate(&self) -> &Arc<EgressGate> {
        &self.gate
    }

    /// Returns the address of the proxy inside the sandbox.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the variables that configure programs for a proxy at this address, in both spellings that are in use.
    #[must_use]
    pub fn environment(address: SocketAddr) -> Vec<(&'static str, String)> {
        let url = format!("http://{address}");
        // Servers that a command starts inside the sandbox are reached directly.
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
            // Node ignores the other variables without this setting.
            ("NODE_USE_ENV_PROXY", "1".to_owned()),
        ]
    }
}
