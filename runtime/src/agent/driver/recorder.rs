//! Writing down what happens before it is taken in.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Mutex;

use crate::agent::authority::{Authority, TurnAuthority};
use crate::agent::session::{Entry, Posted, Session, SessionError};
use crate::agent::turn::{Bounds, EndReason, Record, Totals, Turn};
use crate::transcript::journal::Durability;
use crate::transcript::{Label, Message, Origin, TurnId};

/// Where the turns of one run are written down: in a session, or nowhere.
#[derive(Clone, Default)]
pub(super) struct Recorder<'a>(Option<Arc<Mutex<Book<'a>>>>);

/// A session, and what belongs to turns that have not asked for it yet.
struct Book<'a> {
    session: &'a mut Session,
    /// The conversations of delegates whose turns were open when the session was loaded.
    delegates: Vec<(TurnId, Vec<Message>)>,
}

impl<'a> Recorder<'a> {
    pub(super) fn of(session: &'a mut Session, delegates: Vec<(TurnId, Vec<Message>)>) -> Self {
        let book = Book { session, delegates };
        Self(Some(Arc::new(Mutex::new(book))))
    }

    /// Reports whether anything is written down.
    pub(super) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// Writes records of a turn down, all or none; what they say may be done when this returns.
    pub(super) async fn write(
        &self,
        origin: &Origin,
        records: &[Record],
    ) -> Result<(), SessionError> {
        let Some(book) = &self.0 else { return Ok(()) };
        if records.is_empty() {
            return Ok(());
        }
        let durability = match records.iter().any(has_to_last) {
            true => Durability::Synced,
            false => Durability::Buffered,
        };
        let entries = records.iter().cloned();
        let entries = entries.map(|record| Entry::record(origin, record));
        let mut book = book.lock().await;
        book.session.append_all(entries.collect(), durability).await
    }

    /// Writes down what tools have noted.
    pub(super) async fn note(&self, notes: Vec<(String, Value)>) -> Result<(), SessionError> {
        let Some(book) = &self.0 else { return Ok(()) };
        if notes.is_empty() {
            return Ok(());
        }
        let entries = notes
            .into_iter()
            .map(|(name, value)| Entry::State { name, value });
        let mut book = book.lock().await;
        book.session
            .append_all(entries.collect(), Durability::Buffered)
            .await
    }

    pub(super) async fn begin(
        &self,
        origin: &Origin,
        bounds: Bounds,
        prompt: Vec<Message>,
        label: Label,
        authority: &Authority,
    ) -> Result<(), SessionError> {
        let Some(book) = &self.0 else { return Ok(()) };
        let mut entry = Entry::turn_started(origin, bounds, prompt).labelled(label);
        if let Entry::TurnStarted(started) = &mut entry {
            started.authority = Some(authority.record());
        }
        let mut book = book.lock().await;
        book.session.append(entry, Durability::Synced).await
    }

    pub(super) async fn end(
        &self,
        origin: &Origin,
        reason: EndReason,
        error: Option<String>,
        totals: Totals,
    ) -> Result<(), SessionError> {
        let Some(book) = &self.0 else { return Ok(()) };
        let entry = Entry::turn_ended(origin, reason, error, totals);
        let mut book = book.lock().await;
        book.session.append(entry, Durability::Synced).await
    }

    /// Returns the turn of a delegate that was open when the session was loaded, with its conversation.
    pub(super) async fn open(&self, turn: &TurnId) -> Option<(Turn, Vec<Message>)> {
        let mut book = self.0.as_ref()?.lock().await;
        let open = book.session.standing().turn(turn)?.clone();
        let place = book.delegates.iter().position(|(of, _)| of == turn)?;
        Some((open, book.delegates.swap_remove(place).1))
    }

    /// Returns what an open turn was allowed at most so far, where that is known.
    pub(super) async fn authority(&self, turn: &TurnId) -> Option<TurnAuthority> {
        let book = self.0.as_ref()?.lock().await;
        book.session.standing().authority(turn)
    }

    /// Picks up what was handed in for a turn.
    pub(super) async fn posted(&self, turn: &TurnId) -> Result<Vec<Posted>, SessionError> {
        let Some(book) = &self.0 else {
            return Ok(Vec::new());
        };
        let mut book = book.lock().await;
        let new = book.session.take_posted().await?.into_iter();
        let is_ours = |posted: &Posted| posted.posting.call().turn == *turn;
        let (ours, others): (Vec<_>, Vec<_>) = new.partition(is_ours);
        // Another turn of the session finds it when it looks, in this run or in a later one.
        book.session.put_back(&others);
        Ok(ours)
    }

    /// Puts aside what was handed in and does not do.
    pub(super) async fn refuse(&self, posted: Posted, reason: String) -> Result<(), SessionError> {
        let Some(book) = &self.0 else { return Ok(()) };
        book.lock()
            .await
            .session
            .refuse_posted(posted, reason)
            .await
    }
}

/// Reports whether a record has to be on the disk before what it says is done: what would be lost is more than work that
/// can be done again.
fn has_to_last(record: &Record) -> bool {
    !matches!(
        record,
        Record::Wanted { .. }
            | Record::ModelStarted { .. }
            | Record::Planned { .. }
            | Record::Elapsed { .. }
            | Record::Resumed
    )
}
