//! Emitting the events of a turn.

use std::sync::Arc;

use super::event_order::{EventOrder, RecordedEntries};
use crate::event::projection::{Projected, locate_event};
use crate::{AgentEvent, EventKind};
use helve_core::tool::ProgressSettings;
use helve_core::transcript::{CallKey, Origin};
use helve_model::ModelEvent;

/// Receives events as they occur. It must not block.
pub type EventSink = Arc<dyn Fn(AgentEvent) + Send + Sync>;

#[derive(Clone)]
pub(super) struct EventEmitter {
    /// The order of the events of a run; all turns of the run share it.
    order: Arc<EventOrder>,
    origin: Arc<Origin>,
    /// The settings for progress; a delegate has the settings of the turn that it works for.
    pub(super) progress: ProgressSettings,
}

impl EventEmitter {
    pub(super) fn new(order: Arc<EventOrder>, origin: Origin, progress: ProgressSettings) -> Self {
        Self {
            order,
            origin: Arc::new(origin),
            progress,
        }
    }

    /// Creates an emitter of the events of another turn, with the same sink.
    pub(super) fn for_turn(&self, origin: Origin) -> Self {
        Self::new(self.order.clone(), origin, self.progress.clone())
    }

    pub(super) fn order(&self) -> &Arc<EventOrder> {
        &self.order
    }

    #[inline]
    pub(super) fn emit(&self, kind: EventKind) {
        self.emit_live((kind, None));
    }

    pub(super) fn emit_for(&self, call: CallKey, kind: EventKind) {
        self.emit_live((kind, Some(call)));
    }

    /// Emits an event that is in no journal.
    #[inline]
    pub(super) fn emit_live(&self, projected: Projected) {
        self.order.send(|| locate_event(&self.origin, projected));
    }

    /// Emits the events that follow from the next entry of those that were recorded, after an event that is in no
    /// journal. Without a session no event has a number.
    pub(super) fn emit_recorded(
        &self,
        recorded: Option<&mut RecordedEntries>,
        live: Option<EventKind>,
        projected: Vec<Projected>,
    ) {
        let live = live.map(|kind| locate_event(&self.origin, (kind, None)));
        let events = projected.into_iter();
        let events = events.map(|projected| locate_event(&self.origin, projected));
        match recorded {
            Some(recorded) => recorded.emit(live, events.collect()),
            None => live
                .into_iter()
                .chain(events)
                .for_each(|event| self.order.send(|| event)),
        }
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
