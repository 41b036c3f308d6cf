//! The decision about a call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Rule, RuleScope};

/// The answer to a permission question, in the names of the Agent Client Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Decision {
    /// This call may run.
    AllowOnce {
        /// A message for the model beside the result.
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
        /// A message for the model beside the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// This call may not run: the user rejected it.
    RejectOnce {
        /// A message for the model beside the rejection.
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
        /// A message for the model beside the rejection.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// This call may not run: no approver was available, or no answer arrived.
    Unanswered {
        /// Why there is no answer, for the model.
        reason: String,
    },
}

impl Decision {
    /// Allows this call, without a message for the model.
    #[must_use]
    pub const fn allow_once() -> Self {
        Self::AllowOnce { message: None }
    }

    /// Rejects this call, without a message for the model.
    #[must_use]
    pub const fn reject_once() -> Self {
        Self::RejectOnce { message: None }
    }

    /// Returns the message for the model beside the answer.
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

    /// Returns `Ok` if the connection may be made, and otherwise the reason, as text for the reader of the command's
    /// output.
    #[doc(hidden)]
    pub fn connection_result(&self) -> Result<(), String> {
        match (self, self.message()) {
            _ if self.is_allowed() => Ok(()),
            (Self::Unanswered { reason }, _) => Err(reason.clone()),
            (_, Some(message)) => Err(format!("the user rejected it: {message}")),
            (_, None) => Err("the user rejected it".to_owned()),
        }
    }

    /// Returns the message for the model in place of a result; `None` if the call may run.
    ///
    /// ```
    /// use helve::permission::Decision;
    ///
    /// let decision = Decision::reject_with_message("ask me again tomorrow");
    /// assert_eq!(decision.refusal().as_deref(), Some("Tool call rejected by user: ask me again tomorrow"));
    /// ```
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        match self {
            Self::AllowOnce { .. } | Self::AllowAlways { .. } => None,
            Self::RejectOnce { message } | Self::RejectAlways { message, .. } => {
                let why = message.as_ref().map(|why| format!(": {why}"));
                Some("Tool call rejected by user".to_owned() + &why.unwrap_or_default())
            }
            Self::Unanswered { reason } => Some(format!("Tool call denied: {reason}")),
        }
    }

    /// Returns the message for the model beside the result of a call that may run.
    #[must_use]
    pub fn remark(&self) -> Option<&str> {
        self.message().filter(|_| self.is_allowed())
    }

    /// Returns the scope of the rules of the decision; `None` for a decision about one call alone.
    #[must_use]
    pub const fn scope(&self) -> Option<RuleScope> {
        match self {
            Self::AllowAlways { scope, .. } | Self::RejectAlways { scope, .. } => Some(*scope),
            _ => None,
        }
    }

    /// Rejects this call, with the reason for the model.
    pub fn reject_with_message(why: impl Into<String>) -> Self {
        Self::RejectOnce {
            message: Some(why.into()),
        }
    }
}
