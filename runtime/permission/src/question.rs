//! The question about a call.

use serde::{Deserialize, Serialize};

use super::{Decision, Rule};
use helve_core::tool::{Preview, Principal};
use helve_core::transcript::{
    AgentId, CallAddress, CallId, CallKey, Origin, RawJson, SessionId, ToolCall, ToolName,
};

/// A permission question: what would run, for whom, and why that needs an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The session.
    pub session: SessionId,
    /// Who the call is made for.
    #[serde(default)]
    pub principal: Principal,
    /// The agent and the turn that want to call.
    pub origin: Origin,
    /// The delegating agents, the outermost first; none where it began the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub working_for: Vec<AgentId>,
    /// The address of the call, under which the answer may come from anywhere.
    pub address: CallAddress,
    /// The id that the model gave the call.
    pub call: CallId,
    /// The tool that would run.
    pub tool: ToolName,
    /// The arguments it would run with.
    pub arguments: RawJson,
    /// Why the call needs approval.
    pub reason: String,
    /// Whether only a person may answer, for this call alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub safety: bool,
    /// Rules that would cover this call and others like it, to offer with the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<Rule>,
    /// The part of the call that decides, where the call has parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// All parts of the call, where it has any: the commands of a command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<QuestionPart>,
    /// What the call would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
}

/// A part of a call that needs approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuestionPart {
    /// How it reads.
    pub text: String,
    /// What is known of it without asking.
    pub standing: PartStatus,
}

/// What is known of a part of a call without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartStatus {
    /// It only reads.
    ReadOnly,
    /// Rules allow it.
    Allowed,
    /// Nothing: the question is about it.
    Open,
}

impl QuestionPart {
    /// Creates a part.
    pub fn new(text: impl Into<String>, standing: PartStatus) -> Self {
        Self {
            text: text.into(),
            standing,
        }
    }
}

impl Question {
    /// Creates a question about a call of a turn.
    #[must_use]
    pub fn new(origin: Origin, key: CallKey, call: &ToolCall, reason: impl Into<String>) -> Self {
        let address = origin.call_address(key);
        Self {
            session: SessionId::new(""),
            principal: Principal::default(),
            origin,
            working_for: Vec::new(),
            address,
            call: call.id.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            reason: reason.into(),
            safety: false,
            suggestions: Vec::new(),
            part: None,
            parts: Vec::new(),
            preview: None,
        }
    }

    /// Sets the session and who the call is made for.
    #[must_use]
    pub fn with_session(mut self, session: SessionId, principal: Principal) -> Self {
        (self.session, self.principal) = (session, principal);
        self
    }

    /// Sets whether only a person may answer, and the rules to offer.
    #[must_use]
    pub fn with_suggestions(mut self, safety: bool, suggestions: Vec<Rule>) -> Self {
        (self.safety, self.suggestions) = (safety, suggestions);
        self
    }

    /// Denies the call when no approver is available. What no rule could have answered says why it asks.
    #[doc(hidden)]
    pub fn unanswered_decision(&self, why: &str) -> Decision {
        let reason = if self.safety {
            format!("{}; {why}", self.reason)
        } else {
            why.to_owned()
        };
        Decision::Unanswered { reason }
    }

    /// Sets the part of the call that decides.
    #[must_use]
    pub fn with_part(mut self, part: Option<String>) -> Self {
        self.part = part;
        self
    }

    /// Sets all parts of the call.
    #[must_use]
    pub fn with_parts(mut self, parts: Vec<QuestionPart>) -> Self {
        self.parts = parts;
        self
    }

    /// Sets the delegating agents, the outermost first.
    #[must_use]
    pub fn with_delegators(mut self, agents: Vec<AgentId>) -> Self {
        self.working_for = agents;
        self
    }

    /// Sets what the call would change.
    #[must_use]
    pub fn with_preview(mut self, preview: Option<Preview>) -> Self {
        self.preview = preview;
        self
    }
}
