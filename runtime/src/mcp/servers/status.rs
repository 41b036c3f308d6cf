//! How the servers stand, for whoever asks.

use std::fmt;
use std::sync::Arc;

use crate::acceptances::AcceptanceError;
use crate::mcp::{ConnectError, ConnectionStatus, ServerName};

/// How one server stands, at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The server.
    pub name: ServerName,
    /// Whether it is connected, and what it says it is.
    pub connection: ConnectionStatus,
    /// Whether the user has approved what it says.
    pub approval: Approval,
    /// The tools that a model may call, by the names under which it does.
    pub offered: Vec<Arc<str>>,
    /// The tools that it may not call.
    pub withheld: Vec<WithheldTool>,
    /// What else a person should know: what was cut, left out or is not as the server meant it.
    pub notes: Vec<String>,
}

/// Whether the user has approved what a server says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// Nobody has to: the app ships the server itself.
    NotNeeded,
    /// They have.
    Given,
    /// They have, and it says something else by now.
    Outdated,
    /// They have not.
    Missing,
}

/// A tool that a model may not call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WithheldTool {
    /// Its name, by the server; fit to be shown.
    pub tool: String,
    /// Why.
    pub reason: WithheldReason,
}

/// Says why a model may not call a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WithheldReason {
    /// The server was never approved.
    NotApproved,
    /// It is described otherwise than when it was approved.
    Changed,
    /// Its description is none.
    Unusable {
        /// What is wrong with it.
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

/// Says why something about servers could not be done; written for the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServersError {
    /// No server has that name.
    #[error("no MCP server is called `{name}`{}", match nearest { Some(near) => format!("; did you mean `{near}`?"), None => String::new() })]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The name of a server that is nearly the same.
        nearest: Option<String>,
    },
    /// There is no connection to the server.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server does not say what it offers.
    #[error(transparent)]
    Call(#[from] crate::mcp::CallError),
    /// What was approved cannot be read or kept.
    #[error(transparent)]
    Acceptances(#[from] AcceptanceError),
}
