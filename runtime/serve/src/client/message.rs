//! The messages of a call to its client.

use serde_json::Value;

use super::pending_request::PendingRequest;
use helve_core::capability::LogLevel;

/// The number of messages of a call that can wait to be sent; further log messages and progress are dropped.
pub(crate) const CHANNEL_CAPACITY: usize = 64;

pub(crate) enum ClientMessage {
    /// A request for input; the call waits for the result.
    Request(Box<PendingRequest>),
    /// A notification; the call does not wait.
    Notification(Box<Notification>),
}

pub(crate) enum Notification {
    Progress {
        /// The amount done; each notification has a greater number than the one before.
        progress: f64,
        /// The total amount.
        total: Option<f64>,
        /// The current activity of the call.
        message: Option<String>,
    },
    Log {
        level: LogLevel,
        logger: Option<String>,
        data: Value,
    },
}
