//! The external answers and results that a session waits for.

use serde::Serialize;

use super::{Posting, PostingHeader, SessionError, SessionState, Sessions};
use crate::turn::{CallState, Turn};
use helve_core::transcript::{AgentId, CallAddress, CallKey, RawJson, SessionId, ToolName};
use helve_permission::Rule;
use helve_permission::acceptances::digest_of_fields;

/// A call that waits for approval or for an external result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WaitingCall {
    /// The call. Its text is the id under which an answer or a result is posted.
    pub call: CallAddress,
    /// The agent that made the call.
    pub agent: AgentId,
    /// The tool.
    pub tool: ToolName,
    /// The arguments.
    pub arguments: RawJson,
    /// The input that the call waits for.
    #[serde(flatten)]
    pub awaited: AwaitedInput,
}

/// The input that a call waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "awaited", rename_all = "snake_case")]
pub enum AwaitedInput {
    /// An answer to the question whether the call may run.
    Answer {
        /// The reason why the call needs approval.
        reason: String,
        /// Whether only a person may answer, for this call alone.
        safety: bool,
        /// The suggested rules, which would cover this call and similar ones.
        suggestions: Vec<Rule>,
    },
    /// The result, from an external executor.
    Result,
}

impl WaitingCall {
    /// Returns the digest of the question: of the call with its tool and its arguments, and of what it waits for. An
    /// answer that names the digest is refused once the question has changed.
    #[must_use]
    pub fn digest(&self) -> String {
        let call = self.call.to_string();
        let fixed = [&*call, &*self.tool, &*self.arguments];
        match &self.awaited {
            AwaitedInput::Result => digest_of_fields(fixed.into_iter().chain(["result"])),
            AwaitedInput::Answer {
                reason,
                safety,
                suggestions,
            } => {
                let suggestions: Vec<String> = suggestions.iter().map(Rule::to_string).collect();
                let suggestions = suggestions.iter().map(String::as_str);
                let kind = if *safety { "safety" } else { "answer" };
                digest_of_fields(fixed.into_iter().chain([kind, reason]).chain(suggestions))
            }
        }
    }
}

/// The calls of one session that wait for an answer or a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WaitingSession {
    /// The session.
    pub session: SessionId,
    /// The beginning of its first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The folder in which its tools work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The calls, in order.
    pub waiting: Vec<WaitingCall>,
}

impl Sessions {
    /// Lists the calls of all sessions that wait for an answer or a result: one inbox for all of them. The session that
    /// was written to last comes first. A session that cannot be read is left out and logged.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn waiting(&self) -> Result<Vec<WaitingSession>, SessionError> {
        let mut inbox = Vec::new();
        for summary in self.list().await?.into_iter().filter(|one| one.open) {
            let session = summary.session;
            let state = match self.read(&session).await {
                Ok(history) => history.session_state,
                Err(error) => {
                    tracing::warn!(%session, %error, "a session cannot be read");
                    continue;
                }
            };
            let waiting = state.waiting_calls();
            if !waiting.is_empty() {
                inbox.push(WaitingSession {
                    session,
                    title: state.title,
                    folder: state.metadata.and_then(|about| about.folder),
                    waiting,
                });
            }
        }
        Ok(inbox)
    }
}

impl SessionState {
    /// Checks that the question about a call is the one that the author of a posting has seen.
    ///
    /// # Errors
    /// [`SessionError::StalePosting`] if it has changed.
    pub(super) fn check_shown(
        &self,
        posting: &Posting,
        header: &PostingHeader,
    ) -> Result<(), SessionError> {
        let Some(shown) = &header.shown else {
            return Ok(());
        };
        let waiting = self.waiting_calls();
        let mut waiting = waiting.iter();
        let call = waiting.find(|waiting| Some(&waiting.call) == posting.call());
        if call.is_some_and(|call| call.digest() == *shown) {
            return Ok(());
        }
        Err(SessionError::StalePosting {
            target: posting.target(),
            wanted: posting.wanted(),
            why: "the question has changed since it was shown",
            first: None,
        })
    }

    /// Lists the calls of open turns that wait for an external answer or result, in order.
    #[must_use]
    pub fn waiting_calls(&self) -> Vec<WaitingCall> {
        self.open_turns.iter().flat_map(waiting_calls_in).collect()
    }
}

fn waiting_calls_in(turn: &Turn) -> impl Iterator<Item = WaitingCall> {
    turn.calls().filter_map(|(key, call)| {
        Some(WaitingCall {
            call: turn.address(key),
            agent: turn.origin().agent.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            awaited: awaited_input(turn, key)?,
        })
    })
}

fn awaited_input(turn: &Turn, key: CallKey) -> Option<AwaitedInput> {
    match turn.state(key)? {
        CallState::Asking => turn.question(key).map(|asking| AwaitedInput::Answer {
            reason: asking.reason,
            safety: asking.safety,
            suggestions: asking.suggestions,
        }),
        CallState::Submitted => Some(AwaitedInput::Result),
        _ => None,
    }
}
