//! Verdicts of a policy on a call.

use serde::{Deserialize, Serialize};

use super::Rule;

/// The verdict of a policy on a call.
///
/// ```
/// use helve::BoxFuture;
/// use helve::agent::{CallSite, Hook, Next};
/// use helve::permission::Verdict;
///
/// /// Denies what would only be asked about.
/// struct NeverAsk;
///
/// impl Hook for NeverAsk {
///     fn permission<'a>(&'a self, _site: &'a CallSite, next: Next<'a, (), Verdict>) -> BoxFuture<'a, Verdict> {
///         Box::pin(async move {
///             match next.run(()).await {
///                 Verdict::Ask { reason, .. } => Verdict::Deny { reason },
///                 verdict => verdict,
///             }
///         })
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Verdict {
    /// The call may run.
    Allow,
    /// The call needs approval.
    Ask {
        /// The reason, for the approver.
        reason: String,
        /// Whether only a user may answer, for this call alone: no rule and no earlier answer covers it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        safety: bool,
        /// Rules that would cover this call and others like it, to offer with the question.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        suggestions: Vec<Rule>,
    },
    /// The call may not run.
    Deny {
        /// The reason, for the model.
        reason: String,
    },
}

impl Verdict {
    /// Creates a question without suggested rules.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::Ask {
            reason: reason.into(),
            safety: false,
            suggestions: Vec::new(),
        }
    }

    /// Returns the strictness of the verdict: a higher number permits less.
    #[doc(hidden)]
    #[must_use]
    pub const fn strictness(&self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Ask { safety: false, .. } => 1,
            Self::Ask { .. } => 2,
            Self::Deny { .. } => 3,
        }
    }

    /// Creates a denial.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny {
            reason: reason.into(),
        }
    }
}
