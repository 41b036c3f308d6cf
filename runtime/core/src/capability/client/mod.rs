//! Requests to the client: the person at the terminal, or the client of an MCP server.

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

/// A place that the client lets the program work in, as in MCP's `Root`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// Where it is, as a `file://` URI.
    pub uri: String,
    /// A name for people.
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
    /// Asks the person for something.
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

    /// Lets the client's model write something.
    ///
    /// # Errors
    /// When there is none, or it failed.
    fn sample<'a>(
        &'a self,
        sampling: &'a SamplingRequest,
    ) -> BoxFuture<'a, Result<SamplingResult, BackendError>> {
        let _ = sampling;
        unsupported("this client has no model to lend")
    }

    /// Lists the places that the client lets the program work in.
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

/// The client; nothing is to be declared for it, since it decides itself what it answers.
///
/// The names are those of MCP's client features, and their meaning is the same where the program is no MCP server: on
/// the command line the person at the terminal answers.
#[derive(Debug, Clone)]
pub struct Client(CapabilityHandle<dyn ClientBackend>);

impl Client {
    /// Holds what the host granted.
    pub fn new(backend: Option<Arc<dyn ClientBackend>>) -> Self {
        Self(CapabilityHandle::new(Capability::Client, true, backend))
    }

    /// Asks the person for something.
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

    /// Lets the client's model write something.
    ///
    /// # Errors
    /// When there is none, or it failed.
    pub async fn sample(
        &self,
        sampling: &SamplingRequest,
    ) -> Result<SamplingResult, CapabilityError> {
        let sampled = self.0.backend()?.sample(sampling).await;
        sampled.map_err(CapabilityError::failed(Capability::Client))
    }

    /// Lists the places that the client lets the program work in.
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
