//! The events of a turn.

mod line;
mod ndjson;
pub(crate) mod projection;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use line::{EventHeader, EventLine, InvalidEventLine, NDJSON_VERSION};
pub use ndjson::NdjsonWriter;

use super::turn::{EndReason, Review};
use crate::journal::Timestamp;
use helve_core::sandbox::Exit;
use helve_core::tool::{Preview, ProgressUpdate};
use helve_core::transcript::{
    AgentId, CallAddress, CallId, Content, Cost, NoteSource, Origin, RawJson, ToolName, Totals,
    Usage,
};
use helve_model::Retry;
use helve_permission::{Decision, Rule};

/// An event of a turn, for observers: a terminal, a program that reads JSON, a trace.
///
/// Events are only emitted, never read back: the state of a turn is the fold of its records.
///
/// ```
/// use helve::agent::{AgentEvent, EventKind};
/// use helve::transcript::Origin;
///
/// let event = AgentEvent::new(Origin::new("main", "t1"), EventKind::MessageDelta { text: "Hel".into() });
/// let json = serde_json::to_string(&event)?;
/// assert_eq!(json, r#"{"type":"message_delta","text":"Hel","agent":"main","turn":"t1"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AgentEvent {
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
    /// The agent, the turn, and the call that the turn works for; shared by the events of a turn.
    #[serde(
        flatten,
        serialize_with = "serialize_origin",
        deserialize_with = "deserialize_origin"
    )]
    #[schemars(with = "Origin")]
    pub origin: Arc<Origin>,
    /// The address of the call that it happened to, which is its idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<CallAddress>,
    /// The time of the entry in the session's journal from which the event follows. Events without it, such as pieces of
    /// text and progress, are in no journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub at: Option<Timestamp>,
    /// The number of that entry, of the last event that follows from it. A reader that has seen this event continues with
    /// the events after this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
}

impl AgentEvent {
    /// Creates an event of a turn.
    #[must_use]
    pub fn new(origin: impl Into<Arc<Origin>>, kind: EventKind) -> Self {
        Self {
            kind,
            origin: origin.into(),
            key: None,
            at: None,
            seq: None,
        }
    }

    /// Sets the address of the call that the event refers to.
    #[must_use]
    pub fn with_call(mut self, call: CallAddress) -> Self {
        self.key = Some(call);
        self
    }
}

/// Serializes a shared origin. The `rc` feature of `serde` would be enabled for all crates of a build.
fn serialize_origin<S: Serializer>(origin: &Arc<Origin>, serializer: S) -> Result<S::Ok, S::Error> {
    origin.as_ref().serialize(serializer)
}

fn deserialize_origin<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Origin>, D::Error> {
    Origin::deserialize(deserializer).map(Arc::new)
}

