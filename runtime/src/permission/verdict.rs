//! What a policy says about a call.

use serde::{Deserialize, Serialize};

/// What a policy says about a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// The call may run.
    Allow,
    /// Somebody has to be asked.
    Ask {
        /// Why, for whoever is asked.
        reason: String,
    },
    /// The call may not run.
    Deny {
        /// Why, for the model.
        reason: String,
    },
}
