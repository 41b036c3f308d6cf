//! The availability of a tool.

/// Whether a tool is available: on this machine, for this principal, with these settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Availability {
    /// The tool is available.
    #[default]
    Available,
    /// The tool lacks a setting; contains what to set, and where.
    NotConfigured(String),
    /// The tool is not available; a model does not see it.
    Unavailable,
}
