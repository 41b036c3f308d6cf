//! Why serving a client ended otherwise than by the client going away.

use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::task::JoinError;

/// Says why a client could not be served; written for whoever runs the server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client did not begin as the protocol says.
    #[error("the client did not begin as the Model Context Protocol says")]
    Beginning(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The task that served the client broke off, which is a defect.
    #[error("serving the client broke off")]
    BrokeOff(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ServeError {
    /// Says what the end of a connection comes to.
    pub(super) fn of_end(ended: Result<QuitReason, JoinError>) -> Result<(), Self> {
        match ended {
            Ok(QuitReason::JoinError(error)) | Err(error) => Err(Self::BrokeOff(error.into())),
            Ok(_) => Ok(()),
        }
    }

    /// Says what a failed beginning comes to: a client that goes away before it began is none.
    pub(super) fn of_beginning(error: ServerInitializeError) -> Result<(), Self> {
        match error {
            ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled => Ok(()),
            error => Err(Self::Beginning(error.into())),
        }
    }
}
