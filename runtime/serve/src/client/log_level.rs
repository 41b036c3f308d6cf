//! The log levels of a client, and their conversion from and to the types of rmcp.
#![expect(
    deprecated,
    reason = "deprecated by the protocol of 2026-07-28, and spoken before it"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::model::LoggingLevel;

use super::features::{ClientFeatures, RequestContext};
use helve_core::capability::LogLevel;

/// The least log level that a session receives, which its client can change at any time.
#[derive(Clone)]
pub(crate) struct SessionLogLevel(Arc<AtomicU8>);

impl SessionLogLevel {
    pub(crate) fn set(&self, level: LoggingLevel) {
        self.0.store(from_rmcp(level) as u8, Ordering::Relaxed);
    }

    fn includes(&self, level: LogLevel) -> bool {
        level as u8 >= self.0.load(Ordering::Relaxed)
    }
}

impl Default for SessionLogLevel {
    fn default() -> Self {
        Self(Arc::new(AtomicU8::new(LogLevel::Info as u8)))
    }
}

/// Decides which log messages of a call are sent.
pub(crate) enum LogFilter {
    /// The messages from the current level of the session on.
    Session(SessionLogLevel),
    /// The messages from a level on that the request itself names; none if it names no level.
    Request(Option<LogLevel>),
}

impl LogFilter {
    pub(crate) fn new(
        session: &SessionLogLevel,
        context: &RequestContext,
        features: ClientFeatures,
    ) -> Self {
        if features.is_modern {
            Self::Request(context.meta.log_level().map(from_rmcp))
        } else {
            Self::Session(session.clone())
        }
    }

    pub(super) fn includes(&self, level: LogLevel) -> bool {
        match self {
            Self::Session(session) => session.includes(level),
            Self::Request(least) => least.is_some_and(|least| level >= least),
        }
    }
}

macro_rules! same_level {
    ($level:expr, $from:ident => $to:ident) => {
        match $level {
            $from::Debug => $to::Debug,
            $from::Info => $to::Info,
            $from::Notice => $to::Notice,
            $from::Warning => $to::Warning,
            $from::Error => $to::Error,
            $from::Critical => $to::Critical,
            $from::Alert => $to::Alert,
            $from::Emergency => $to::Emergency,
        }
    };
}

fn from_rmcp(level: LoggingLevel) -> LogLevel {
    same_level!(level, LoggingLevel => LogLevel)
}

pub(super) fn to_rmcp(level: LogLevel) -> LoggingLevel {
    same_level!(level, LogLevel => LoggingLevel)
}
