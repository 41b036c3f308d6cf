//! Notes that wait to be read by the model.

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use helve_core::support::lock::Mutex;
use helve_core::transcript::{Note, Origin, TurnId};

/// When the model reads a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delivery {
    /// With its next call; calls that run are finished first.
    Now,
    /// With the next prompt.
    After,
}

/// A note that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueuedNote {
    /// The note.
    pub note: Note,
    /// When the model reads the note.
    pub delivery: Delivery,
    /// The turn of the delegate that the note is for; `None` for the turn of the session.
    pub turn: Option<TurnId>,
}

/// Notes that wait to be read by the model: what a user says while an agent works, or what a hook adds.
///
/// Clones share the notes, so that one belongs to the [agent](super::Agent::notes) and others to those who add notes. A
/// note is listed and can be revoked until it is recorded in a turn. An id is accepted once, so that a note which is
/// sent twice is read once.
///
/// A note for [now](Delivery::Now) that comes while the model writes its last reply prolongs the turn. What is left
/// when a turn ends is read with the next prompt.
///
/// ```
/// use helve::agent::{Agent, Delivery, NoteQueue};
/// use helve::model::ScriptedModel;
/// use helve::transcript::{Note, NoteSource};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::agent::AskError> {
/// let notes = NoteQueue::new();
/// let note = Note::new(NoteSource::User, "n1", "In French, please.");
/// assert!(notes.push(note.clone(), Delivery::Now));
/// assert!(!notes.push(note, Delivery::Now));
/// assert_eq!(notes.list().len(), 1);
///
/// let agent = Agent::new("main", ScriptedModel::new().say("Bonjour.")).notes(&notes);
/// agent.ask("Greet me.").await?;
/// assert!(notes.list().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct NoteQueue(Arc<Mutex<Queued>>);

#[derive(Debug, Default)]
struct Queued {
    notes: Vec<QueuedNote>,
    ids: HashSet<String>,
}

impl NoteQueue {
    /// Creates an empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a note for the turn of the session. Returns whether its id is new; another note is not added, and neither is
    /// one without text.
    pub fn push(&self, note: Note, delivery: Delivery) -> bool {
        self.add(note, delivery, None)
    }

    /// Adds a note for the next model call of the turn with this origin, which may be that of a delegate. Returns whether
    /// its id is new.
    pub fn push_to(&self, origin: &Origin, note: Note) -> bool {
        let turn = origin.parent_call.as_ref().map(|_| origin.turn.clone());
        self.add(note, Delivery::Now, turn)
    }

    fn add(&self, note: Note, delivery: Delivery, turn: Option<TurnId>) -> bool {
        if note.text.trim().is_empty() {
            return false;
        }
        let mut queued = self.0.lock();
        let is_new = queued.ids.insert(note.id.clone());
        if is_new {
            queued.notes.push(QueuedNote {
                note,
                delivery,
                turn,
            });
        }
        is_new
    }

    /// Lists the notes that wait, in order.
    #[must_use]
    pub fn list(&self) -> Vec<QueuedNote> {
        self.0.lock().notes.clone()
    }

    /// Removes a note that waits, and returns it; `None` if it does not wait or was recorded. Its id can be used again.
    pub fn revoke(&self, id: &str) -> Option<Note> {
        let mut queued = self.0.lock();
        let index = queued
            .notes
            .iter()
            .position(|queued| queued.note.id == id)?;
        queued.ids.remove(id);
        Some(queued.notes.remove(index).note)
    }

    /// Prepares the notes for a turn that begins: those for the next prompt are read now.
    pub(crate) fn begin_turn(&self, origin: &Origin) {
        if origin.parent_call.is_some() {
            return;
        }
        for queued in &mut self.0.lock().notes {
            queued.delivery = Delivery::Now;
        }
    }

    /// Takes the notes that a turn reads now.
    pub(crate) fn take(&self, origin: &Origin) -> Vec<Note> {
        let mut queued = self.0.lock();
        if queued.notes.is_empty() {
            return Vec::new();
        }
        let is_for = |queued: &QueuedNote| match &queued.turn {
            Some(turn) => *turn == origin.turn,
            None => origin.parent_call.is_none() && queued.delivery == Delivery::Now,
        };
        let (taken, left) = std::mem::take(&mut queued.notes)
            .into_iter()
            .partition(is_for);
        queued.notes = left;
        let taken: Vec<QueuedNote> = taken;
        taken.into_iter().map(|queued| queued.note).collect()
    }

    /// Puts notes back that could not be recorded.
    pub(crate) fn put_back(&self, notes: Vec<Note>, origin: &Origin) {
        let turn = origin.parent_call.as_ref().map(|_| origin.turn.clone());
        let back = notes.into_iter().map(|note| QueuedNote {
            note,
            delivery: Delivery::Now,
            turn: turn.clone(),
        });
        self.0.lock().notes.splice(0..0, back);
    }
}
