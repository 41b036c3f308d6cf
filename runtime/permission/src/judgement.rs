//! The judgement of a policy on a call: the verdict, and what decided it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Rule, Verdict};
use helve_core::tool::{Effects, Facts};

/// The verdict of a policy on a call, with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The rule or layer that decided.
    pub decided_by: Decider,
    /// The part of the call that decided, where the call has parts: one command of a command line.
    pub part: Option<String>,
    /// Rules that would cover the call and others like it; empty if no rule may cover the call.
    pub suggestions: Vec<Rule>,
    /// The facts of the call.
    pub facts: Facts,
}

impl Judgement {
    /// Returns the effects of the call.
    #[must_use]
    pub fn effects(&self) -> Effects {
        Effects::new(&self.facts.annotations, self.facts.risk)
    }
}

/// The rule, or the layer of the policy, that decided about a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decider {
    /// A deny rule.
    DenyRule(Rule),
    /// An ask rule.
    AskRule(Rule),
    /// The allow rules, which together cover every part of the call.
    AllowRules(Vec<Rule>),
    /// A path that the call reads or writes, and that only a user may open.
    DangerousPath(String),
    /// The call only reads.
    ReadOnly,
    /// The tool's own check.
    ToolCheck,
    /// The mode permits edits of the workspace.
    WorkspaceEdit,
    /// The model has read untrusted text; the value is its source.
    Taint(String),
    /// The tool declares no effects, and the app allows such tools.
    Unlisted,
    /// The mode and the effects of the call.
    Mode,
    /// A ceiling: the delegating agent does not have this tool.
    Ceiling,
    /// The call asks to leave [plan mode](crate::Mode::Plan).
    PlanApproval,
    /// The limits of the agent on what its calls may access.
    AccessScope,
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
            Self::PlanApproval => "plan_approval",
            Self::AccessScope => "access_scope",
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
            Self::PlanApproval => f.write_str("plan mode, which only the user ends"),
            Self::AccessScope => f.write_str("the limits of the agent"),
        }
    }
}
