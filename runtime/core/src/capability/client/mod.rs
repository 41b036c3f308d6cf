//! Requests to the client: the user at the terminal, or the client of an MCP server.

mod elicitation;
mod log;
mod sampling;

use std::sync::Arc;

use futures_util::future::{self, BoxFuture, FutureExt as _};

pub use elicitation::{Elicitation, ElicitationRequest, ElicitationResult};
pub use log::LogLevel;
pub use sampling::{SamplingMessage, SamplingRequest, SamplingResult, SamplingRole};

use crate::capability::handle::CapabilityHandle;
use crate::capability::{BackendError, Capability, CapabilityError};

/// A location that the client lets the program work in, as in MCP's `Root`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// The location, as a `file://` URI.
    pub uri: String,
    /// The name to display.
    pub name: Option<String>,
}

impl Root {
    /// Creates a root.
    pub fn new(uri: impl Into<String>, name: Option<String>) -> Self {
        Self {
            uri: uri.into(),
            name,
        }
    }
}

/// Handles the requests of tools to the client. The default methods refuse.
pub trait ClientBackend: Send + Sync + std::fmt::Debug {
    /// Asks the user for input.
    ///
    /// # Errors
    /// If the client does not support elicitation.
    fn elicit<'a>(
        &'a self,
        elicitation: &'a Elicitation,
    ) -> BoxFuture<'a, Result<ElicitationResult, BackendError>> {
        let _ = elicitation;
        unsupported("this client does not support elicitation")
    }

    /// Requests a completion from the client's model.
    ///
    /// # Errors
    /// When the client has no model, or the model failed.
    fn sample<'a>(
        &'a self,
        sampling: &'a SamplingRequest,
    ) -> BoxFuture<'a, Result<SamplingResult, BackendError>> {
        let _ = sampling;
        unsupported("this client has no model to lend")
    }

    /// Lists the locations that the client lets the program work in.
    ///
    /// # Errors
    /// If the client does not answer.
    fn roots(&self) -> BoxFuture<'_, Result<Vec<Root>, BackendError>> {
        unsupported("this client does not tell its roots")
    }

    /// Receives a log message. Without a listener the message is dropped.
    fn log(&self, level: LogLevel, logger: Option<&str>, data: &serde_json::Value) {
        let _ = (level, logger, data);
    }
}

fn unsupported<'a, T: Send + 'a>(why: &'static str) -> BoxFuture<'a, Result<T, BackendError>> {
    future::ready(Err(why.into())).boxed()
}

/// The client. A tool need not declare this capability, since the client itself decides what to answer.
///
/// The names are those of MCP's client features. Their meaning is the same where the program is no MCP
/// server: on the command line, the user at the terminal answers.
#[derive(Debug, Clone)]
pub struct Client(CapabilityHandle<dyn ClientBackend>);

impl Client {
    /// Creates the capability from the backend that the host granted.
    pub fn new(backend: Option<Arc<dyn ClientBackend>>) -> Self {
        Self(CapabilityHandle::new(Capability::Client, true, backend))
    }

    /// Asks the user for input.
    ///
    /// # Errors
    /// If the client does not support elicitation.
    pub async fn elicit(
        &self,
        elicitation: &Elicitation,
    ) -> Result<ElicitationResult, CapabilityError> {
        let elicited = self.0.backend()?.elicit(elicitation).await;
        elicited.map_err(CapabilityError::failed(Capability::Client))
    }

    /// Requests a completion from the client's model.
    ///
    /// # Errors
    /// When the client has no model, or the model failed.
    pub async fn sample(
        &self,
        sampling: &SamplingRequest,
    ) -> Result<SamplingResult, CapabilityError> {
        let sampled = self.0.backend()?.sample(sampling).await;
        sampled.map_err(CapabilityError::failed(Capability::Client))
    }

    /// Lists the locations that the client lets the program work in.
    ///
    /// # Errors
    /// If the client does not answer.
    pub async fn roots(&self) -> Result<Vec<Root>, CapabilityError> {
        let roots = self.0.backend()?.roots().await;
        roots.map_err(CapabilityError::failed(Capability::Client))
    }

    /// Sends a log message. Without a listener the message is dropped.
    pub fn log(&self, level: LogLevel, logger: Option<&str>, data: &serde_json::Value) {
        if let Ok(backend) = self.0.backend() {
            backend.log(level, logger, data);
        }
    }
}
