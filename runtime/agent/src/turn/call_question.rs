//! A call that waits for an answer.

use serde::{Deserialize, Serialize};

use helve_core::transcript::CallKey;
use helve_permission::Rule;

/// A question about a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallQuestion {
    /// The call.
    pub call: CallKey,
    /// The reason why the call needs approval.
    pub reason: String,
    /// Whether only a person may answer, for this call alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub safety: bool,
    /// Rules that would cover this call and similar ones, to offer with the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<Rule>,
}
