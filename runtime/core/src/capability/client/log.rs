//! The severity of a log message.

/// The levels of RFC 5424, as in MCP's `LoggingLevel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Information for debugging.
    Debug,
    /// A normal event.
    Info,
    /// A normal but significant event.
    Notice,
    /// A condition that may lead to an error.
    Warning,
    /// An error.
    Error,
    /// The failure of a component.
    Critical,
    /// Immediate action is needed.
    Alert,
    /// The system is unusable.
    Emergency,
}

impl LogLevel {
    /// Returns the name of the level in the protocol.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}
