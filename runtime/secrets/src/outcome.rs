//! What comparing a text with a secret has found.

/// The outcome of comparing the text from one position on with one form of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchOutcome {
    /// The form is absent.
    None,
    /// The text ends before this is decided.
    Pending,
    /// The form is there.
    Found {
        /// The position after it.
        end: usize,
        /// Whether the text ends within a longer spelling of it.
        is_open: bool,
    },
}
