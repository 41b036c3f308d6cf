//! MCP servers as sources of tools: the Model Context Protocol from 2024-11-05 to 2026-07-28, on the client's side.
//!
//! A [`ServerConfig`] says where a server is and how far it is trusted; what is not said is not granted.

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
    CallTimeouts, InvalidServerName, ServerAuth, ServerConfig, ServerName, ServerTrust,
    StdioServer, ToolSelection, Transport,
};
pub use connection::{CallError, ConnectError, ConnectionState, ConnectionStatus, Operation};
pub use oauth::{Cause, LoggedIn, LoginRequest, Logins, OAuthError};
pub(crate) use oauth::{HandshakeTokens, TokenSource};
pub use servers::{
    ApprovalState, McpServers, McpServersBuilder, ServerFailure, ServerStatus, ServersError,
    WithheldReason, WithheldTool,
};
