//! Whether a tool is of any use here and now.

/// Whether a tool is available: on this machine, for this principal, with these settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Availability {
    /// It is.
    #[default]
    Available,
    /// It is there, and lacks a setting; what to set, and where.
    NotConfigured(String),
    /// It is not; a model does not see it.
    Unavailable,
}
