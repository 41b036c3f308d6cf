//! How far a turn may go, how far it went, and why it ended.

use serde::{Deserialize, Serialize};

use crate::transcript::{Cost, Usage};

/// How far a turn may go. Model calls are bounded always, so that every turn ends.
///
/// ```
/// use helve_runtime::agent::turn::Bounds;
///
/// let bounds = Bounds::new(20).tool_calls(100).parallel(4);
/// # let _ = bounds;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bounds {
    /// The most model calls.
    pub model_calls: u32,
    /// The most tool calls; those of a reply that go beyond it are not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
    /// The most calls that run side by side; at least one runs always.
    pub parallel: u32,
}

impl Bounds {
    /// Makes bounds of so many model calls, any number of tool calls, and ten calls side by side.
    #[must_use]
    pub const fn new(model_calls: u32) -> Self {
        Self {
            model_calls,
            tool_calls: None,
            parallel: 10,
        }
    }

    /// Sets the most tool calls.
    #[must_use]
    pub const fn tool_calls(mut self, most: u32) -> Self {
        self.tool_calls = Some(most);
        self
    }

    /// Sets the most calls that run side by side.
    #[must_use]
    pub const fn parallel(mut self, most: u32) -> Self {
        self.parallel = most;
        self
    }
}

/// What a turn has used up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Totals {
    /// The model calls. One that a crash cut off does not count: it will be made again.
    pub model_calls: u32,
    /// The tool calls that were let through to permission.
    pub tool_calls: u32,
    /// The tokens.
    pub usage: Usage,
    /// The cost that tools reported.
    #[serde(rename = "cost_micro_usd")]
    pub cost: Cost,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndReason {
    /// The model had nothing more to do.
    Finished,
    /// The last reply reached its output limit before it called a tool.
    OutputLimit,
    /// The model refused.
    Refused,
    /// The model may not be called again.
    ModelCalls,
    /// The model wanted more tool calls than it may make.
    ToolCalls,
    /// Somebody interrupted the turn.
    Interrupted,
    /// The model could not reply.
    ModelFailed,
    /// A tool met an error that ends a run.
    Fatal,
}

impl std::fmt::Display for EndReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Finished => "finished",
            Self::OutputLimit => "the reply reached its output limit",
            Self::Refused => "the model refused",
            Self::ModelCalls => "the bound on model calls was reached",
            Self::ToolCalls => "the bound on tool calls was reached",
            Self::Interrupted => "interrupted",
            Self::ModelFailed => "the model failed",
            Self::Fatal => "a tool ended the run",
        })
    }
}

impl EndReason {
    /// Whether what is in flight is stopped for this reason, rather than waited for.
    pub(super) fn stops(self) -> bool {
        matches!(self, Self::Interrupted | Self::Fatal)
    }
}
