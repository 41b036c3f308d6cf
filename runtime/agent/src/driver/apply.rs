//! Applying records: the only place where the state of the turn changes.

use std::sync::Arc;

use super::round_calls::QuestionState;
use super::state::Driver;
use crate::EventKind;
use crate::turn::{EndReason, Purpose, Record, Review, Turn};
use helve_core::transcript::Note;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Applies a record to the turn, and emits the events that follow from it.
    pub(super) fn apply_record(&mut self, record: &mut Record) {
        let applied = match Turn::may_add_messages(record) {
            true => {
                let messages = &mut Arc::make_mut(&mut self.request).messages;
                self.turn.apply_taking(record, messages)
            }
            false => self.turn.apply(record),
        };
        if let Err(stale) = applied {
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
                let silence = self.clock.time_to_first_token.take();
                let millis = silence.and_then(|silence| silence.as_millis().try_into().ok());
                self.events.emit(EventKind::Usage {
                    usage: reply.usage,
                    cost: *cost,
                    time_to_first_token_ms: millis,
                });
                if *purpose == Purpose::SuggestTools {
                    self.tools.suggestion_reply = Some(reply.message.text());
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
            Record::Noted { notes } => notes.iter().for_each(|note| self.emit_note(note)),
            Record::Reviewed { round, by, review } => self.emit_review(*round, by, review),
            Record::Answered { call, decision } => {
                let asked = self.calls.get_mut(*call);
                let question = asked.and_then(|call| call.question.take());
                if let Some(QuestionState::Asked(token)) = question {
                    token.cancel();
                }
                if let Some(answered) = self.turn.call(*call) {
                    let (id, decision) = (answered.id.clone(), decision.clone());
                    let decided = EventKind::ApprovalDecided { call: id, decision };
                    self.events.emit_for(*call, decided);
                }
            }
            _ => {}
        }
        self.emit_results();
    }

    fn emit_note(&self, note: &Note) {
        self.events.emit(EventKind::Note {
            source: note.source,
            name: note.name.clone(),
            id: note.id.clone(),
            text: note.text.clone(),
        });
    }

    fn emit_review(&mut self, round: u32, by: &str, review: &Review) {
        self.error = match review {
            Review::Block { why } => Some(format!("the guard `{by}` blocked: {why}")),
            Review::Again { note } if self.turn.end() == Some(EndReason::Reviews) => {
                Some(format!("the guard `{by}` demanded another reply: {note}"))
            }
            _ => self.error.take(),
        };
        self.events.emit(EventKind::Reviewed {
            round,
            by: by.to_owned(),
            review: review.clone(),
        });
    }

    /// Emits the new results, including those of calls that the turn closed itself.
    fn emit_results(&mut self) {
        for (key, call) in self.turn.calls() {
            let Some(outcome) = self.turn.outcome(key) else {
                continue;
            };
            let state = self.calls.entry(key);
            if !std::mem::replace(&mut state.is_emitted, true) {
                if let Some(QuestionState::Asked(token)) = state.question.take() {
                    token.cancel();
                }
                let result = EventKind::ToolResult {
                    call: call.id.clone(),
                    name: call.name.clone(),
                    content: outcome.content.clone(),
                    is_error: outcome.is_error,
                    exit: outcome.exit.clone(),
                    cached: outcome.cached,
                };
                self.events.emit_for(key, result);
            }
        }
    }
}
