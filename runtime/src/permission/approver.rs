//! Who answers a permission question.

use futures_util::future::{self, BoxFuture, FutureExt as _};
use serde::{Deserialize, Serialize};

use super::{Rule, RuleScope};
use crate::transcript::{AgentId, CallId, RawJson, ToolCall, ToolName, TurnId};

/// Answers permission questions: a person at a terminal, a client across a network, a fixed rule.
///
/// The answer may take as long as it takes; nothing else of the turn waits for it.
///
/// ```
/// use futures_util::future::{self, BoxFuture, FutureExt as _};
/// use helve_runtime::permission::{Approver, Decision, Question};
///
/// struct OnlyMail;
///
/// impl Approver for OnlyMail {
///     fn decide<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Decision> {
///         let decision = match &*question.tool {
///             "send_mail" => Decision::allow_once(),
///             other => Decision::RejectOnce { message: Some(format!("{other} is not for you")) },
///         };
///         future::ready(decision).boxed()
///     }
/// }
/// ```
pub trait Approver: Send + Sync {
    /// Decides whether the call may run.
    fn decide<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Decision>;
}

/// A permission question: what would run, and why that needs an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The agent that wants to call.
    pub agent: AgentId,
    /// The turn it is in.
    pub turn: TurnId,
    /// The call.
    pub call: CallId,
    /// The tool that would run.
    pub tool: ToolName,
    /// The arguments it would run with.
    pub arguments: RawJson,
    /// Why somebody has to be asked.
    pub reason: String,
}

impl Question {
    /// Makes a question about a call.
    #[must_use]
    pub fn new(agent: AgentId, turn: TurnId, call: &ToolCall, reason: impl Into<String>) -> Self {
        let ToolCall {
            id,
            name,
            arguments,
            ..
        } = call.clone();
        Self {
            agent,
            turn,
            call: id,
            tool: name,
            arguments,
            reason: reason.into(),
        }
    }
}

/// The answer to a permission question, in the names of the Agent Client Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decision {
    /// This call may run.
    AllowOnce {
        /// What the model is told beside the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// This call and all that the rules cover may run.
    AllowAlways {
        /// The rules.
        rules: Vec<Rule>,
        /// How far they reach.
        #[serde(default)]
        scope: RuleScope,
        /// What the model is told beside the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// This call may not run: somebody said so.
    RejectOnce {
        /// What the model is told beside the fact.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// This call and all that the rules cover may not run.
    RejectAlways {
        /// The rules.
        rules: Vec<Rule>,
        /// How far they reach.
        #[serde(default)]
        scope: RuleScope,
        /// What the model is told beside the fact.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// This call may not run: nobody could be asked, or nobody answered.
    Unanswered {
        /// Why there is no answer, for the model.
        reason: String,
    },
}

impl Decision {
    /// Lets this call run, and tells the model nothing.
    #[must_use]
    pub const fn allow_once() -> Self {
        Self::AllowOnce { message: None }
    }

    /// Stops this call, and tells the model only that.
    #[must_use]
    pub const fn reject_once() -> Self {
        Self::RejectOnce { message: None }
    }

    /// Returns what the model is to be told beside the answer.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::AllowOnce { message }
            | Self::AllowAlways { message, .. }
            | Self::RejectOnce { message }
            | Self::RejectAlways { message, .. } => message.as_deref(),
            Self::Unanswered { .. } => None,
        }
    }

    /// Reports whether the call may run.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::AllowOnce { .. } | Self::AllowAlways { .. })
    }
}

/// The approver that stands in where none is attached: it allows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct DenyAll;

impl Approver for DenyAll {
    fn decide<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Decision> {
        let reason = "it needs approval, and no approver is attached".to_owned();
        future::ready(Decision::Unanswered { reason }).boxed()
    }
}
