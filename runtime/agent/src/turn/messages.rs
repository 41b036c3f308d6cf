//! The messages that the records of a turn add to the transcript.

use super::{CallSlot, Phase, Purpose, Record, StaleRecord, Turn};
use helve_core::transcript::{
    ArgumentsDefect, AssistantMessage, Message, MessagePart, Note, ToolCallResult,
};
use helve_model::{Reply, StopReason};
use helve_permission::Verdict;

impl Turn {
    /// Applies a record and adds the messages that the record completes: the reply of the model, the results of its
    /// calls once all of them are available, and a closing message if the turn ends without one. A live turn and a turn
    /// that is loaded thus produce the same transcript.
    ///
    /// The transcript is always one that every provider accepts: each call has exactly one result, in the message
    /// directly after it; no message is empty; and after a turn the next message may be the user's, because the last
    /// message is the model's.
    ///
    /// # Errors
    /// [`StaleRecord`] as for [`Turn::apply`]; then no message is added.
    pub fn apply_to(
        &mut self,
        record: &Record,
        messages: &mut Vec<Message>,
    ) -> Result<(), StaleRecord> {
        let before = self.capture_previous_state(record, messages);
        self.apply(record)?;
        let reply = match record {
            Record::ModelDone {
                purpose: Purpose::Reply,
                reply,
                ..
            } => Some(shortened_message(reply).unwrap_or_else(|| reply.message.clone())),
            _ => None,
        };
        self.add_messages(record, reply, before, messages);
        Ok(())
    }

    /// Like [`apply_to`](Self::apply_to), for a record that is not needed afterwards: the reply of the model is moved
    /// out of the record instead of copied.
    pub(crate) fn apply_taking(
        &mut self,
        record: &mut Record,
        messages: &mut Vec<Message>,
    ) -> Result<(), StaleRecord> {
        let before = self.capture_previous_state(record, messages);
        self.apply(record)?;
        let reply = match record {
            Record::ModelDone {
                purpose: Purpose::Reply,
                reply,
                ..
            } => {
                let shortened = shortened_message(reply);
                Some(shortened.unwrap_or_else(|| std::mem::take(&mut reply.message)))
            }
            _ => None,
        };
        self.add_messages(record, reply, before, messages);
        Ok(())
    }

    /// Reports whether a record may add messages; the others leave the transcript as it is.
    pub(crate) fn may_add_messages(record: &Record) -> bool {
        match record {
            Record::ModelStarted { .. } | Record::Started { .. } => false,
            // A call that may run has no result yet.
            Record::Planned { plan, .. } => matches!(plan.verdict, Verdict::Deny { .. }),
            _ => true,
        }
    }

    /// Captures the state that is no longer available after a record was applied.
    fn capture_previous_state(&self, record: &Record, messages: &[Message]) -> PreviousState {
        PreviousState {
            is_in_calls: self.phase == Phase::Calls,
            held: self.holds_notes(),
            held_notes: self.held_notes().to_vec(),
            // The last message of the user may begin with an earlier summary.
            compacted_messages: match record {
                Record::Compacted { text, .. } => self.compact_messages(messages, text),
                _ => Vec::new(),
            },
        }
    }

    /// Adds the messages that a record completes. The record was just applied.
    fn add_messages(
        &self,
        record: &Record,
        reply: Option<AssistantMessage>,
        before: PreviousState,
        messages: &mut Vec<Message>,
    ) {
        let replied = reply.is_some();
        if let Some(message) = reply.filter(|message| !message.content.is_empty()) {
            push_reply(message, messages);
        }
        if before.is_in_calls || replied {
            messages.extend(self.results());
        }
        if !self.holds_notes() {
            messages.extend(before.held_notes.into_iter().map(Message::from));
        }
        match record {
            Record::Noted { notes } if !before.held => {
                messages.extend(notes.iter().cloned().map(Message::from));
            }
            Record::Reviewed {
                round, by, review, ..
            } => {
                self.add_review(*round, by, review, messages);
            }
            Record::Compacted {
                before: tokens,
                after,
                ..
            } => {
                *messages = before.compacted_messages;
                let came = format!(
                    "The conversation was summarized: about {tokens} tokens became {after}."
                );
                self.set_compression_result(messages, &came, false);
            }
            Record::NotCompacted { why, .. } => {
                let came = format!("The conversation was not summarized: {why}.");
                self.set_compression_result(messages, &came, true);
            }
            _ => {}
        }
        self.close_transcript(messages);
    }

