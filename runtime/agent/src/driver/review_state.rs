//! How far the checks of a turn by guards are.

/// How far the checks of a turn by guards are.
#[derive(Debug, Default)]
pub(super) struct ReviewState {
    pub(super) prompt: PromptReview,
    /// The round whose reply is being reviewed.
    pub(super) reply: Option<u32>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum PromptReview {
    #[default]
    Pending,
    Running,
    Done,
}
