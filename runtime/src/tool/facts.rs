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
    /// The call only reads, whatever the tool declares of calls in general.
    ReadOnly,
    /// The call is harmless whatever the mode.
    Allow,
    /// The call edits files at these places and does nothing else: where the mode accepts edits and all of them are in
    /// the workspace, it runs.
    Edit {
        /// The places, as the call names them, made absolute.
        paths: Vec<String>,
    },
    /// A person has to decide.
    Ask {
        /// Why, in words for the person.
        reason: String,
        /// Whether no mode and no rule may answer in the person's place.
        safety: bool,
        /// The part of the call that decides, where the call has parts: one command of a command line.
        part: Option<String>,
    },
    /// The call must not run.
    Deny {
        /// Why, in words for the model.
        reason: String,
        /// The part of the call that decides, where the call has parts.
        part: Option<String>,
    },
}

impl Check {
    /// Asks, unless a rule or a mode answers.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::Ask {
            reason: reason.into(),
            safety: false,
            part: None,
        }
    }

    /// Asks a question of safety, which only a person answers.
    pub fn ask_for_safety(reason: impl Into<String>) -> Self {
        Self::Ask {
            reason: reason.into(),
            safety: true,
            part: None,
        }
    }

    /// Denies.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny {
            reason: reason.into(),
            part: None,
        }
    }

    /// Names the part of the call that decides; without meaning for a check that does not stop it.
    #[must_use]
    pub fn because_of(mut self, deciding: impl Into<String>) -> Self {
        if let Self::Ask { part, .. } | Self::Deny { part, .. } = &mut self {
            *part = Some(deciding.into());
        }
        self
    }
}

/// What of a call a rule covers, part by part; a call without parts is one part.
///
/// An allow rule lets a call run where it covers every part, alone or together with others; a deny rule stops it where
/// it covers any.
///
/// ```
/// use helve_runtime::tool::Coverage;
///
/// let one = Coverage::of_parts([true, false]);
/// let other = Coverage::of_parts([false, true]);
/// assert!(one.covers_any() && !one.covers_all());
/// assert!(one.with(&other).covers_all());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage(Vec<bool>);

impl Coverage {
    /// Makes a coverage from what is true of each part, in their order. No parts at all are not covered.
    #[must_use]
    pub fn of_parts(parts: impl IntoIterator<Item = bool>) -> Self {
        Self(parts.into_iter().collect())
    }

    /// Reports whether every part is covered.
    #[must_use]
    pub fn covers_all(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|covered| *covered)
    }

    /// Reports whether any part is covered.
    #[must_use]
    pub fn covers_any(&self) -> bool {
        self.0.contains(&true)
    }

    /// Returns whether each part is covered, in their order.
    #[must_use]
    pub fn parts(&self) -> &[bool] {
        &self.0
    }

    /// Joins what two rules cover of the same call.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        for (covered, also) in self.0.iter_mut().zip(&other.0) {
            *covered |= also;
        }
        self
    }
}

impl From<bool> for Coverage {
    fn from(covered: bool) -> Self {
        Self::of_parts([covered])
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
