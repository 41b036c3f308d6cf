//! A session that is open for writing.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde::Serialize;

use super::state::state_hash;
use super::{
    Entry, History, Posting, PostingTarget, ReceivedPosting, SessionError, SessionState,
    SessionStore, SessionWriter, TimestampedEntry, TurnRecord,
};
use crate::journal::{Durability, Lease, Line, Timestamp};
use crate::turn::Record;
use helve_core::transcript::SessionId;

/// A session that is open for writing. The session is locked until this value is dropped.
///
/// A `Session` holds the [state](SessionState) of the session but not its conversation, so thousands can be open. A
/// file is open only while entries are written, and occasionally for some time afterwards.
pub struct Session {
    id: SessionId,
    store: Arc<dyn SessionStore>,
    writer: Box<dyn SessionWriter>,
    state: Box<SessionState>,
    /// The postings that were taken and have no record yet.
    posted: Vec<ReceivedPosting>,
    /// Whether a write was cancelled, so that the state must be read again.
    needs_reload: bool,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .field("seq", &self.state.seq)
            .finish_non_exhaustive()
    }
}

impl Session {
    pub(super) fn new(
        id: SessionId,
        store: Arc<dyn SessionStore>,
        writer: Box<dyn SessionWriter>,
        standing: SessionState,
    ) -> Self {
        Self {
            id,
            store,
            writer,
            state: Box::new(standing),
            posted: Vec::new(),
            needs_reload: false,
        }
    }

    pub(super) async fn from_created(
        id: SessionId,
        store: Arc<dyn SessionStore>,
        writer: Box<dyn SessionWriter>,
    ) -> Result<Self, SessionError> {
        let mut session = Self::new(id, store, writer, SessionState::default());
        session.catch_up().await?;
        Ok(session)
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Returns the state of the session.
    #[must_use]
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// Returns the lease with which the session is held: its epoch, and the signal that another process has taken over.
    #[must_use]
    pub fn lease(&self) -> Lease {
        self.writer.lease()
    }

    pub(crate) fn store(&self) -> Arc<dyn SessionStore> {
        self.store.clone()
    }

    /// Appends an entry. The action that the entry describes may be performed once this method returns.
    ///
    /// # Errors
    /// Nothing was recorded, and the action that the entry describes must not be performed.
    pub async fn append(
        &mut self,
        entry: Entry,
        durability: Durability,
    ) -> Result<(), SessionError> {
        self.append_all(vec![entry], durability).await
    }

    /// Appends entries, all or none of them, with one sync.
    ///
    /// # Errors
    /// Nothing was recorded, and the actions that the entries describe must not be performed.
    pub async fn append_all(
        &mut self,
        entries: Vec<Entry>,
        durability: Durability,
    ) -> Result<(), SessionError> {
        self.append_numbered(entries, durability).await.map(|_| ())
    }

    /// Like [`append_all`](Self::append_all), and returns the number of the first entry, and their time.
    pub(crate) async fn append_numbered(
        &mut self,
        entries: Vec<Entry>,
        durability: Durability,
    ) -> Result<(u64, Timestamp), SessionError> {
        self.catch_up().await?;
        let at = Timestamp::now();
        let entries: Arc<[TimestampedEntry]> =
            entries.into_iter().map(|entry| (at, entry)).collect();
        // This holds until the write returns. If this future is dropped, the next write reads the result of the
        // cancelled one.
        self.needs_reload = true;
        let written = self.writer.append(entries.clone(), durability).await;
        self.needs_reload = false;
        written?;
        let first = self.state.seq + 1;
        for (seq, (at, entry)) in (first..).zip(entries.iter()) {
            let at = *at;
            self.state.apply(Line { seq, at, entry }, None);
        }
        self.clear_recorded_postings(&entries).await;
        Ok((first, at))
    }

    /// Reads the entries that a cancelled write has written.
    async fn catch_up(&mut self) -> Result<(), SessionError> {
        if !self.needs_reload && self.state.seq > 0 {
            return Ok(());
        }
        let end = self.writer.position().await;
        let state = &mut self.state;
        let apply_new = |line: &Line<Entry>| {
            if line.seq > state.seq {
                state.apply(line.as_ref(), None);
            }
        };
        self.store.visit(&self.id, end.seq, apply_new).await?;
        self.needs_reload = false;
        Ok(())
    }

    /// Saves a state of the session, if it has changed.
    ///
    /// # Errors
    /// The state cannot be represented as JSON, or was not recorded.
    pub async fn save_state<T: Serialize + Sync>(
        &mut self,
        name: &str,
        state: &T,
    ) -> Result<(), SessionError> {
        let value = serde_json::to_value(state).map_err(|source| SessionError::State {
            name: name.to_owned(),
            source,
        })?;
        if self.state.state_hashes.get(name) == Some(&state_hash(&value)) {
            return Ok(());
        }
        let name = name.to_owned();
        self.append(Entry::State { name, value }, Durability::Buffered)
            .await
    }

    /// Takes the postings of other processes that this session waits for. Other postings are set aside and logged; they
    /// do not cause an error.
    ///
    /// A posting stays in the store until its record is [appended](Self::append), so a crash loses none.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn take_postings(&mut self) -> Result<Vec<ReceivedPosting>, SessionError> {
        let mut new = Vec::new();
        for posted in self.store.read_postings(&self.id).await? {
            if self.posted.contains(&posted) {
                continue;
            }
            if let Posting::Say { note, .. } = &posted.posting
                && self.state.has_note(&note.id)
            {
                // The process died after it had recorded the note.
                self.store.clear_posting(&self.id, posted, None).await?;
                continue;
            }
            let checked = self.state.check_posting(&posted.posting);
            match checked.and_then(|()| self.state.check_shown(&posted.posting, &posted.header)) {
                Ok(()) => {
                    self.posted.push(posted.clone());
                    new.push(posted);
                }
                Err(stale) => self.reject_posting(posted, stale.to_string()).await?,
            }
        }
        Ok(new)
    }

