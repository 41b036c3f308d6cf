//! The projection of the records of a turn to events, for turns that run and for turns that are read.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::journal::Timestamp;
use crate::turn::{EndReason, Purpose, Record, Turn};
use crate::{AgentEvent, EventKind};
use helve_core::transcript::{CallKey, Content, Message, MessagePart, Note, Origin};

/// An event without its turn, and the call that it is about.
pub(crate) type Projected = (EventKind, Option<CallKey>);

/// Projects the records of one turn to events. The same records give the same events, whether they are applied for the
/// first time or read from a journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TurnProjection {
    round: u32,
    /// The calls of the round whose results have events, by their indices.
    finished: SmallVec<[bool; 16]>,
}

impl TurnProjection {
    /// Continues the projection of an open turn: its records so far have their events.
    pub(crate) fn from_open_turn(turn: &Turn) -> Self {
        let mut projection = Self::default();
        projection.take_finished(turn, |_| {});
        projection
    }

    /// Returns the event of a record that needs the whole record, which applying the record may take apart.
    pub(crate) fn reply_event(record: &Record) -> Option<EventKind> {
        let Record::ModelDone {
            round,
            purpose: Purpose::Reply,
            cost,
            reply,
        } = record
        else {
            return None;
        };
        let thinking = reply.message.content.iter().filter_map(|part| match part {
            MessagePart::Thinking { text, .. } => Some(text.as_str()),
            _ => None,
        });
        Some(EventKind::Reply {
            round: *round,
            text: reply.message.text(),
            reasoning: thinking.collect::<Vec<_>>().concat(),
            usage: reply.usage,
            cost: *cost,
        })
    }

    /// Returns the events that follow from a record, after the record was applied to the turn.
    pub(crate) fn project(
        &mut self,
        turn: &Turn,
        record: &Record,
        mut reply: Option<EventKind>,
    ) -> Vec<Projected> {
        let mut events = Vec::new();
        self.project_each(turn, record, &mut reply, |event| events.push(event));
        events
    }

    /// Passes on the events that follow from a record, one after another, so that no list of them is made. The event of the
    /// reply is taken from its place, since an event is large.
    #[inline]
    pub(crate) fn project_each(
        &mut self,
        turn: &Turn,
        record: &Record,
        reply: &mut Option<EventKind>,
        mut emit: impl FnMut(Projected),
    ) {
        if let Some(reply) = reply.take() {
            emit((reply, None));
        }
        project_record(turn, record, &mut emit);
        self.take_finished(turn, |key| {
            tool_result_event(turn, key).into_iter().for_each(&mut emit);
        });
    }

    /// Passes on the calls that have a result since the last time, including those that the turn closed itself.
    fn take_finished(&mut self, turn: &Turn, mut pass: impl FnMut(CallKey)) {
        if self.round != turn.round() {
            self.round = turn.round();
            self.finished.clear();
        }
        for (index, (key, _)) in turn.calls().enumerate() {
            if self.finished.len() <= index {
                self.finished.push(false);
            }
            let is_finished = &mut self.finished[index];
            if !*is_finished && turn.outcome(key).is_some() {
                *is_finished = true;
                pass(key);
            }
        }
    }
}

