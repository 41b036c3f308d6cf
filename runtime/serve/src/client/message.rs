//! The messages of a call to its client.

use serde_json::Value;

use super::pending_request::PendingRequest;
use helve_core::capability::LogLevel;

/// The number of messages of a call that can wait to be sent; further log messages and progress are dropped.
pub(crate) const CHANNEL_CAPACITY: usize = 64;

/// A message of a call to its client.
pub(crate) enum ClientMessage {
    /// A request for input; the call waits for the result.
    Request(Box<PendingRequest>),
    /// A notification; the call does not wait.
    Notification(Box<Notification>),
}

/// A notification of a call to its client.
pub(crate) enum Notification {
    /// The progress of the call.
    Progress {
        /// The amount done; each notification has a greater number than the one before.
        progress: f64,
        /// The amount in all.
        total: Option<f64>,
        /// What the call does now.
        message: Option<String>,
    },
    /// A log message.
    Log {
        /// The severity.
        level: LogLevel,
        /// The name of the logger.
        logger: Option<String>,
        /// The content.
        data: Value,
    },
}
