//! What a policy says about a call, and what decided it.

use serde::{Deserialize, Serialize};

use super::{Rule, Verdict};
use crate::tool::{Effects, Facts};

/// What a policy says about a call, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// Whether the call may run.
    pub verdict: Verdict,
    /// What decided.
    pub decided_by: Decider,
    /// The part of the call that decided, where the call has parts: one command of a command line.
    pub part: Option<String>,
    /// The rules that would cover the call and others like it; none where no rule may.
    pub suggestions: Vec<Rule>,
    /// What the call would be.
    pub facts: Facts,
}

impl Judgement {
    /// Returns what follows from the effects of the call.
    #[must_use]
    pub fn effects(&self) -> Effects {
        Effects::of(&self.facts.annotations, self.facts.risk)
    }
}

/// What decided about a call: a rule, or a layer of the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decider {
    /// A rule that denies.
    DenyRule(Rule),
    /// A rule that asks.
    AskRule(Rule),
    /// The rules that allow, which together cover every part of the call.
    AllowRules(Vec<Rule>),
    /// A place that the call reads or writes, which nobody but a person may open.
    DangerousPath(String),
    /// The call only reads.
    ReadOnly,
    /// The tool's own check.
    ToolCheck,
    /// The mode lets edits of the workspace run.
    WorkspaceEdit,
    /// Something that the model read may try to steer it: where it came from.
    Taint(String),
    /// The tool declares nothing of its effects, and the app lets such tools run.
    Unlisted,
    /// The mode and the effects of the call.
    Mode,
}
