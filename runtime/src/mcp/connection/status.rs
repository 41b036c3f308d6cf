//! Where a connection stands.

use rmcp::model::{Implementation, ServerCapabilities};

use super::ConnectError;

/// Where a connection stands, at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectionStatus {
    /// Whether it is there.
    pub state: ConnectionState,
    /// The protocol that was agreed on.
    pub protocol_version: Option<String>,
    /// What the server says it is.
    pub server: Option<Implementation>,
    /// What the server says it can do.
    pub capabilities: Option<ServerCapabilities>,
    /// What the server says about its use.
    pub instructions: Option<String>,
    /// How often the connection was made anew after it had been there.
    pub restarts: u32,
    /// Why it is not there, or was not there last.
    pub last_error: Option<ConnectError>,
}

/// Whether a connection is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectionState {
    /// Nobody has asked for it.
    Idle,
    /// It is being made.
    Connecting,
    /// It is there.
    Ready,
    /// It failed, and is made anew after a while.
    Waiting,
    /// It was closed.
    Closed,
}
