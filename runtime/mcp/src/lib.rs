//! Clients of MCP servers as sources of tools, for the Model Context Protocol from 2024-11-05 to 2026-07-28.
//!
//! A [`ServerConfig`] contains the transport and the trust of a server; trust that is not configured is not granted.

mod approval;
mod config;
#[doc(hidden)]
pub mod connection;
mod oauth;
mod sanitize;
mod servers;
#[cfg(feature = "skills")]
mod skills;
mod tool;
mod transport;

pub use config::{
    CallTimeouts, InvalidServerName, ServerAuth, ServerConfig, ServerLifetime, ServerName,
    ServerTrust, StdioServer, ToolSelection, Transport,
};
pub use connection::{CallError, ConnectError, ConnectionState, ConnectionStatus, Operation};
pub use oauth::{Cause, LoggedIn, LoginRequest, Logins, OAuthError};
pub(crate) use oauth::{HandshakeTokens, TokenSource};
pub use servers::{
    ApprovalState, McpServers, McpServersBuilder, ServerFailure, ServerStatus, ServersError,
    WithheldReason, WithheldTool,
};
