//! Notes and reviews that come at every moment.

use helve_runtime::agent::turn::{Bounds, EndReason, Record, Review, Turn};
use helve_runtime::transcript::{Message, Note, NoteSource};

use super::{Choices, Counts};

/// What the driver knows of notes and reviews.
#[derive(Debug, Default)]
pub(crate) struct NoteExpectations {
    /// The notes of the user, in order.
    said: Vec<Note>,
    /// The number of all notes so far.
    count: u32,
    reviews: u32,
    last: Option<Review>,
}

impl NoteExpectations {
    /// Makes up a note; every id is new.
    pub(crate) fn noted(&self, choices: &mut Choices) -> Record {
        let source = match choices.below(3) {
            0 => NoteSource::User,
            1 => NoteSource::Hook,
            _ => NoteSource::Runtime,
        };
        let many = 1 + choices.below(2);
        let note = |index| Note::new(source, format!("n{}", self.count + index), "Mind the gap.");
        Record::Noted {
            notes: (0..many).map(note).collect(),
        }
    }

    /// Lists what guards may say about the last reply; the first ends the turn.
    pub(crate) fn reviews(&self, round: u32, choices: &mut Choices) -> Vec<Record> {
        let review = match choices.below(5) {
            1 | 2 => Review::again("Once more."),
            3 => Review::replace("Another text."),
            4 => Review::block("not this"),
            _ => Review::Pass,
        };
        // A guard replaces a reply once.
        let by = match &review {
            Review::Replace { .. } => format!("replacing {}", choices.below(3)),
            _ => "strict".to_owned(),
        };
        let pass = Record::Reviewed {
            round,
            by: "all".to_owned(),
            review: Review::Pass,
            used: None,
        };
        let other = Record::Reviewed {
            round,
            by,
            review,
            used: None,
        };
        vec![pass, other.clone(), other]
    }

    /// Says what guards may do with the prompt.
    pub(crate) fn prompt_review(&self, choices: &mut Choices) -> Record {
        let review = match choices.one_in(4) {
            true => Review::block("not this"),
            false => Review::replace("Another prompt."),
        };
        Record::Reviewed {
            round: 0,
            by: format!("g{}", choices.below(3)),
            review,
            used: None,
        }
    }

    pub(crate) fn note(&mut self, record: &Record, turn: &Turn, counts: &mut Counts) {
        match record {
            Record::Noted { notes } => {
                self.count += notes.len() as u32;
                let users = notes.iter().filter(|note| note.source == NoteSource::User);
                self.said.extend(users.cloned());
                if turn.in_flight() || turn.calls().any(|(key, _)| turn.outcome(key).is_none()) {
                    counts.saw("note held back");
                }
            }
            Record::Reviewed { round, review, .. } => {
                let what = match review {
                    Review::Pass => "pass",
                    Review::Again { .. } => {
                        self.reviews += 1;
                        "again"
                    }
                    Review::Replace { .. } => "replace",
                    _ => "block",
                };
                let whose = if *round == 0 { "prompt" } else { "reply" };
                counts.saw(&format!("{whose} {what}"));
                self.last = Some(review.clone());
            }
            _ => {}
        }
    }

    /// What the user has said is in the transcript, once and in order, also after a summary; unless the model has yet to
    /// finish what it began before.
    pub(crate) fn check_transcript(&self, turn: &Turn, messages: &[Message]) {
        let is_users = |note: &&Note| note.source == NoteSource::User;
        let notes = messages.iter().filter_map(|message| match message {
            Message::Note(note) => Some(&**note),
            _ => None,
        });
        let found: Vec<_> = notes.filter(is_users).collect();
        let known = &self.said[..found.len()];
        assert!(known.iter().eq(found.iter().copied()), "{found:?}");
        if turn.end().is_some() {
            assert_eq!(found.len(), self.said.len(), "a note is lost");
        }
    }

    pub(crate) fn check_end(&self, reason: EndReason, bounds: &Bounds, messages: &[Message]) {
        let most = bounds.reviews.unwrap_or_default();
        let text = match messages.last() {
            Some(Message::Assistant(reply)) => reply.text(),
            other => panic!("a turn that ends with {other:?}"),
        };
        match reason {
            EndReason::Finished if bounds.reviews.is_some() => {
                assert_eq!(self.last, Some(Review::Pass), "not reviewed");
            }
            EndReason::Reviews => {
                assert_eq!(self.reviews, most + 1);
                assert!(
                    !text.starts_with("(The turn ended") || text.contains("reviews"),
                    "{text}"
                );
            }
            EndReason::Blocked => {
                assert_eq!(self.last, Some(Review::block("not this")));
                assert!(text.contains("withheld: not this") || text.contains("a guard blocked"));
            }
            _ => {}
        }
        assert!(self.reviews <= most + 1);
    }
}
