//! The status of servers.

use std::fmt;
use std::sync::Arc;

use crate::{ConnectError, ConnectionStatus, ServerName};
use helve_permission::acceptances::AcceptanceError;

/// A snapshot of the status of one server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The server.
    pub name: ServerName,
    /// The status of the connection.
    pub connection: ConnectionStatus,
    /// Whether the user has approved the server's definitions.
    pub approval: ApprovalState,
    /// The tools that a model may call, by the names that the model uses.
    pub offered: Vec<Arc<str>>,
    /// The tools that a model may not call.
    pub withheld: Vec<WithheldTool>,
    /// Remarks for the user, such as truncated or omitted definitions.
    pub notes: Vec<String>,
}

/// Whether the user has approved a server's definitions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalState {
    /// No approval is needed, because the configuration trusts the definitions.
    NotNeeded,
    /// The user has approved the definitions.
    Given,
    /// The definitions have changed since the user approved them.
    Outdated,
    /// The user has not approved the definitions.
    #[default]
    Missing,
}

/// A tool that a model may not call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WithheldTool {
    /// The server's name of the tool, sanitized for display.
    pub tool: String,
    /// The reason.
    pub reason: WithheldReason,
}

/// The reason for which a model may not call a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WithheldReason {
    /// The server was never approved.
    NotApproved,
    /// The definition has changed since it was approved.
    Changed,
    /// The definition is invalid.
    Unusable {
        /// What is invalid.
        why: String,
    },
    /// Another tool has its name.
    NameTaken,
}

impl fmt::Display for WithheldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotApproved => f.write_str("the server was not approved yet"),
            Self::Changed => f.write_str("its description has changed since it was approved"),
            Self::Unusable { why } => write!(f, "its description cannot be used: {why}"),
            Self::NameTaken => f.write_str("another tool has its name"),
        }
    }
}

impl fmt::Display for WithheldTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.tool, self.reason)
    }
}

/// An error of an operation on servers; its text is for the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServersError {
    /// No server has that name.
    #[error("no MCP server is called `{name}`{}", match nearest { Some(near) => format!("; did you mean `{near}`?"), None => String::new() })]
    Unknown {
        /// The requested name.
        name: String,
        /// The most similar name of a server.
        nearest: Option<String>,
    },
    /// There is no connection to the server.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server does not list its definitions.
    #[error(transparent)]
    Call(#[from] crate::CallError),
    /// The approvals cannot be read or written.
    #[error(transparent)]
    Acceptances(#[from] AcceptanceError),
}
