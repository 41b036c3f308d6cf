//! What a connection needs of the program around it.

use std::fmt;
use std::io;
use std::sync::Arc;

use rmcp::model::Implementation;
use tokio::io::DuplexStream;

use crate::mcp::TokenSource;
use crate::sandbox::LazySandbox;

type Dial = Arc<dyn Fn() -> io::Result<DuplexStream> + Send + Sync>;

/// What a connection needs of the program around it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Surroundings {
    /// Where sandboxed servers run.
    pub sandbox: Option<Arc<LazySandbox>>,
    /// Who knows the tokens of this server.
    pub(crate) tokens: Option<Arc<dyn TokenSource>>,
    /// What the program says it is.
    pub client: Implementation,
    /// Reaches a server of this very process, instead of what the configuration says.
    pub dial: Option<Dial>,
}

impl Surroundings {
    /// Has no sandbox and no tokens.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sandbox: None,
            tokens: None,
            client: Implementation::new("helve", env!("CARGO_PKG_VERSION")),
            dial: None,
        }
    }

    /// Says where sandboxed servers run.
    #[must_use]
    pub fn with_sandbox(mut self, sandbox: Arc<LazySandbox>) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Says who knows the tokens of the server.
    #[must_use]
    pub(crate) fn with_tokens(mut self, tokens: Arc<dyn TokenSource>) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Says what the program is.
    #[must_use]
    pub fn with_client(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.client = Implementation::new(name, version);
        self
    }

    /// Reaches a server of this very process: each connection calls `dial` and speaks through what it returns.
    #[must_use]
    pub fn with_dial(
        mut self,
        dial: impl Fn() -> io::Result<DuplexStream> + Send + Sync + 'static,
    ) -> Self {
        self.dial = Some(Arc::new(dial));
        self
    }
}

impl Default for Surroundings {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings")
            .field("sandbox", &self.sandbox)
            .field("client", &self.client.name)
            .finish_non_exhaustive()
    }
}
