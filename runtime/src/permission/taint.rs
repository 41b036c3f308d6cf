//! What makes a policy more careful: text that somebody else wrote has been read.

use serde::{Deserialize, Serialize};

use crate::transcript::ToolName;

/// Says that the model has read text that may try to steer it; from then on, what is risky asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Taint {
    /// The tool whose result it was.
    pub tool: ToolName,
    /// Where the text came from, as far as it is known.
    pub source: String,
    /// The names of what in it looks like an attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

impl Taint {
    /// Makes a taint by text of a source that a tool gave back.
    pub fn new(tool: impl Into<ToolName>, source: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            source: source.into(),
            flags: Vec::new(),
        }
    }

    /// Says where the text came from and what in it looks like an attempt, as
    /// [`Policy::taint`](crate::permission::Policy::taint) takes it.
    ///
    /// ```
    /// use helve_runtime::permission::Taint;
    ///
    /// assert_eq!(Taint::new("fetch", "https://example.org").origin(), "`fetch` (https://example.org)");
    /// ```
    #[must_use]
    pub fn origin(&self) -> String {
        let Self {
            tool,
            source,
            flags,
        } = self;
        let mut origin = format!("`{tool}` ({source})");
        if !flags.is_empty() {
            origin.push_str(" with ");
            origin.push_str(&flags.join(", "));
            origin.push_str(" in it");
        }
        origin
    }
}
