//! How much a line of a log matters.

/// The levels of RFC 5424, as in MCP's `LoggingLevel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// For debugging.
    Debug,
    /// What happens.
    Info,
    /// What happens, and is worth a look.
    Notice,
    /// What may go wrong.
    Warning,
    /// What went wrong.
    Error,
    /// A part does not work.
    Critical,
    /// Immediate action is needed.
    Alert,
    /// Nothing works.
    Emergency,
}

impl LogLevel {
    /// Returns the word on the wire.
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
