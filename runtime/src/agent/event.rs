//! What a driver tells whoever watches.

use serde::{Deserialize, Serialize};

use super::turn::EndReason;
use crate::permission::Decision;
use crate::tool::ProgressUpdate;
use crate::transcript::{AgentId, CallId, Content, RawJson, ToolName, TurnId, Usage};

/// Something that happened in a turn, for whoever watches: a terminal, a program that reads JSON, a trace.
///
/// Events are told, never read back: what a turn stands on is its records.
///
/// ```
/// use helve_runtime::agent::{AgentEvent, EventKind};
///
/// let event = AgentEvent::new("main", "t1", EventKind::MessageDelta { text: "Hel".into() });
/// let json = serde_json::to_string(&event)?;
/// assert_eq!(json, r#"{"type":"message_delta","text":"Hel","agent":"main","turn":"t1"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentEvent {
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
    /// The agent.
    pub agent: AgentId,
    /// The turn.
    pub turn: TurnId,
    /// The call of another agent's turn that this turn works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<CallId>,
}

impl AgentEvent {
    /// Makes an event of a turn that works for no other.
    pub fn new(agent: impl Into<AgentId>, turn: impl Into<TurnId>, kind: EventKind) -> Self {
        Self {
            kind,
            agent: agent.into(),
            turn: turn.into(),
            parent_call: None,
        }
    }

    /// Sets the call of another agent's turn that this turn works for.
    #[must_use]
    pub fn parent_call(mut self, call: CallId) -> Self {
        self.parent_call = Some(call);
        self
    }
}

/// What happened in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// The turn began.
    TurnStarted,
    /// The model said more.
    MessageDelta {
        /// The text.
        text: String,
    },
    /// The model thought more.
    ReasoningDelta {
        /// The thinking.
        text: String,
    },
    /// A reply that was streaming will come again from its beginning: forget its deltas.
    MessageDiscarded,
    /// The model called a tool, with all of its arguments.
    ToolCallStarted {
        /// The call.
        call: CallId,
        /// The tool.
        name: ToolName,
        /// The arguments.
        arguments: RawJson,
    },
    /// A tool says how it is getting on; not for the model.
    ToolProgress {
        /// The call.
        call: CallId,
        /// What it says.
        #[serde(flatten)]
        update: ProgressUpdate,
    },
    /// A call has its result.
    ToolResult {
        /// The call.
        call: CallId,
        /// The tool.
        name: ToolName,
        /// What the model will read.
        content: Content,
        /// Whether the call failed, or never ran.
        is_error: bool,
    },
    /// Somebody has to say whether a call may run.
    ApprovalRequested {
        /// The call.
        call: CallId,
        /// The tool.
        name: ToolName,
        /// The arguments.
        arguments: RawJson,
        /// Why somebody has to say so.
        reason: String,
    },
    /// Somebody said whether a call may run.
    ApprovalDecided {
        /// The call.
        call: CallId,
        /// What they said.
        decision: Decision,
    },
    /// A reply of the model is complete, and this is what it used up.
    Usage {
        /// The tokens.
        usage: Usage,
    },
    /// The turn is over.
    End {
        /// Why.
        reason: EndReason,
        /// What went wrong, if something did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_read_back_as_they_were_written() {
        let call = || CallId::from("c1");
        let kinds = [
            EventKind::TurnStarted,
            EventKind::ToolProgress {
                call: call(),
                update: ProgressUpdate::message("50 %"),
            },
            EventKind::ToolResult {
                call: call(),
                name: "add".into(),
                content: Content::text("3"),
                is_error: false,
            },
            EventKind::ApprovalDecided {
                call: call(),
                decision: Decision::allow_once(),
            },
            EventKind::Usage {
                usage: Usage::new(1, 2),
            },
            EventKind::End {
                reason: EndReason::Finished,
                error: None,
            },
        ];
        let events = kinds.map(|kind| AgentEvent::new("main", "t1", kind).parent_call("c0".into()));
        let lines = events
            .each_ref()
            .map(|event| serde_json::to_string(event).unwrap());
        assert_eq!(
            lines[0],
            r#"{"type":"turn_started","agent":"main","turn":"t1","parent_call":"c0"}"#
        );
        assert_eq!(
            lines[5],
            r#"{"type":"end","reason":"finished","agent":"main","turn":"t1","parent_call":"c0"}"#
        );
        for (line, event) in lines.iter().zip(&events) {
            assert_eq!(&serde_json::from_str::<AgentEvent>(line).unwrap(), event);
        }
    }
}
