//! The levels of the log on either side.
#![expect(
    deprecated,
    reason = "deprecated by the protocol of 2026-07-28, and spoken before it"
)]

use rmcp::model::LoggingLevel;
use rmcp::service::{RequestContext, RoleServer};

use crate::capability::LogLevel;

pub(in crate::serve) fn from_rmcp(level: LoggingLevel) -> LogLevel {
    match level {
        LoggingLevel::Debug => LogLevel::Debug,
        LoggingLevel::Info => LogLevel::Info,
        LoggingLevel::Notice => LogLevel::Notice,
        LoggingLevel::Warning => LogLevel::Warning,
        LoggingLevel::Error => LogLevel::Error,
        LoggingLevel::Critical => LogLevel::Critical,
        LoggingLevel::Alert => LogLevel::Alert,
        LoggingLevel::Emergency => LogLevel::Emergency,
    }
}

pub(super) fn to_rmcp(level: LogLevel) -> LoggingLevel {
    match level {
        LogLevel::Debug => LoggingLevel::Debug,
        LogLevel::Info => LoggingLevel::Info,
        LogLevel::Notice => LoggingLevel::Notice,
        LogLevel::Warning => LoggingLevel::Warning,
        LogLevel::Error => LoggingLevel::Error,
        LogLevel::Critical => LoggingLevel::Critical,
        LogLevel::Alert => LoggingLevel::Alert,
        LogLevel::Emergency => LoggingLevel::Emergency,
    }
}

/// Returns the level that a request names for itself.
pub(super) fn of_request(context: &RequestContext<RoleServer>) -> Option<LogLevel> {
    context.meta.log_level().map(from_rmcp)
}
