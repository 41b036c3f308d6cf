//! The operations of requests, as errors name them.

use std::fmt;

/// The operation of a request; `Display` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// The call of a tool, which may have side effects.
    Call(String),
    /// A read without side effects, described in words.
    Reading(String),
}

impl Operation {
    /// Returns a clause about the unknown effect of a request without an answer.
    pub(super) fn doubt(&self) -> &'static str {
        match self {
            Self::Call(_) => "; whether it took effect is not known",
            Self::Reading(_) => "",
        }
    }

    /// Returns a clause about a cancelled request.
    pub(super) fn given_up(&self) -> &'static str {
        match self {
            Self::Call(_) => "the call was cancelled, and whether it took effect is not known",
            Self::Reading(_) => "the request was cancelled",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(tool) => write!(f, "`{tool}`"),
            Self::Reading(what) => f.write_str(what),
        }
    }
}
