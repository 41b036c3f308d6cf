//! The turn of a delegate that is over, read again with its conversation.

use super::{Entry, Session, SessionError};
use crate::journal::Line;
use crate::turn::Turn;
use helve_core::transcript::{Label, Message, Origin, TurnId};

/// The turn of a delegate that is over.
#[derive(Debug, Clone)]
pub(crate) struct EndedTurn {
    pub(crate) origin: Origin,
    pub(crate) messages: Vec<Message>,
    /// The label of the conversation.
    pub(crate) label: Label,
}

/// Returns the id of the turn that repairs the answer of another turn.
pub(crate) fn repair_turn(turn: &TurnId) -> TurnId {
    TurnId::from(format!("{turn}/repair"))
}

/// A turn that is being read.
struct ReadTurn {
    turn: Turn,
    messages: Vec<Message>,
    is_over: bool,
}

impl ReadTurn {
    fn is(&self, turn: &TurnId) -> bool {
        self.turn.origin().turn == *turn
    }
}

impl Session {
    /// Reads a turn that works for another turn, and the repair of its answer; `None` if there is no such turn, or if it
    /// is not over. The whole journal is read.
    pub(crate) async fn read_ended_turn(
        &mut self,
        turn: &TurnId,
    ) -> Result<Option<EndedTurn>, SessionError> {
        let turns = [turn.clone(), repair_turn(turn)];
        let mut read: Option<ReadTurn> = None;
        self.visit_entries(|line| read_entry(&turns, line, &mut read))
            .await?;
        let read = read.filter(|read| read.is_over);
        Ok(read.map(|read| EndedTurn {
            origin: read.turn.origin().clone(),
            label: read.turn.label().clone(),
            messages: read.messages,
        }))
    }
}

fn read_entry(turns: &[TurnId], line: &Line<Entry>, read: &mut Option<ReadTurn>) {
    match &line.entry {
        Entry::TurnStarted(started)
            if turns.contains(&started.turn) && started.parent_call.is_some() =>
        {
            let turn = Turn::new(started.origin(), started.bounds.clone());
            *read = Some(ReadTurn {
                turn: turn.with_label(started.label.clone()),
                messages: started.prompt.clone(),
                is_over: false,
            });
        }
        Entry::Record(recorded) => {
            if let Some(read) = read.as_mut().filter(|read| read.is(&recorded.turn)) {
                // A stale record changed nothing when it was written, and changes nothing now.
                let _ = read.turn.apply_to(&recorded.record, &mut read.messages);
            }
        }
        Entry::TurnEnded(ended) => {
            if let Some(read) = read.as_mut().filter(|read| read.is(&ended.turn)) {
                read.is_over = true;
            }
        }
        _ => {}
    }
}