/// What happened in a turn.
///
/// ```
/// use helve::agent::{Agent, AskError, EventKind};
/// use helve::model::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), AskError> {
/// let agent = Agent::new("main", ScriptedModel::new().say("It is 5."));
/// let ask = agent.ask("2 + 3?").on_event(|event| match event.kind {
///     EventKind::MessageDelta { text } => print!("{text}"),
///     EventKind::ToolCall { name, .. } => println!("calling {name}"),
///     _ => {}
/// });
/// ask.await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// The turn began.
    TurnStarted,
    /// What the user said, or the task that an agent gave its delegate.
    UserMessage {
        /// The content.
        content: Content,
    },
    /// The next piece of the model's message.
    MessageDelta {
        /// The text.
        text: String,
    },
    /// The next piece of the model's reasoning.
    ReasoningDelta {
        /// The thinking.
        text: String,
    },
    /// A reply is asked for once more, from its beginning: forget the deltas of this reply so far.
    Retry(Retry),
    /// The model begins to write a call of a tool.
    ToolCallStarted {
        /// The provider's id of the call.
        call: CallId,
        /// The tool.
        name: ToolName,
    },
    /// The model wrote more of the arguments of a call.
    ToolCallDelta {
        /// The provider's id of the call.
        call: CallId,
        /// The next piece of their text.
        arguments: String,
    },
    /// The model called a tool, with all of its arguments; what comes of it follows. The event is sent again if the
    /// approver changed the arguments.
    ToolCall {
        /// The call.
        call: CallId,
        /// The tool.
        name: ToolName,
        /// The arguments.
        arguments: RawJson,
    },
    /// A reply of the model is complete, and this is the whole of it; its calls follow. Its pieces came before, if the
    /// events were read as they happened.
    Reply {
        /// The number of the reply within the turn, from 1.
        round: u32,
        /// The text.
        text: String,
        /// The reasoning.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        /// The tokens.
        usage: Usage,
        /// The money, where the agent knows the prices.
        #[serde(
            default,
            rename = "cost_micro_usd",
            skip_serializing_if = "Cost::is_zero"
        )]
        cost: Cost,
    },
    /// The progress of a tool call; not for the model.
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
        /// The exit of the command that the call ran. A command that failed is no failed call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<Exit>,
        /// Whether it is the result of an earlier call, which nothing has changed since.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cached: bool,
    },
    /// The question about a call is recorded, so that any process may answer it. The question that is shown, with what
    /// the call would change, is `approval_requested`, which follows if the events are read as they happen.
    Asked {
        /// The call.
        call: CallId,
        /// The tool.
        name: ToolName,
        /// The arguments.
        arguments: RawJson,
        /// Why the call needs approval.
        reason: String,
        /// Whether only a person may answer, for this call alone.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        safety: bool,
        /// Rules that would cover this call and others like it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        suggestions: Vec<Rule>,
    },
    /// A call needs approval.
    ApprovalRequested {
        /// The call.
        call: CallId,
        /// The tool.
        name: ToolName,
        /// The arguments.
        arguments: RawJson,
        /// Why the call needs approval.
        reason: String,
        /// Whether only a person may answer, for this call alone.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        safety: bool,
        /// Rules that would cover this call and others like it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        suggestions: Vec<Rule>,
        /// What the call would change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        preview: Option<Preview>,
    },
    /// The approval of a call was decided.
    ApprovalDecided {
        /// The call.
        call: CallId,
        /// The decision.
        decision: Decision,
    },
    /// The submission of a call is recorded, so that any process may post its result. If the result is expected from
    /// outside of this process, `external_requested` follows, if the events are read as they happen.
    Submitted {
        /// The call.
        call: CallId,
        /// The tool.
        name: ToolName,
        /// The arguments.
        arguments: RawJson,
    },
    /// A call is submitted for external execution; its result is posted.
    ExternalRequested {
        /// The call.
        call: CallId,
        /// The tool.
        name: ToolName,
        /// The arguments.
        arguments: RawJson,
    },
    /// Another agent begins to work on a task, or goes on with one that was interrupted. The id of its turn is the address
    /// of the call, the key of this event; the events of its turn follow, with their own origin.
    DelegateStarted {
        /// The call.
        call: CallId,
        /// The agent. In JSON the field is `to`, because every event has a field `agent` for the agent of its turn.
        #[serde(rename = "to")]
        agent: AgentId,
        /// The short name of the task, if the calling agent gave one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Another agent no longer works on a task.
    DelegateEnded {
        /// The call.
        call: CallId,
        /// The agent.
        #[serde(rename = "to")]
        agent: AgentId,
        /// The reason why its turn ended.
        reason: EndReason,
        /// What its turn consumed, which is part of the totals of this turn.
        totals: Totals,
    },
    /// An operation failed, and the turn continues without it.
    Warning {
        /// What, for a person.
        message: String,
    },
    /// A note was recorded, which the model reads with its next call.
    Note {
        /// The kind of author.
        source: NoteSource,
        /// The name of the author.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// The id.
        id: String,
        /// The text.
        text: String,
    },
    /// A guard has decided about the prompt or the last reply.
    Reviewed {
        /// The round of the reply; 0 for the prompt.
        round: u32,
        /// The guard; the names of all guards where the reply passes.
        by: String,
        /// The decision.
        review: Review,
    },
    /// What the user may say next, after the end of a turn. It is in no journal and in no conversation.
    Suggested {
        /// The suggestions, the most useful first.
        prompts: Vec<String>,
        /// The tokens of the call that made them.
        usage: Usage,
        /// The money, where the agent knows the prices.
        #[serde(
            default,
            rename = "cost_micro_usd",
            skip_serializing_if = "Cost::is_zero"
        )]
        cost: Cost,
    },
    /// The conversation was made shorter: from here on the model sees a summary of what went before.
    Compacted,
    /// A reply of the model is complete, and this is what it used up.
    Usage {
        /// The tokens.
        usage: Usage,
        /// The money, where the agent knows the prices.
        #[serde(
            default,
            rename = "cost_micro_usd",
            skip_serializing_if = "Cost::is_zero"
        )]
        cost: Cost,
        /// How long the model was silent before the first piece of the reply, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time_to_first_token_ms: Option<u64>,
    },
    /// This reader was too slow, and so many events before this one were dropped for it; their contents are in the
    /// session's journal.
    Lagged {
        /// How many.
        missed: u64,
    },
    /// The turn waits for answers or results that come from elsewhere.
    Waiting {
        /// The calls that wait for approval.
        approvals: Vec<CallAddress>,
        /// The calls that wait for an external result.
        external: Vec<CallAddress>,
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
    use helve_core::transcript::CallKey;

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
                exit: None,
                cached: false,
            },
            EventKind::ApprovalDecided {
                call: call(),
                decision: Decision::allow_once(),
            },
            EventKind::Usage {
                usage: Usage::new(1, 2),
                cost: Cost::ZERO,
                time_to_first_token_ms: None,
            },
            EventKind::End {
                reason: EndReason::Finished,
                error: None,
            },
        ];
        let origin = Origin::new("main", "t1").delegate(CallKey::new(1, 0), "helper");
        let address = origin.call_address(CallKey::new(2, 1));
        let event = |kind| AgentEvent::new(origin.clone(), kind).with_call(address.clone());
        let events = kinds.map(event);
        let json = |event| serde_json::to_string(event).unwrap();
        let lines = events.each_ref().map(json);
        assert_eq!(
            lines[0],
            r#"{"type":"turn_started","agent":"helper","turn":"t1/1.0","parent_call":"t1/1.0","key":"t1/1.0/2.1"}"#
        );
        assert_eq!(
            lines[5],
            r#"{"type":"end","reason":"finished","agent":"helper","turn":"t1/1.0","parent_call":"t1/1.0","key":"t1/1.0/2.1"}"#
        );
        for (line, event) in lines.iter().zip(&events) {
            assert_eq!(&serde_json::from_str::<AgentEvent>(line).unwrap(), event);
        }
    }
}
