//! The question about a call.

use serde::{Deserialize, Serialize};

use super::{Decision, Rule};
use helve_core::sandbox::BlockedAccess;
use helve_core::tool::{Preview, Principal};
use helve_core::transcript::{
    AgentId, CallAddress, CallId, CallKey, Origin, RawJson, SessionId, ToolCall, ToolName,
};

/// A permission question: the call that would run, its principal, and the reason why it needs approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The session.
    pub session: SessionId,
    /// The principal of the call.
    #[serde(default)]
    pub principal: Principal,
    /// The agent and the turn that make the call.
    pub origin: Origin,
    /// The delegating agents, the outermost first; empty if the agent itself began the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub working_for: Vec<AgentId>,
    /// The address of the call, to which an answer from any source refers.
    pub address: CallAddress,
    /// The id that the model gave the call.
    pub call: CallId,
    /// The tool to run.
    pub tool: ToolName,
    /// The arguments of the call.
    pub arguments: RawJson,
    /// Why the call needs approval.
    pub reason: String,
    /// Whether only a user may answer, for this call alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub safety: bool,
    /// Rules that would cover this call and others like it, to offer with the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<Rule>,
    /// The part of the call that decides, where the call has parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// All parts of the call, if it has parts: the commands of a command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<QuestionPart>,
    /// The preview of the changes that the call would make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// The access of a running command that its sandbox does not allow, if the question is about that and not about the
    /// call. [`AllowAlways`](Decision::AllowAlways) without rules then allows the access for longer than the command, if
    /// the question [offers that](Self::offers_lasting_access).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<BlockedAccess>,
    /// Whether an approval ends [plan mode](super::Mode::Plan). [`AllowAlways`](Decision::AllowAlways) without rules then
    /// accepts edits of the workspace, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends_plan: bool,
    /// Whether the approver may change the arguments with [`Answer::Edited`](super::Answer::Edited).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edits: bool,
}

/// A part of a call that needs approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuestionPart {
    /// The text of the part.
    pub text: String,
    /// The status of the part.
    pub standing: PartStatus,
}

/// The status of a part of a call before the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartStatus {
    /// The part only reads.
    ReadOnly,
    /// Rules allow the part.
    Allowed,
    /// The part needs approval.
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
            blocked: None,
            ends_plan: false,
            edits: false,
        }
    }

    /// Sets the session and the principal.
    #[must_use]
    pub fn with_session(mut self, session: SessionId, principal: Principal) -> Self {
        (self.session, self.principal) = (session, principal);
        self
    }

    /// Sets whether only a user may answer, and the suggested rules.
    #[must_use]
    pub fn with_suggestions(mut self, safety: bool, suggestions: Vec<Rule>) -> Self {
        (self.safety, self.suggestions) = (safety, suggestions);
        self
    }

    /// Returns the denial for a call when no approver is available. If no rule could have answered, the denial contains
    /// the reason of the question.
    #[doc(hidden)]
    pub fn unanswered_decision(&self, why: &str) -> Decision {
        let reason = if self.safety {
            format!("{}; {why}", self.reason)
        } else {
            why.to_owned()
        };
        Decision::Unanswered { reason }
    }

    /// Sets whether the approver may change the arguments.
    #[must_use]
    pub fn with_edits(mut self, edits: bool) -> Self {
        self.edits = edits;
        self
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

    /// Sets whether an approval ends plan mode.
    #[must_use]
    pub fn with_plan_end(mut self, ends_plan: bool) -> Self {
        self.ends_plan = ends_plan;
        self
    }

    /// Sets the delegating agents, the outermost first.
    #[must_use]
    pub fn with_delegators(mut self, agents: Vec<AgentId>) -> Self {
        self.working_for = agents;
        self
    }

    /// Sets the access of a running command that its sandbox does not allow.
    #[must_use]
    pub fn with_blocked(mut self, blocked: Option<BlockedAccess>) -> Self {
        self.blocked = blocked;
        self
    }

    /// Reports whether an access of a running command may be allowed for the session or for longer: not after untrusted
    /// text was read, and not for an agent that works for another one.
    #[must_use]
    pub fn offers_lasting_access(&self) -> bool {
        self.blocked.is_some() && !self.safety && self.working_for.is_empty()
    }

    /// Sets the preview of the changes that the call would make.
    #[must_use]
    pub fn with_preview(mut self, preview: Option<Preview>) -> Self {
        self.preview = preview;
        self
    }
}
