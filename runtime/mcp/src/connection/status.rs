//! The status of a connection.

use rmcp::model::{Implementation, ServerCapabilities};

use super::ConnectError;

/// A snapshot of the status of a connection.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectionStatus {
    /// The state of the connection.
    pub state: ConnectionState,
    /// The negotiated version of the protocol.
    pub protocol_version: Option<String>,
    /// The name and version of the server.
    pub server: Option<Implementation>,
    /// The capabilities of the server.
    pub capabilities: Option<ServerCapabilities>,
    /// The instructions of the server.
    pub instructions: Option<String>,
    /// The number of times that the connection was lost after it had been ready.
    pub restarts: u32,
    /// The last error of the connection.
    pub last_error: Option<ConnectError>,
}

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectionState {
    /// The connection has not been used.
    Idle,
    /// An attempt is in progress.
    Connecting,
    /// The connection is established. A server that is started for each call has listed its tools, and does not run.
    Ready,
    /// The last attempt failed, or the connection was lost; the next attempt follows after a delay.
    Waiting,
    /// The connection was closed.
    Closed,
}
