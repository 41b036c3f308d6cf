//! What looks like an attempt to steer the model.

use serde::{Deserialize, Serialize};

/// Something in a text that looks like an attempt to steer the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Flag {
    /// The name of what was recognised, for example `ignore-instructions`.
    pub rule: String,
    /// The words, at most 80 characters of them.
    pub excerpt: String,
}

/// Looks for attempts to steer the model.
#[must_use]
pub fn flags(_text: &str) -> Vec<Flag> {
    Vec::new()
}
