//! Recording turns in a session.

use std::iter::once_with;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use serde_json::Value;
use tokio::sync::Mutex;

use super::event_order::{EventOrder, RecordedEntries};
use crate::authority::TurnAuthority;
use crate::journal::Durability;
use crate::session::{
    EndedTurn, Entry, Lease, Posting, ReceivedPosting, Session, SessionError, SessionStore,
    StoreWatch,
};
use crate::turn::{EndReason, Record, Totals, Turn};
use helve_core::transcript::{Message, Origin, SessionId, TurnId};

/// The shortest time between two looks at the postings to a turn that waits for none.
const WATCH_PAUSE: Duration = Duration::from_millis(100);

/// The recorder of the turns of one run; the default records nothing.
#[derive(Clone, Default)]
pub(super) struct SessionRecorder<'a>(Option<Arc<Recording<'a>>>);

/// The entries that were written, whose events are to be emitted; `None` without a session.
pub(super) type Written = Result<Option<RecordedEntries>, SessionError>;

struct Recording<'a> {
    lease: Lease,
    store: Arc<dyn SessionStore>,
    id: SessionId,
    recorded: Mutex<RecordedSession<'a>>,
}

/// The session, and the conversations of delegates that have not been resumed yet.
struct RecordedSession<'a> {
    session: &'a mut Session,
    /// The conversations of delegates whose turns were open when the session was loaded.
    delegates: Vec<(TurnId, Vec<Message>)>,
}

impl<'a> SessionRecorder<'a> {
    pub(super) fn new(session: &'a mut Session, delegates: Vec<(TurnId, Vec<Message>)>) -> Self {
        let (lease, store, id) = (session.lease(), session.store(), session.id().clone());
        let recorded = Mutex::new(RecordedSession { session, delegates });
        Self(Some(Arc::new(Recording {
            lease,
            store,
            id,
            recorded,
        })))
    }

    pub(super) fn is_recording(&self) -> bool {
        self.0.is_some()
    }

    /// Watches the session: the stream has an item when something may have been posted. Without a session there is none.
    pub(super) fn watch(&self) -> StoreWatch {
        match &self.0 {
            Some(recording) => recording.store.watch(Some(&recording.id)),
            None => stream::pending().boxed(),
        }
    }

    /// Like [`watch`](Self::watch), for a turn that works and is seldom posted to: the store is watched only once the turn
    /// has lasted for a moment, and several changes are one item.
    pub(super) fn watch_at_work(&self) -> StoreWatch {
        let Some(recording) = &self.0 else {
            return stream::pending().boxed();
        };
        let (store, id) = (recording.store.clone(), recording.id.clone());
        let changes = stream::unfold(None::<StoreWatch>, move |watch| {
            let (store, id) = (store.clone(), id.clone());
            async move {
                tokio::time::sleep(WATCH_PAUSE).await;
                let mut watch = watch.unwrap_or_else(|| store.watch(Some(&id)));
                watch.next().await?;
                Some(((), Some(watch)))
            }
        });
        changes.boxed()
    }

    /// Waits until another process has taken over the session.
    pub(super) async fn lease_lost(&self) {
        match &self.0 {
            Some(recording) => recording.lease.lost().await,
            None => std::future::pending().await,
        }
    }

    /// Returns the error of a session that another process has taken over.
    pub(super) fn lost_error(&self) -> Option<SessionError> {
        let recording = self.0.as_ref()?;
        let (id, epoch) = (recording.id.clone(), recording.lease.epoch());
        Some(SessionError::LeaseLost { id, epoch })
    }

    /// Writes entries, all or none of them. The driver may act on the entries when this method returns, and emits the
    /// events of each.
    async fn append(
        &self,
        entries: impl Iterator<Item = Entry>,
        durability: Durability,
        order: &Arc<EventOrder>,
    ) -> Written {
        let Some(recorded) = &self.0 else {
            return Ok(None);
        };
        let entries: Vec<Entry> = entries.collect();
        if entries.is_empty() {
            return Ok(None);
        }
        let count = entries.len() as u64;
        let mut recorded = recorded.recorded.lock().await;
        let (first, at) = recorded
            .session
            .append_numbered(entries, durability)
            .await?;
        Ok(Some(order.add_entries(first, count, at)))
    }

