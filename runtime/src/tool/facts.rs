//! What a call would be: the input of the permission decision, known before any body runs.

use crate::tool::annotations::{Annotations, Concurrency, Risk};
use crate::tool::spec::ToolSpec;

/// The facts of one well-formed call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// How much harm it can do, judged from its arguments where the tool can.
    pub risk: Risk,
    /// MCP's hints.
    pub annotations: Annotations,
    /// Whether it may run beside others.
    pub concurrency: Concurrency,
    /// What the tool's own check says.
    pub check: Check,
    /// The rules that would cover this call and others like it, in the tool's own language.
    pub suggested_rules: Vec<String>,
}

/// What a tool's own check says of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// Nothing: the general rules decide.
    #[default]
    Pass,
    /// The call is harmless whatever the mode.
    Allow,
    /// A person has to decide.
    Ask {
        /// Why, in words for the person.
        reason: String,
        /// Whether no mode and no rule may answer in the person's place.
        safety: bool,
    },
    /// The call must not run.
    Deny {
        /// Why, in words for the model.
        reason: String,
    },
}

impl Check {
    /// Asks, unless a rule or a mode answers.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::Ask {
            reason: reason.into(),
            safety: false,
        }
    }

    /// Asks a question of safety, which only a person answers.
    pub fn ask_for_safety(reason: impl Into<String>) -> Self {
        Self::Ask {
            reason: reason.into(),
            safety: true,
        }
    }

    /// Denies.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny {
            reason: reason.into(),
        }
    }
}

impl Facts {
    /// Makes the facts that follow from the declaration alone.
    #[must_use]
    pub fn of(spec: &ToolSpec) -> Self {
        Self {
            risk: spec.risk,
            annotations: spec.annotations,
            concurrency: spec.concurrency,
            check: Check::Pass,
            suggested_rules: Vec::new(),
        }
    }
}
