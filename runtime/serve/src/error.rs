//! The errors of serving one client.

use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::task::JoinError;

/// The error of serving one client, for the operator of the server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client did not start as the protocol requires.
    #[error("the client did not start as the Model Context Protocol requires")]
    Initialize(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The task that served the client panicked, which is a defect.
    #[error("the task that served the client panicked")]
    Panicked(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ServeError {
    /// Converts the reason for which a connection ended.
    pub(super) fn from_quit(ended: Result<QuitReason, JoinError>) -> Result<(), Self> {
        match ended {
            Ok(QuitReason::JoinError(error)) | Err(error) => Err(Self::Panicked(error.into())),
            Ok(_) => Ok(()),
        }
    }

    /// Converts the error of a handshake. A client that disconnects before its handshake is no error.
    pub(super) fn from_initialize(error: ServerInitializeError) -> Result<(), Self> {
        match error {
            ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled => Ok(()),
            error => Err(Self::Initialize(error.into())),
        }
    }
}
