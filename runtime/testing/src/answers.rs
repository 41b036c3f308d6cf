//! The answers of a case to questions about calls.

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use helve_permission::{Answer, Approver, Decision, Question, Rule, RuleScope};
use serde::Deserialize;
use serde_json::Value;

use crate::subset::subset_difference;

/// The answer to questions about some calls. The first one that fits a question counts; without one, the question is
/// not answered, and the call is denied.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CaseAnswer {
    /// The tool; `None` for all.
    pub tool: Option<String>,
    /// The agent that makes the call; `None` for all.
    pub agent: Option<String>,
    /// The arguments, which may have further keys; `None` for all.
    pub arguments: Option<Value>,
    /// The answer.
    pub answer: CaseDecision,
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CaseDecision {
    /// The call may run.
    Allow,
    /// The call may run, with a message for the model.
    AllowWith(String),
    /// The call and all that the rules cover may run, for the session.
    AllowRules(Vec<Rule>),
    /// The call may not run.
    Reject,
    /// The call may not run, with a message for the model.
    RejectWith(String),
    /// The call has other arguments.
    Edit(Value),
    /// The answer comes later, from another process.
    Defer,
}

impl CaseDecision {
    /// Returns the decision, if it is one that another process may post.
    pub(crate) fn decision(&self) -> Option<Decision> {
        Some(match self {
            Self::Allow => Decision::allow_once(),
            Self::AllowWith(message) => Decision::AllowOnce {
                message: Some(message.clone()),
            },
            Self::AllowRules(rules) => Decision::AllowAlways {
                rules: rules.clone(),
                scope: RuleScope::default(),
                message: None,
            },
            Self::Reject => Decision::reject_once(),
            Self::RejectWith(message) => Decision::RejectOnce {
                message: Some(message.clone()),
            },
            Self::Edit(_) | Self::Defer => return None,
        })
    }

    fn answer(&self) -> Answer {
        if let Some(decision) = self.decision() {
            return Answer::Decided(decision);
        }
        match self {
            Self::Edit(arguments) => match serde_json::from_value(arguments.clone()) {
                Ok(arguments) => Answer::Edited { arguments },
                Err(error) => unanswered(&error.to_string()),
            },
            _ => Answer::Deferred,
        }
    }
}

fn unanswered(reason: &str) -> Answer {
    Answer::Decided(Decision::Unanswered {
        reason: reason.to_owned(),
    })
}

/// Answers questions with the answers of a case.
pub(crate) struct CaseApprover(pub(crate) Vec<CaseAnswer>);

impl Approver for CaseApprover {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let is_about = |answer: &&CaseAnswer| {
            let tool = answer.tool.as_ref();
            let agent = answer.agent.as_ref();
            let arguments = || {
                let expected = answer.arguments.as_ref()?;
                let found = serde_json::from_str(question.arguments.as_ref()).unwrap_or_default();
                subset_difference(expected, &found)
            };
            tool.is_none_or(|tool| **tool == *question.tool)
                && agent.is_none_or(|agent| **agent == *question.origin.agent)
                && arguments().is_none()
        };
        let answer = self.0.iter().find(is_about);
        let answer = answer.map_or_else(
            || unanswered("the case has no answer"),
            |answer| answer.answer.answer(),
        );
        ready(answer).boxed()
    }

    fn defers_external_calls(&self) -> bool {
        true
    }
}
