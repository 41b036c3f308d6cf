//! The dependencies of a connection: the sandbox, the tokens and the identity of the client.

use std::fmt;
use std::io;
use std::sync::Arc;

use rmcp::model::Implementation;
use tokio::io::DuplexStream;

use crate::TokenSource;
use helve_core::sandbox::LazySandbox;

/// Connects to a server in this process.
pub(crate) type Dial = Arc<dyn Fn() -> io::Result<DuplexStream> + Send + Sync>;

/// The dependencies of a connection.
#[derive(Clone)]
#[non_exhaustive]
pub struct ConnectionDeps {
    /// The sandbox for servers that are configured to run in one.
    pub sandbox: Option<Arc<LazySandbox>>,
    /// The source of the access tokens for the server.
    pub(crate) tokens: Option<Arc<dyn TokenSource>>,
    /// The name and version of the program for the server.
    pub client: Implementation,
    /// Connects to a server in this process, instead of the transport in the configuration.
    pub dial: Option<Dial>,
}

impl ConnectionDeps {
    /// Creates dependencies without a sandbox and without tokens.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sandbox: None,
            tokens: None,
            client: Implementation::new("helve", env!("CARGO_PKG_VERSION")),
            dial: None,
        }
    }

    /// Connects to a server in this process: each connection calls `dial` for its stream.
    #[must_use]
    pub fn with_dial(
        mut self,
        dial: impl Fn() -> io::Result<DuplexStream> + Send + Sync + 'static,
    ) -> Self {
        self.dial = Some(Arc::new(dial));
        self
    }
}

impl Default for ConnectionDeps {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ConnectionDeps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionDeps")
            .field("sandbox", &self.sandbox)
            .field("client", &self.client.name)
            .finish_non_exhaustive()
    }
}