/// Passes on the events that follow from a record alone.
fn project_record(turn: &Turn, record: &Record, emit: &mut impl FnMut(Projected)) {
    match record {
        Record::ModelDone {
            purpose: Purpose::Reply,
            ..
        } => {
            let open = turn.calls().filter(|(key, _)| turn.outcome(*key).is_none());
            open.filter_map(|(key, _)| tool_call_event(turn, key))
                .for_each(emit);
        }
        Record::Edited { call, .. } => tool_call_event(turn, *call).into_iter().for_each(emit),
        Record::Asked { calls } => {
            calls
                .iter()
                .filter_map(|key| asked_event(turn, *key))
                .for_each(emit);
        }
        Record::Submitted { calls } => {
            calls
                .iter()
                .filter_map(|key| submitted_event(turn, *key))
                .for_each(emit);
        }
        Record::Answered { call, decision } => {
            if let Some(answered) = turn.call(*call) {
                let (id, decision) = (answered.id.clone(), decision.clone());
                emit((
                    EventKind::ApprovalDecided { call: id, decision },
                    Some(*call),
                ));
            }
        }
        Record::Compacted { .. } => emit((EventKind::Compacted, None)),
        Record::NotCompacted { why, .. } => {
            let message = format!("failed to compact the conversation: {why}");
            emit((EventKind::Warning { message }, None));
        }
        Record::Noted { notes } => notes.iter().map(note_event).for_each(emit),
        Record::Reviewed {
            round, by, review, ..
        } => {
            let (round, by, review) = (*round, by.clone(), review.clone());
            emit((EventKind::Reviewed { round, by, review }, None));
        }
        _ => {}
    }
}

/// Returns the events of the beginning of a turn.
pub(crate) fn turn_start_events(prompt: &[Message]) -> impl Iterator<Item = Projected> {
    let said = prompt.iter().filter_map(|message| match message {
        Message::User { content } => Some(EventKind::UserMessage {
            content: Content::from(content.clone()),
        }),
        Message::Note(note) => Some(note_event(note).0),
        _ => None,
    });
    let events = std::iter::once(EventKind::TurnStarted).chain(said);
    events.map(|kind| (kind, None))
}

/// Returns the event of the end of a turn.
pub(crate) fn turn_end_events(reason: EndReason, error: Option<String>) -> Vec<Projected> {
    vec![(EventKind::End { reason, error }, None)]
}

/// Returns an event of a call with its arguments.
pub(crate) fn tool_call_event(turn: &Turn, key: CallKey) -> Option<Projected> {
    let call = turn.call(key)?.clone();
    let event = EventKind::ToolCall {
        call: call.id,
        name: call.name,
        arguments: call.arguments,
    };
    Some((event, Some(key)))
}

/// Returns an event of the result of a call.
pub(crate) fn tool_result_event(turn: &Turn, key: CallKey) -> Option<Projected> {
    let (call, outcome) = (turn.call(key)?, turn.outcome(key)?);
    let event = EventKind::ToolResult {
        call: call.id.clone(),
        name: call.name.clone(),
        content: outcome.content.clone(),
        is_error: outcome.is_error,
        exit: outcome.exit.clone(),
        cached: outcome.cached,
    };
    Some((event, Some(key)))
}

fn asked_event(turn: &Turn, key: CallKey) -> Option<Projected> {
    let (call, question) = (turn.call(key)?.clone(), turn.question(key)?);
    let event = EventKind::Asked {
        call: call.id,
        name: call.name,
        arguments: call.arguments,
        reason: question.reason,
        safety: question.safety,
        suggestions: question.suggestions,
    };
    Some((event, Some(key)))
}

fn submitted_event(turn: &Turn, key: CallKey) -> Option<Projected> {
    let call = turn.call(key)?.clone();
    let event = EventKind::Submitted {
        call: call.id,
        name: call.name,
        arguments: call.arguments,
    };
    Some((event, Some(key)))
}

fn note_event(note: &Note) -> Projected {
    let event = EventKind::Note {
        source: note.source,
        name: note.name.clone(),
        id: note.id.clone(),
        text: note.text.clone(),
    };
    (event, None)
}

/// Gives the events of an entry its time, and the last one its number.
pub(crate) fn number_events(events: &mut [AgentEvent], number: u64, at: Timestamp) {
    for event in events.iter_mut() {
        event.at = Some(at);
    }
    if let Some(last) = events.last_mut() {
        last.seq = Some(number);
    }
}

/// Makes the event of a turn of what was projected.
#[inline]
pub(crate) fn locate_event(origin: &Arc<Origin>, projected: Projected) -> AgentEvent {
    let (kind, call) = projected;
    AgentEvent {
        kind,
        origin: Arc::clone(origin),
        key: call.map(|call| origin.call_address(call)),
        at: None,
        seq: None,
    }
}