    /// Returns postings that were taken, so that the next reader takes them again.
    pub(crate) fn return_postings(&mut self, posted: &[ReceivedPosting]) {
        self.posted.retain(|picked_up| !posted.contains(picked_up));
    }

    /// Reads the history of the session again, including entries that are being written.
    pub(crate) async fn reload(&mut self) -> Result<History, SessionError> {
        let mut history = History::new();
        self.visit_entries(|line| history.apply(line)).await?;
        *self.state = history.session_state.clone();
        self.needs_reload = false;
        Ok(history)
    }

    /// Passes all entries to a closure, in order, including entries that are being written.
    pub(super) async fn visit_entries(
        &mut self,
        visit: impl FnMut(&Line<Entry>),
    ) -> Result<(), SessionError> {
        let end = self.writer.position().await;
        self.store.visit(&self.id, end.seq, visit).await
    }

    /// Waits until something is posted, at most for the given time.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn wait_for_postings(
        &mut self,
        at_most: Duration,
    ) -> Result<Vec<ReceivedPosting>, SessionError> {
        let until = tokio::time::Instant::now() + at_most;
        let mut changes = self.store.watch(Some(&self.id));
        loop {
            let posted = self.take_postings().await?;
            if !posted.is_empty() {
                return Ok(posted);
            }
            if tokio::time::timeout_at(until, changes.next())
                .await
                .is_err()
            {
                // A posting may have come at the last moment.
                return self.take_postings().await;
            }
        }
    }

    /// Rejects a posting that cannot be used, with the reason, so that a corrected one can be posted.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn reject_posting(
        &mut self,
        posted: ReceivedPosting,
        reason: String,
    ) -> Result<(), SessionError> {
        let target = posted.posting.target();
        tracing::warn!(session = %self.id, %target, %reason, "rejected a posting");
        self.posted.retain(|other| *other != posted);
        self.store
            .clear_posting(&self.id, posted, Some(reason))
            .await
    }

    async fn clear_recorded_postings(&mut self, entries: &[TimestampedEntry]) {
        if self.posted.is_empty() {
            return;
        }
        let records = entries.iter().filter_map(|(_, entry)| match entry {
            Entry::Record(recorded) => Some(recorded),
            _ => None,
        });
        let done: Vec<PostingTarget> = records.flat_map(settled_targets).collect();
        let (done, waiting) = std::mem::take(&mut self.posted)
            .into_iter()
            .partition(|posted| done.contains(&posted.posting.target()));
        self.posted = waiting;
        for posted in done {
            if let Err(error) = self.store.clear_posting(&self.id, posted, None).await {
                // The posting is stale from now on, and is rejected when it is read again.
                tracing::warn!(session = %self.id, %error, "a posting could not be removed");
            }
        }
    }
}

/// Returns what was posted about the calls, the notes or the turn of a record, and is settled by it.
fn settled_targets(recorded: &TurnRecord) -> Vec<PostingTarget> {
    match &recorded.record {
        Record::Answered { .. }
        | Record::ConnectionAnswered { .. }
        | Record::FolderAnswered { .. }
        | Record::Finished { .. } => recorded.calls().map(PostingTarget::Call).collect(),
        Record::Noted { notes } => {
            let ids = notes.iter().map(|note| note.id.clone());
            ids.map(PostingTarget::Say).collect()
        }
        Record::Interrupt => vec![PostingTarget::Stop(recorded.turn.clone())],
        _ => Vec::new(),
    }
}
