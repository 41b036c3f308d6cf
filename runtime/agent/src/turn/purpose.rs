//! The purposes of model calls.

use serde::{Deserialize, Serialize};

/// The purpose of a model call. All purposes but a reply are side steps: they open no calls and add nothing to the
/// transcript, but count towards the bounds.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// Reply to the conversation.
    #[default]
    Reply,
    /// Name the tools that the reply will need.
    SuggestTools,
    /// Compact the conversation.
    Compact,
    /// Summarize the work that was done.
    Summarise,
    /// Name what should be recalled from earlier.
    Recall,
}

impl Purpose {
    /// Returns the name of the purpose, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::SuggestTools => "suggest_tools",
            Self::Compact => "compact",
            Self::Summarise => "summarise",
            Self::Recall => "recall",
        }
    }
}