    pub(super) async fn write(
        &self,
        origin: &Origin,
        records: &[Record],
        order: &Arc<EventOrder>,
    ) -> Written {
        let durability = match records.iter().any(needs_sync) {
            true => Durability::Synced,
            false => Durability::Buffered,
        };
        let entries = records.iter().cloned();
        let entries = entries.map(|record| Entry::record(origin, record));
        self.append(entries, durability, order).await
    }

    pub(super) async fn write_notes(
        &self,
        notes: Vec<(String, Value)>,
        order: &Arc<EventOrder>,
    ) -> Result<(), SessionError> {
        let notes = notes.into_iter();
        let entries = notes.map(|(name, value)| Entry::State { name, value });
        let written = self.append(entries, Durability::Buffered, order);
        // No events follow from a state.
        written.await.map(drop)
    }

    pub(super) async fn begin_turn(
        &self,
        entry: impl FnOnce() -> Entry,
        order: &Arc<EventOrder>,
    ) -> Written {
        self.append(once_with(entry), Durability::Synced, order)
            .await
    }

    pub(super) async fn end_turn(
        &self,
        origin: &Origin,
        reason: EndReason,
        error: Option<String>,
        totals: Totals,
        order: &Arc<EventOrder>,
    ) -> Written {
        let entry = || Entry::turn_ended(origin, reason, error, totals);
        self.append(once_with(entry), Durability::Synced, order)
            .await
    }

    /// Takes the open turn of a delegate, with its conversation.
    pub(super) async fn take_open_delegate(&self, turn: &TurnId) -> Option<(Turn, Vec<Message>)> {
        let mut recorded = self.0.as_ref()?.recorded.lock().await;
        let open = recorded.session.state().turn(turn)?.clone();
        let place = recorded.delegates.iter().position(|(of, _)| of == turn)?;
        Some((open, recorded.delegates.swap_remove(place).1))
    }

    /// Reads the turn of a delegate that is over.
    pub(super) async fn read_ended_turn(
        &self,
        turn: &TurnId,
    ) -> Result<Option<EndedTurn>, SessionError> {
        let Some(recorded) = &self.0 else {
            return Ok(None);
        };
        let mut recorded = recorded.recorded.lock().await;
        recorded.session.read_ended_turn(turn).await
    }

    pub(super) async fn authority(&self, turn: &TurnId) -> Option<TurnAuthority> {
        let recorded = self.0.as_ref()?.recorded.lock().await;
        recorded.session.state().authority(turn)
    }

    /// Takes the postings for a turn that it wants now.
    pub(super) async fn take_postings(
        &self,
        origin: &Origin,
        wants: impl Fn(&Posting) -> bool,
    ) -> Result<Vec<ReceivedPosting>, SessionError> {
        let Some(recorded) = &self.0 else {
            return Ok(Vec::new());
        };
        let mut recorded = recorded.recorded.lock().await;
        let new = recorded.session.take_postings().await?.into_iter();
        let is_ours =
            |posted: &ReceivedPosting| posted.posting.is_for(origin) && wants(&posted.posting);
        let (ours, others): (Vec<_>, Vec<_>) = new.partition(is_ours);
        // Other turns of the session take the rest, in this run or a later one.
        recorded.session.return_postings(&others);
        Ok(ours)
    }

    pub(super) async fn reject_posting(
        &self,
        posted: ReceivedPosting,
        reason: String,
    ) -> Result<(), SessionError> {
        let Some(recorded) = &self.0 else {
            return Ok(());
        };
        let mut recorded = recorded.recorded.lock().await;
        recorded.session.reject_posting(posted, reason).await
    }
}

/// Reports whether a record has to be synced to the disk: if it were lost in a crash, more than repeatable work would
/// be lost.
fn needs_sync(record: &Record) -> bool {
    !matches!(
        record,
        Record::Wanted { .. }
            | Record::ModelStarted { .. }
            | Record::Planned { .. }
            | Record::Elapsed { .. }
            | Record::Resumed
    )
}