    /// Adds a closing message of the model to a turn that is over: some providers reject two consecutive messages of
    /// the user, and the message informs the model why the turn ended.
    fn close_transcript(&self, messages: &mut Vec<Message>) {
        let Some(reason) = self.end() else { return };
        let is_open = |message: &Message| !matches!(message, Message::Assistant(_));
        if messages.last().is_some_and(is_open) {
            let text = format!("(The turn ended here: {reason}.)");
            let content = vec![MessagePart::Text { text }];
            messages.push(Message::Assistant(AssistantMessage::new(content)));
        }
    }

    /// Returns the message with the results of the calls of the last reply, in the order of the calls. The message is
    /// available from the last result until the model is called again.
    #[must_use]
    pub fn results(&self) -> Option<Message> {
        if self.calls.is_empty() {
            return None;
        }
        let result = |slot: &CallSlot| {
            let outcome = slot.outcome()?;
            Some(ToolCallResult {
                call_id: slot.call.id.clone(),
                content: outcome.content.clone(),
                is_error: outcome.is_error,
            })
        };
        Some(Message::Tool {
            content: self.calls.iter().map(result).collect::<Option<_>>()?,
        })
    }
}

/// The state that is no longer available after a record was applied.
struct PreviousState {
    /// Whether calls of the last reply are open.
    is_in_calls: bool,
    /// Whether notes are held back.
    held: bool,
    /// The notes that were held back.
    held_notes: Vec<Note>,
    /// The compacted conversation, if the record is a compaction.
    compacted_messages: Vec<Message>,
}

/// Adds a reply. A reply that continues after the provider paused is appended to the previous message.
fn push_reply(reply: AssistantMessage, messages: &mut Vec<Message>) {
    match messages.last_mut() {
        Some(Message::Assistant(paused)) => {
            paused.content.extend(reply.content);
            paused.source = reply.source;
        }
        _ => messages.push(Message::Assistant(reply)),
    }
}

/// Returns the part of a reply that goes into the transcript; `None` if all of it does. Blank texts are omitted. If the reply was cut short,
/// calls with truncated arguments are omitted, and thinking as well, because its signature comes last.
pub(super) fn shortened_message(reply: &Reply) -> Option<AssistantMessage> {
    let cut = reply.stop == StopReason::Cancelled;
    let keeps = |part: &MessagePart| match part {
        MessagePart::Text { text } => !text.trim().is_empty(),
        MessagePart::Thinking { signature, .. } => !cut || signature.is_some(),
        MessagePart::ToolCall(call) => !cut || call.defect != Some(ArgumentsDefect::Truncated),
        // In a reply that was cut short, an item of the provider may lack its counterpart.
        MessagePart::ProviderItem { .. } => !cut,
    };
    let message = &reply.message;
    let thinks = |part: &MessagePart| matches!(part, MessagePart::Thinking { .. });
    let mut kept = message.content.iter().filter(|part| keeps(part));
    if kept.all(thinks) {
        // Thinking alone is not a message.
        return Some(AssistantMessage::default());
    }
    if message.content.iter().all(keeps) {
        return None;
    }
    let content = message.content.iter().filter(|part| keeps(part));
    let mut shortened = AssistantMessage::new(content.cloned().collect());
    shortened.source.clone_from(&message.source);
    Some(shortened)
}
