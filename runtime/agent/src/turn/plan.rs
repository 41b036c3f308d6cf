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
    /// Whether it may run.
    pub verdict: Verdict,
    /// Whether it runs alone and in its place.
    pub exclusive: bool,
    /// Whether it may run again where a crash cut it off.
    pub idempotent: bool,
    /// Who runs it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub execution: Execution,
    /// The questions about earlier calls of the same reply whose answer may settle this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covered_by: Vec<Cover>,
    /// Whether it says what it would do instead of doing it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The arguments as they were judged and will run, where they had to be repaired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<RawJson>,
}

impl Plan {
    /// Creates a plan of a call that runs here and for real, alone, and not twice.
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

/// Who runs a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Execution {
    /// The driver.
    #[default]
    Local,
    /// An external executor, which receives the call and posts the result, perhaps days later.
    External,
    /// Another agent, in a turn of its own.
    Delegate {
        /// Its name, which the driver resolves.
        agent: AgentId,
    },
}

/// A question about an earlier call, and the rules suggested with it that match this call too.
///
/// While the question is open, this call is not asked about. An answer that grants or forbids one of the rules always
/// settles this call too; after any other, it is asked about for itself. Questions of safety are never covered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    /// The earlier call.
    pub call: CallKey,
    /// Those of its suggested rules that match this call.
    pub rules: Vec<Rule>,
}
