//! The external answers and results that a session waits for.

use serde::Serialize;

use super::SessionState;
use crate::turn::{CallState, Turn};
use helve_core::transcript::{AgentId, CallAddress, CallKey, RawJson, ToolName};
use helve_permission::Rule;

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

impl SessionState {
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
