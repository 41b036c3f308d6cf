//! Telling whoever watches.

use std::sync::Arc;

use super::Driver;
use super::round_calls::Asked;
use crate::agent::turn::{Purpose, Record};
use crate::agent::{AgentEvent, EventKind};
use crate::model::ModelEvent;
use crate::tool::ProgressSettings;
use crate::transcript::{CallKey, Origin};

/// Takes events as they happen; it must return at once.
pub type EventSink = Arc<dyn Fn(AgentEvent) + Send + Sync>;

/// Tells the events of one turn, from wherever they happen.
#[derive(Clone)]
pub(super) struct Teller {
    events: EventSink,
    origin: Arc<Origin>,
    /// How progress is told; a delegate's as that of the turn that it works for.
    progress: ProgressSettings,
}

impl Teller {
    pub(super) fn new(events: EventSink, origin: Origin, progress: ProgressSettings) -> Self {
        Self {
            events,
            origin: Arc::new(origin),
            progress,
        }
    }

    /// Makes what tells the events of another turn to the same people.
    pub(super) fn of(&self, origin: Origin) -> Self {
        Self::new(self.events.clone(), origin, self.progress.clone())
    }

    /// Returns how progress is told.
    pub(super) fn progress(&self) -> &ProgressSettings {
        &self.progress
    }

    /// Tells what happened in the turn.
    pub(super) fn tell(&self, kind: EventKind) {
        (self.events)(AgentEvent::new(Arc::clone(&self.origin), kind));
    }

    /// Tells what happened to a call.
    pub(super) fn tell_of(&self, call: CallKey, kind: EventKind) {
        let event = AgentEvent::new(Arc::clone(&self.origin), kind);
        (self.events)(event.about(self.origin.call(call)));
    }

    /// Tells what the model says while it says it.
    pub(super) fn tell_delta(&self, event: &ModelEvent) {
        match event {
            ModelEvent::TextDelta { text } => {
                self.tell(EventKind::MessageDelta { text: text.clone() });
            }
            ModelEvent::ThinkingDelta { text } => {
                self.tell(EventKind::ReasoningDelta { text: text.clone() });
            }
            ModelEvent::ToolCallStart { id, name } => {
                let (call, name) = (id.clone(), name.clone());
                self.tell(EventKind::ToolCallStarted { call, name });
            }
            ModelEvent::ToolCallDelta { id, arguments } => self.tell(EventKind::ToolCallDelta {
                call: id.clone(),
                arguments: arguments.clone(),
            }),
            ModelEvent::Retry(retry) => self.tell(EventKind::Retry(retry.clone())),
            _ => {}
        }
    }
}

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Takes in what is written down, and tells what came of it.
    pub(super) fn apply(&mut self, record: &mut Record) {
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
                let silent = self.silent.take().map(|silent| silent.as_millis());
                self.teller.tell(EventKind::Usage {
                    usage: reply.usage,
                    cost: *cost,
                    time_to_first_token_ms: silent.and_then(|silent| silent.try_into().ok()),
                });
                if *purpose == Purpose::SuggestTools {
                    self.take_suggestion(reply);
                }
            }
            Record::Compacted { .. } => {
                self.was_compacted();
                self.teller.tell(EventKind::Compacted);
            }
            Record::NotCompacted { why, .. } => {
                let message = format!("the conversation could not be summed up: {why}");
                self.teller.tell(EventKind::Warning { message });
            }
            Record::Answered { call, decision } => {
                let asked = self.calls.get_mut(*call);
                if let Some(Asked::Out(token)) = asked.and_then(|call| call.question.take()) {
                    token.cancel();
                }
                if let Some(told) = self.turn.call(*call) {
                    let id = told.id.clone();
                    let decision = decision.clone();
                    self.teller
                        .tell_of(*call, EventKind::ApprovalDecided { call: id, decision });
                }
            }
            _ => {}
        }
        self.tell_results();
    }

    /// Tells the results that are new, those of calls that the turn answered itself included.
    pub(super) fn tell_results(&mut self) {
        for (key, call) in self.turn.calls() {
            let Some(outcome) = self.turn.outcome(key) else {
                continue;
            };
            if !std::mem::replace(&mut self.calls.entry(key).is_told, true) {
                let result = EventKind::ToolResult {
                    call: call.id.clone(),
                    name: call.name.clone(),
                    content: outcome.content.clone(),
                    is_error: outcome.is_error,
                    cached: outcome.cached,
                };
                self.teller.tell_of(key, result);
            }
        }
    }
}
