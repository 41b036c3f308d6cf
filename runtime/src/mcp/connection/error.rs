//! What goes wrong with a server, told so that whoever reads it knows which server it is and what to do.

use std::time::Duration;

use rmcp::model::ErrorData;

use super::Asked;
use crate::mcp::ServerName;

/// Says why there is no connection to a server; written for the user.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// What the configuration says cannot be done.
    #[error("the MCP server `{server}` is not set up right: {what}")]
    Misconfigured {
        /// The server's name.
        server: ServerName,
        /// What is wrong, and what to do.
        what: String,
    },
    /// Its program did not start.
    #[error("the MCP server `{server}` could not be started: {reason}")]
    NotStarted {
        /// The server's name.
        server: ServerName,
        /// Why, and what to do.
        reason: String,
    },
    /// It ended before the connection was made, or afterwards.
    #[error("the MCP server `{server}` ended{}: {how}", if *.was_ready { "" } else { " before it was ready" })]
    Ended {
        /// The server's name.
        server: ServerName,
        /// Whether it had been connected.
        was_ready: bool,
        /// How it ended, with the last lines of its standard error.
        how: String,
    },
    /// It did not answer in time.
    #[error(
        "the MCP server `{server}` did not finish connecting within {}{said}: see whether it is the right program or \
         address, or allow it more time (its connect timeout)",
        seconds(*.waited)
    )]
    TimedOut {
        /// The server's name.
        server: ServerName,
        /// How long it had.
        waited: Duration,
        /// The last lines of its standard error.
        said: String,
    },
    /// Nobody answers at its address.
    #[error("the MCP server `{server}` cannot be reached: {reason}")]
    Unreachable {
        /// The server's name.
        server: ServerName,
        /// Why.
        reason: String,
    },
    /// It wants to know who the user is.
    #[error("the MCP server `{server}` asks for a login: {reason}")]
    Unauthorized {
        /// The server's name.
        server: ServerName,
        /// What was wrong with what it was shown, and what to do.
        reason: String,
    },
    /// What it answers is no MCP, or no MCP that this program speaks.
    #[error("the MCP server `{server}` cannot be understood: {reason}")]
    Protocol {
        /// The server's name.
        server: ServerName,
        /// What it said.
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

    /// Reports whether trying again changes nothing before somebody acts.
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

/// Says why a request to a server has no result; written for the model and the user.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// There is no connection; nothing was asked.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server answered with an error of the protocol.
    #[error("the MCP server `{server}` refused {what}: {message} (code {code})")]
    Refused {
        /// The server's name.
        server: ServerName,
        /// What was asked.
        what: Asked,
        /// The code of JSON-RPC.
        code: i32,
        /// What it said.
        message: String,
    },
    /// It stopped while the request was under way.
    #[error(
        "the MCP server `{server}` stopped while it worked on {what}: {how}{}",
        what.doubt()
    )]
    Lost {
        /// The server's name.
        server: ServerName,
        /// What was asked.
        what: Asked,
        /// How it ended.
        how: String,
    },
    /// The request could not be handed over; nothing was done.
    #[error("{what} did not reach the MCP server `{server}`: {reason}")]
    NotSent {
        /// The server's name.
        server: ServerName,
        /// What was asked.
        what: Asked,
        /// Why.
        reason: String,
    },
    /// The server asks for a login, or for more rights.
    #[error("the MCP server `{server}` asks for a login before {what}: {reason}")]
    Unauthorized {
        /// The server's name.
        server: ServerName,
        /// What was asked.
        what: Asked,
        /// What was wrong with what it was shown, and what to do.
        reason: String,
    },
    /// It said nothing for too long.
    #[error(
        "the MCP server `{server}` said nothing for {} while it worked on {what}; {}",
        seconds(*.waited),
        what.given_up()
    )]
    Stalled {
        /// The server's name.
        server: ServerName,
        /// What was asked.
        what: Asked,
        /// How long it had.
        waited: Duration,
    },
    /// It took too long.
    #[error(
        "the MCP server `{server}` took longer than {} for {what}; {}",
        seconds(*.waited),
        what.given_up()
    )]
    TimedOut {
        /// The server's name.
        server: ServerName,
        /// What was asked.
        what: Asked,
        /// How long it had.
        waited: Duration,
    },
    /// The caller gave up; the server was told.
    #[error("{what} of the MCP server `{server}` was cancelled")]
    Cancelled {
        /// The server's name.
        server: ServerName,
        /// What was asked.
        what: Asked,
    },
    /// What it answered is no answer to the request.
    #[error("the answer of the MCP server `{server}` to {what} cannot be used: {reason}")]
    Unusable {
        /// The server's name.
        server: ServerName,
        /// What was asked.
        what: Asked,
        /// Why.
        reason: String,
    },
}

impl CallError {
    /// Says that the server refused a request.
    pub(super) fn refused(server: &ServerName, what: &Asked, error: &ErrorData) -> Self {
        Self::Refused {
            server: server.clone(),
            what: what.clone(),
            code: error.code.0,
            message: super::words::tidy(&error.message, 2_000),
        }
    }

    pub(super) fn lost(server: &ServerName, what: &Asked, how: String) -> Self {
        Self::Lost {
            server: server.clone(),
            what: what.clone(),
            how,
        }
    }

    pub(super) fn unusable(server: &ServerName, what: &Asked, reason: impl Into<String>) -> Self {
        Self::Unusable {
            server: server.clone(),
            what: what.clone(),
            reason: reason.into(),
        }
    }
}

/// Tells a time in seconds, or less where it is shorter.
fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 1.0 && seconds.fract() == 0.0 => format!("{seconds} s"),
        seconds if seconds >= 1.0 => format!("{seconds:.1} s"),
        _ => format!("{} ms", time.as_millis()),
    }
}
