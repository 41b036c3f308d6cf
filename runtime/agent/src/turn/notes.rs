//! The notes of a turn, which the model reads with its next call.

use super::note_state::NoteState;
use super::{Applied, EndReason, Phase, Purpose, Turn};
use helve_core::transcript::Note;

impl Turn {
    pub(super) fn side(&self) -> Option<&NoteState> {
        self.side.as_deref()
    }

    pub(super) fn side_mut(&mut self) -> &mut NoteState {
        self.side.get_or_insert_default()
    }

    /// Returns whether notes with this id were recorded in the turn.
    #[must_use]
    pub fn has_note(&self, id: &str) -> bool {
        self.side()
            .is_some_and(|side| side.ids.iter().any(|known| known == id))
    }

    /// Returns whether notes are held back, since the model is replying or calls of its reply are open.
    pub(super) fn holds_notes(&self) -> bool {
        matches!(self.phase, Phase::Model(Purpose::Reply) | Phase::Calls)
    }

    /// Returns the notes that are held back.
    pub(super) fn held_notes(&self) -> &[Note] {
        self.side().map_or(&[], |side| &side.held)
    }

    pub(super) fn apply_noted(&mut self, notes: &[Note]) -> Applied {
        self.check_open()?;
        if let Phase::Model(purpose) = self.phase
            && purpose != Purpose::Reply
        {
            return Err(format!("{} is in progress", purpose.name()));
        }
        let is_twice = |(index, note): (usize, &Note)| {
            self.has_note(&note.id) || notes[..index].iter().any(|other| other.id == note.id)
        };
        if notes.is_empty() || notes.iter().enumerate().any(is_twice) {
            return Err("notes have new ids, each another".to_owned());
        }
        for note in notes {
            self.label.join(&note.label);
        }
        let holds = self.holds_notes();
        let side = self.side_mut();
        side.ids.extend(notes.iter().map(|note| note.id.clone()));
        if holds {
            side.held.extend_from_slice(notes);
        } else if self.phase == Phase::Closing {
            self.call_model_again();
        }
        Ok(())
    }

    /// Continues after the last reply: with the notes that came while the model wrote it, with a review, or not at all.
    pub(super) fn settle_last_reply(&mut self) {
        self.ending = None;
        if !self.held_notes().is_empty() {
            self.call_model_again();
        } else if self.bounds.reviews.is_some() {
            self.phase = Phase::Closing;
            if let Some(side) = &mut self.side {
                side.replaced.clear();
            }
        } else {
            self.ending = Some(EndReason::Finished);
            self.phase = Phase::Over(EndReason::Finished);
        }
    }

    /// Forgets the notes that were held back, which are in the transcript now.
    pub(super) fn release_notes(&mut self) {
        if !self.holds_notes()
            && let Some(side) = &mut self.side
        {
            side.held.clear();
        }
    }
}
