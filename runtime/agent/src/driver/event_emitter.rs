//! Emitting the events of a turn.

use std::sync::Arc;

use crate::{AgentEvent, EventKind};
use helve_core::tool::ProgressSettings;
use helve_core::transcript::{CallKey, Origin};
use helve_model::ModelEvent;

/// Receives events as they occur. It must not block.
pub type EventSink = Arc<dyn Fn(AgentEvent) + Send + Sync>;

#[derive(Clone)]
pub(super) struct EventEmitter {
    events: EventSink,
    origin: Arc<Origin>,
    /// The settings for progress; a delegate has the settings of the turn that it works for.
    pub(super) progress: ProgressSettings,
}

impl EventEmitter {
    pub(super) fn new(events: EventSink, origin: Origin, progress: ProgressSettings) -> Self {
        Self {
            events,
            origin: Arc::new(origin),
            progress,
        }
    }

    /// Creates an emitter of the events of another turn, with the same sink.
    pub(super) fn for_turn(&self, origin: Origin) -> Self {
        Self::new(self.events.clone(), origin, self.progress.clone())
    }

    pub(super) fn emit(&self, kind: EventKind) {
        (self.events)(AgentEvent::new(Arc::clone(&self.origin), kind));
    }

    pub(super) fn emit_for(&self, call: CallKey, kind: EventKind) {
        let event = AgentEvent::new(Arc::clone(&self.origin), kind);
        (self.events)(event.with_call(self.origin.call_address(call)));
    }

    pub(super) fn emit_delta(&self, event: &ModelEvent) {
        match event {
            ModelEvent::TextDelta { text } => {
                self.emit(EventKind::MessageDelta { text: text.clone() });
            }
            ModelEvent::ThinkingDelta { text } => {
                self.emit(EventKind::ReasoningDelta { text: text.clone() });
            }
            ModelEvent::ToolCallStart { id, name } => {
                let (call, name) = (id.clone(), name.clone());
                self.emit(EventKind::ToolCallStarted { call, name });
            }
            ModelEvent::ToolCallDelta { id, arguments } => self.emit(EventKind::ToolCallDelta {
                call: id.clone(),
                arguments: arguments.clone(),
            }),
            ModelEvent::Retry(retry) => self.emit(EventKind::Retry(retry.clone())),
            _ => {}
        }
    }
}
