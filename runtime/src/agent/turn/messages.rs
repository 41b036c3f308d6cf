//! What the records of a turn add to the transcript.

use super::call::CallState;
use super::{Phase, Record, Stale, Turn};
use crate::transcript::{Message, ToolResult};

impl Turn {
    /// Applies a record and adds the messages that it completes: the model's reply, and the results of its calls
    /// once all of them are in. Both a live turn and one that is being loaded come to the same transcript that way.
    ///
    /// # Errors
    /// [`Stale`] as [`Turn::apply`]; then no message is added.
    pub fn apply_to(&mut self, record: &Record, messages: &mut Vec<Message>) -> Result<(), Stale> {
        let open = self.phase == Phase::Calls;
        self.apply(record)?;
        if let Record::ModelDone { reply, .. } = record
            && !reply.message.content.is_empty()
        {
            messages.push(Message::Assistant(reply.message.clone()));
        }
        if open || matches!(record, Record::ModelDone { .. }) {
            messages.extend(self.results());
        }
        Ok(())
    }

    /// Returns the message with the results of the last reply's calls, in the order of the calls, once every call
    /// has one; until the model is called again.
    #[must_use]
    pub fn results(&self) -> Option<Message> {
        if self.calls.is_empty() {
            return None;
        }
        let results = self.calls.iter().map(|slot| match &slot.state {
            CallState::Done(outcome) => Some(ToolResult {
                call_id: slot.call.id.clone(),
                content: outcome.content.clone(),
                is_error: outcome.is_error,
            }),
            _ => None,
        });
        Some(Message::Tool {
            content: results.collect::<Option<_>>()?,
        })
    }
}
