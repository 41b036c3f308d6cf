//! What a session waits for from outside.

use serde::Serialize;

use super::Standing;
use crate::agent::turn::{CallState, Turn};
use crate::permission::Rule;
use crate::transcript::{AgentId, CallAddress, CallKey, RawJson, ToolName};

/// A call that waits for somebody outside: to be allowed, or to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Waiting {
    /// The call. Its text is the id under which an answer or a result is posted.
    pub call: CallAddress,
    /// The agent that made it.
    pub agent: AgentId,
    /// The tool.
    pub tool: ToolName,
    /// The arguments.
    pub arguments: RawJson,
    /// What it waits for.
    #[serde(flatten)]
    pub awaited: Awaited,
}

/// What a call waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "awaited", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Awaited {
    /// An answer to the question whether it may run.
    Answer {
        /// Why it has to be asked.
        reason: String,
        /// Whether only a person may answer, for this call alone.
        safety: bool,
        /// Rules that would cover it and others like it.
        suggestions: Vec<Rule>,
    },
    /// Its result, from whoever runs it.
    Result,
}

impl Standing {
    /// Lists the calls of open turns that wait for somebody outside, in order.
    #[must_use]
    pub fn waiting(&self) -> Vec<Waiting> {
        self.open.iter().flat_map(of_turn).collect()
    }
}

fn of_turn(turn: &Turn) -> impl Iterator<Item = Waiting> {
    turn.calls().filter_map(|(key, call)| {
        Some(Waiting {
            call: turn.address(key),
            agent: turn.origin().agent.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            awaited: awaited(turn, key)?,
        })
    })
}

fn awaited(turn: &Turn, key: CallKey) -> Option<Awaited> {
    match turn.state(key)? {
        CallState::Asking => turn.question(key).map(|asking| Awaited::Answer {
            reason: asking.reason,
            safety: asking.safety,
            suggestions: asking.suggestions,
        }),
        CallState::Submitted => Some(Awaited::Result),
        _ => None,
    }
}
