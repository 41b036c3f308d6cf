//! The plan of a call: its verdict, and how it is executed.

use serde::{Deserialize, Serialize};

use crate::journal::is_default;
use helve_core::transcript::{AgentId, CallKey, RawJson};
use helve_permission::{Rule, Verdict};

/// The plan of a call: its verdict, and how it is executed.
///
/// ```
/// use helve::agent::turn::Plan;
/// use helve::permission::Verdict;
///
/// let plan = Plan { exclusive: false, ..Plan::new(Verdict::Allow) };
/// assert_eq!(
///     serde_json::to_string(&plan)?,
///     r#"{"verdict":{"type":"allow"},"exclusive":false,"idempotent":false}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Whether the call may run.
    pub verdict: Verdict,
    /// Whether the call runs alone and in its place.
    pub exclusive: bool,
    /// Whether the call may run again after a crash interrupted it.
    pub idempotent: bool,
    /// The executor of the call.
    #[serde(default, skip_serializing_if = "is_default")]
    pub execution: Execution,
    /// The questions about earlier calls of the same reply whose answers may settle this call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covered_by: Vec<Cover>,
    /// Whether the call is a dry run, which describes its effects instead of performing them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The arguments that were judged and will be used, where a repair or a hook changed those of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<RawJson>,
}

impl Plan {
    /// Creates the plan of a call that runs locally, exclusively, and not again after a crash; not as a dry run.
    #[must_use]
    pub const fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            exclusive: true,
            idempotent: false,
            execution: Execution::Local,
            covered_by: Vec::new(),
            dry_run: false,
            arguments: None,
        }
    }
}

/// The executor of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Execution {
    /// The driver of this process.
    #[default]
    Local,
    /// An external executor, which receives the call and posts the result, perhaps days later.
    External,
    /// Another agent, in a turn of its own.
    Delegate {
        /// The name of the agent, which the driver resolves.
        agent: AgentId,
    },
    /// The driver of this process; the turn ends with the result, and another agent goes on with the prompt.
    HandOff {
        /// The name of the agent, which the driver resolves.
        agent: AgentId,
    },
}

/// A question about an earlier call, and the rules suggested with it that match this call too.
///
/// While the question is open, no question about this call is asked. An answer that grants or forbids one of the rules
/// also settles this call; after any other answer, this call gets its own question. Safety questions are never covered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    /// The earlier call.
    pub call: CallKey,
    /// The suggested rules of the earlier call that match this call.
    pub rules: Vec<Rule>,
}
