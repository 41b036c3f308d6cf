//! Applying records: the only place where the state of the turn changes.

use std::sync::Arc;

use super::round_calls::QuestionState;
use super::state::Driver;
use crate::EventKind;
use crate::turn::{Purpose, Record};

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Applies a record to the turn, and emits the events that follow from it.
    pub(super) fn apply_record(&mut self, record: &mut Record) {
        let messages = &mut Arc::make_mut(&mut self.request).messages;
        if let Err(stale) = self.turn.apply_taking(record, messages) {
            tracing::debug!(%stale, "a record came too late");
            return;
        }
        match record {
            Record::ModelFailed { error, purpose, .. } if *purpose != Purpose::Compact => {
                self.error = Some(error.clone());
            }
            Record::ModelDone {
                reply,
                cost,
                purpose,
                ..
            } => {
                let silence = self
                    .clock
                    .take_time_to_first_token()
                    .map(|silence| silence.as_millis());
                self.events.emit(EventKind::Usage {
                    usage: reply.usage,
                    cost: *cost,
                    time_to_first_token_ms: silence.and_then(|silence| silence.try_into().ok()),
                });
                if *purpose == Purpose::SuggestTools {
                    self.tools.set_reply(reply.message.text());
                }
            }
            Record::Compacted { .. } => {
                self.reset_after_compaction();
                self.events.emit(EventKind::Compacted);
            }
            Record::NotCompacted { why, .. } => {
                let message = format!("failed to compact the conversation: {why}");
                self.events.emit(EventKind::Warning { message });
            }
            Record::Answered { call, decision } => {
                let asked = self.calls.get_mut(*call);
                if let Some(QuestionState::Asked(token)) =
                    asked.and_then(|call| call.question.take())
                {
                    token.cancel();
                }
                if let Some(answered) = self.turn.call(*call) {
                    let id = answered.id.clone();
                    let decision = decision.clone();
                    self.events
                        .emit_for(*call, EventKind::ApprovalDecided { call: id, decision });
                }
            }
            _ => {}
        }
        self.emit_results();
    }

    /// Emits the new results, including those of calls that the turn closed itself.
    fn emit_results(&mut self) {
        for (key, call) in self.turn.calls() {
            let Some(outcome) = self.turn.outcome(key) else {
                continue;
            };
            if !std::mem::replace(&mut self.calls.entry(key).is_emitted, true) {
                let result = EventKind::ToolResult {
                    call: call.id.clone(),
                    name: call.name.clone(),
                    content: outcome.content.clone(),
                    is_error: outcome.is_error,
                    cached: outcome.cached,
                };
                self.events.emit_for(key, result);
            }
        }
    }
}
