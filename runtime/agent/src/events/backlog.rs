//! How far a reader may be behind.

/// How far a reader may be behind before events are dropped for it.
///
/// Questions, answers and ends do not count: they are kept, up to as much again. An event that is greater than all of
/// it is held alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backlog {
    /// How many events.
    pub events: usize,
    /// How many bytes they have together, about.
    pub bytes: usize,
}

impl Default for Backlog {
    fn default() -> Self {
        Self::new(4_096, 4 * 1_024 * 1_024)
    }
}

impl Backlog {
    /// Sets how many events, and how many bytes together.
    #[must_use]
    pub const fn new(events: usize, bytes: usize) -> Self {
        Self { events, bytes }
    }
}
