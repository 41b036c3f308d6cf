//! Applying records: the only place where the state of the turn changes.

use std::sync::Arc;
use std::time::Duration;

use super::event_order::RecordedEntries;
use super::state::Driver;
use crate::EventKind;
use crate::event::projection::TurnProjection;
use crate::turn::{EndReason, Purpose, Record, Review, Turn};

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Applies a record to the turn, and emits the events that follow from it, as those of the entry that was recorded.
    pub(super) fn apply_record(
        &mut self,
        record: &mut Record,
        recorded: Option<&mut RecordedEntries>,
    ) {
        let mut reply = TurnProjection::reply_event(record);
        let applied = match Turn::may_add_messages(record) {
            true => {
                let messages = &mut Arc::make_mut(&mut self.request).messages;
                self.turn.apply_taking(record, messages)
            }
            false => self.turn.apply(record),
        };
        if let Err(stale) = applied {
            tracing::debug!(%stale, "a record came too late");
            self.events.emit_recorded(recorded, None, Vec::new());
            return;
        }
        let mut silence = None;
        match record {
            Record::ModelFailed { error, purpose, .. } if *purpose != Purpose::Compact => {
                self.error = Some(error.clone());
            }
            Record::ModelDone { reply, purpose, .. } => {
                silence = self.clock.time_to_first_token.take();
                if *purpose == Purpose::SuggestTools {
                    self.tools.suggestion_reply = Some(reply.message.text());
                }
            }
            Record::Compacted { .. } => self.reset_after_compaction(),
            Record::Reviewed { by, review, .. } => self.apply_review(by, review),
            Record::Answered { call, .. } => self.calls.withdraw_question(*call),
            _ => {}
        }
        // Without a session each event leaves at once.
        let is_recorded = recorded.is_some();
        if !is_recorded && let Some(usage) = usage_event(record, silence) {
            self.events.emit(usage);
        }
        let mut held = Vec::new();
        let (turn, events, calls) = (&*self.turn, self.events, &mut self.calls);
        self.projection
            .project_each(turn, record, &mut reply, |projected| {
                if let (EventKind::ToolResult { .. }, Some(call)) = &projected {
                    calls.withdraw_question(*call);
                }
                match is_recorded {
                    true => held.push(projected),
                    false => events.emit_live(projected),
                }
            });
        if is_recorded {
            let usage = usage_event(record, silence);
            self.events.emit_recorded(recorded, usage, held);
        }
    }

    fn apply_review(&mut self, by: &str, review: &Review) {
        self.error = match review {
            Review::Block { why } => Some(format!("the guard `{by}` blocked: {why}")),
            Review::Again { note } if self.turn.end() == Some(EndReason::Reviews) => {
                Some(format!("the guard `{by}` demanded another reply: {note}"))
            }
            _ => self.error.take(),
        };
    }
}

/// Returns the event of the usage of a model call. It is made where it is emitted, since an event is large.
fn usage_event(record: &Record, silence: Option<Duration>) -> Option<EventKind> {
    let Record::ModelDone { reply, cost, .. } = record else {
        return None;
    };
    Some(EventKind::Usage {
        usage: reply.usage,
        cost: *cost,
        time_to_first_token_ms: silence.and_then(|silence| silence.as_millis().try_into().ok()),
    })
}
