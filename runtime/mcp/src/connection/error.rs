//! The errors of connections and requests. Each message names the server and what to do.

use std::time::Duration;

use rmcp::model::ErrorData;

use super::Operation;
use crate::ServerName;

/// The error of an attempt to connect; its message is for the user.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The configuration is invalid.
    #[error("the MCP server `{server}` is not set up right: {what}")]
    Misconfigured {
        /// The server's name.
        server: ServerName,
        /// The problem, and what to do.
        what: String,
    },
    /// The program of the server did not start.
    #[error("the MCP server `{server}` could not be started: {reason}")]
    NotStarted {
        /// The server's name.
        server: ServerName,
        /// The reason, and what to do.
        reason: String,
    },
    /// The server ended, before or after the connection was established.
    #[error("the MCP server `{server}` ended{}: {how}", if *.was_ready { "" } else { " before it was ready" })]
    Ended {
        /// The server's name.
        server: ServerName,
        /// Whether the connection had been established.
        was_ready: bool,
        /// How the server ended, with the last lines of its standard error.
        how: String,
    },
    /// The server did not respond in time.
    #[error(
        "the MCP server `{server}` did not finish connecting within {}{said}: see whether it is the right program or \
         address, or allow it more time (its connect timeout)",
        seconds(*.waited)
    )]
    TimedOut {
        /// The server's name.
        server: ServerName,
        /// The time limit.
        waited: Duration,
        /// The last lines of the server's standard error.
        said: String,
    },
    /// The address of the server cannot be reached.
    #[error("the MCP server `{server}` cannot be reached: {reason}")]
    Unreachable {
        /// The server's name.
        server: ServerName,
        /// The reason.
        reason: String,
    },
    /// The server requires authentication.
    #[error("the MCP server `{server}` asks for a login: {reason}")]
    Unauthorized {
        /// The server's name.
        server: ServerName,
        /// The problem of the credentials, and what to do.
        reason: String,
    },
    /// The response of the server is not MCP, or an unsupported version of it.
    #[error("the MCP server `{server}` cannot be understood: {reason}")]
    Protocol {
        /// The server's name.
        server: ServerName,
        /// The message of the server.
        reason: String,
    },
    /// The connection was closed by this program.
    #[error("the connection to the MCP server `{server}` is closed")]
    Closed {
        /// The server's name.
        server: ServerName,
    },
}

impl ConnectError {
    /// Returns the name of the server.
    #[must_use]
    pub fn server(&self) -> &ServerName {
        match self {
            Self::Misconfigured { server, .. }
            | Self::NotStarted { server, .. }
            | Self::Ended { server, .. }
            | Self::TimedOut { server, .. }
            | Self::Unreachable { server, .. }
            | Self::Unauthorized { server, .. }
            | Self::Protocol { server, .. }
            | Self::Closed { server } => server,
        }
    }

    /// Returns whether another attempt would fail in the same way until the user acts.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        matches!(
            self,
            Self::Misconfigured { .. }
                | Self::NotStarted { .. }
                | Self::Unauthorized { .. }
                | Self::Closed { .. }
        )
    }
}

/// The error of a request; its message is for the model and the user.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// There is no connection, and the request was not sent.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server responded with an error of the protocol.
    #[error("the MCP server `{server}` refused {what}: {message} (code {code})")]
    Refused {
        /// The server's name.
        server: ServerName,
        /// The operation of the request.
        what: Operation,
        /// The JSON-RPC code.
        code: i32,
        /// The message of the server.
        message: String,
    },
    /// The server ended while the request was active.
    #[error(
        "the MCP server `{server}` stopped while it worked on {what}: {how}{}",
        what.doubt()
    )]
    Lost {
        /// The server's name.
        server: ServerName,
        /// The operation of the request.
        what: Operation,
        /// How the server ended.
        how: String,
    },
    /// The request could not be sent, and had no effect.
    #[error("{what} did not reach the MCP server `{server}`: {reason}")]
    NotSent {
        /// The server's name.
        server: ServerName,
        /// The operation of the request.
        what: Operation,
        /// The reason.
        reason: String,
    },
    /// The server requires a login, or more scopes.
    #[error("the MCP server `{server}` asks for a login before {what}: {reason}")]
    Unauthorized {
        /// The server's name.
        server: ServerName,
        /// The operation of the request.
        what: Operation,
        /// The problem of the credentials, and what to do.
        reason: String,
    },
    /// The server was silent for too long.
    #[error(
        "the MCP server `{server}` said nothing for {} while it worked on {what}; {}",
        seconds(*.waited),
        what.given_up()
    )]
    Stalled {
        /// The server's name.
        server: ServerName,
        /// The operation of the request.
        what: Operation,
        /// The time limit.
        waited: Duration,
    },
    /// The request took too long.
    #[error(
        "the MCP server `{server}` took longer than {} for {what}; {}",
        seconds(*.waited),
        what.given_up()
    )]
    TimedOut {
        /// The server's name.
        server: ServerName,
        /// The operation of the request.
        what: Operation,
        /// The time limit.
        waited: Duration,
    },
    /// The caller cancelled the request, and the server was notified.
    #[error("{what} of the MCP server `{server}` was cancelled")]
    Cancelled {
        /// The server's name.
        server: ServerName,
        /// The operation of the request.
        what: Operation,
    },
    /// The response does not belong to the request.
    #[error("the answer of the MCP server `{server}` to {what} cannot be used: {reason}")]
    Unusable {
        /// The server's name.
        server: ServerName,
        /// The operation of the request.
        what: Operation,
        /// The reason.
        reason: String,
    },
}

impl CallError {
    /// Converts an error response of the server.
    pub(super) fn refused(server: &ServerName, what: &Operation, error: &ErrorData) -> Self {
        Self::Refused {
            server: server.clone(),
            what: what.clone(),
            code: error.code.0,
            message: crate::sanitize::one_line(&error.message, 2_000),
        }
    }

    pub(super) fn lost(server: &ServerName, what: &Operation, how: String) -> Self {
        Self::Lost {
            server: server.clone(),
            what: what.clone(),
            how,
        }
    }

    pub(super) fn unusable(
        server: &ServerName,
        what: &Operation,
        reason: impl Into<String>,
    ) -> Self {
        Self::Unusable {
            server: server.clone(),
            what: what.clone(),
            reason: reason.into(),
        }
    }
}

/// Formats a duration in seconds, or in a smaller unit.
fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 1.0 && seconds.fract() == 0.0 => format!("{seconds} s"),
        seconds if seconds >= 1.0 => format!("{seconds:.1} s"),
        _ => format!("{} ms", time.as_millis()),
    }
}
