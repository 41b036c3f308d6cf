//! What the model is called for.

use serde::{Deserialize, Serialize};

/// What the model is called for. All but a reply are side steps: they open no calls and add nothing to the transcript,
/// and count in the bounds like any other.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// To reply to the conversation.
    #[default]
    Reply,
    /// To say which tools the reply will need.
    SuggestTools,
    /// To make the conversation shorter.
    Compact,
    /// To sum up what was done.
    Summarise,
    /// To say what should be remembered from earlier.
    Recall,
}

impl Purpose {
    /// Returns the name, as in the JSON.
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
