//! What a policy says about a call, and what decided it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Rule, Verdict};
use helve_core::tool::{Effects, Facts};

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
        Effects::new(&self.facts.annotations, self.facts.risk)
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
    /// A place that the call reads or writes, which only a person may open.
    DangerousPath(String),
    /// The call only reads.
    ReadOnly,
    /// The tool's own check.
    ToolCheck,
    /// The mode lets edits of the workspace run.
    WorkspaceEdit,
    /// The model has read untrusted text: where it came from.
    Taint(String),
    /// The tool declares nothing of its effects, and the app lets such tools run.
    Unlisted,
    /// The mode and the effects of the call.
    Mode,
    /// The agent works for another one, which has no such tool.
    Ceiling,
}

impl Decider {
    /// Returns the name of the layer.
    #[must_use]
    pub const fn layer(&self) -> &'static str {
        match self {
            Self::DenyRule(_) => "deny_rule",
            Self::AskRule(_) => "ask_rule",
            Self::AllowRules(_) => "allow_rules",
            Self::DangerousPath(_) => "dangerous_path",
            Self::ReadOnly => "read_only",
            Self::ToolCheck => "tool_check",
            Self::WorkspaceEdit => "workspace_edit",
            Self::Taint(_) => "taint",
            Self::Unlisted => "unlisted",
            Self::Mode => "mode",
            Self::Ceiling => "ceiling",
        }
    }

    /// Returns the rules that decided.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        match self {
            Self::DenyRule(rule) | Self::AskRule(rule) => std::slice::from_ref(rule),
            Self::AllowRules(rules) => rules,
            _ => &[],
        }
    }
}

impl fmt::Display for Decider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DenyRule(rule) => write!(f, "the deny rule `{rule}`"),
            Self::AskRule(rule) => write!(f, "the ask rule `{rule}`"),
            Self::AllowRules(rules) => {
                let word = if rules.len() == 1 { "rule" } else { "rules" };
                write!(f, "the allow {word}")?;
                rules.iter().try_for_each(|rule| write!(f, " `{rule}`"))
            }
            Self::DangerousPath(pattern) => write!(f, "the dangerous path `{pattern}`"),
            Self::ReadOnly => f.write_str("the read-only effects of the call"),
            Self::ToolCheck => f.write_str("the tool's own check"),
            Self::WorkspaceEdit => f.write_str("the mode, which accepts workspace edits"),
            Self::Taint(source) => write!(f, "what the model has read from {source}"),
            Self::Unlisted => f.write_str("the app, which allows tools without declared effects"),
            Self::Mode => f.write_str("the mode, and what the call may do"),
            Self::Ceiling => f.write_str("the tools of the delegating agent"),
        }
    }
}
