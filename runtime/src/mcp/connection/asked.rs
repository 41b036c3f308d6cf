//! What a server was asked for, as errors name it.

use std::fmt;

/// What a server was asked for; `Display` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asked {
    /// To call this tool, which may change something.
    Call(String),
    /// For something to read, in words.
    Reading(String),
}

impl Asked {
    /// Says what nobody knows of a request that has no answer, at the end of a sentence.
    pub(super) fn doubt(&self) -> &'static str {
        match self {
            Self::Call(_) => "; whether it took effect is not known",
            Self::Reading(_) => "",
        }
    }

    /// Says the same of a request that was cancelled.
    pub(super) fn given_up(&self) -> &'static str {
        match self {
            Self::Call(_) => "the call was cancelled, and whether it took effect is not known",
            Self::Reading(_) => "the request was cancelled",
        }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(tool) => write!(f, "`{tool}`"),
            Self::Reading(what) => f.write_str(what),
        }
    }
}
