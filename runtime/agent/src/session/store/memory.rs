//! A store of sessions in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::{self, BoxFuture};
use futures_util::{FutureExt as _, StreamExt as _, stream};

use super::changes::Watchers;
use super::{
    EntryPage, OpenedSession, SessionStore, SessionSummary, SessionWriter, StoreFuture, StoreWatch,
    TimestampedEntry,
};
use crate::journal::{Durability, Lease, Line, Position};
use crate::session::{
    Entry, History, Posting, PostingHeader, PostingReceipt, ReceivedPosting, SessionError,
};
use helve_core::support::lock::Mutex;
use helve_core::transcript::SessionId;

/// The number of entries of a page.
const PAGE_ENTRIES: usize = 1_000;

/// Stores sessions in memory: for tests, and for conversations that need not be stored.
///
/// ```
/// use helve::agent::session::{MemoryStore, Sessions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::agent::session::SessionError> {
/// let sessions = Sessions::new(MemoryStore::new());
/// assert!(sessions.list().await?.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    sessions: Arc<Mutex<BTreeMap<SessionId, MemorySession>>>,
    watchers: Arc<Watchers>,
}

#[derive(Debug, Default)]
struct MemorySession {
    lines: Vec<Line<Entry>>,
    posted: Vec<ReceivedPosting>,
    receipts: Vec<PostingReceipt>,
    /// The epoch of the last writer.
    epoch: u64,
    /// The lease of the writer, while it has not expired.
    lease: Option<Lease>,
    /// The lease of a writer that has expired, until another writer takes over.
    expired: Option<Lease>,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn with_session<T>(
        &self,
        id: &SessionId,
        work: impl FnOnce(&mut MemorySession) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        let mut sessions = self.sessions.lock();
        match sessions.get_mut(id) {
            Some(kept) => work(kept),
            None => Err(SessionError::Unknown { id: id.clone() }),
        }
    }

    /// Ends the leases of all writers, as if their processes had been stopped for longer than the leases last: other
    /// writers may take over.
    pub fn expire_leases(&self) {
        for session in self.sessions.lock().values_mut() {
            if let Some(lease) = session.lease.take() {
                session.expired = Some(lease);
            }
        }
    }

    fn lock_session(&self, id: &SessionId) -> Result<Box<dyn SessionWriter>, SessionError> {
        let (store, id) = (self.clone(), id.clone());
        let lease = self.with_session(&id, |kept| {
            if kept.lease.is_some() {
                let (id, holder) = (id.clone(), Some("this process".to_owned()));
                return Err(SessionError::InUse { id, holder });
            }
            if let Some(expired) = kept.expired.take() {
                expired.mark_lost();
            }
            kept.epoch += 1;
            Ok(kept.lease.insert(Lease::new(kept.epoch)).clone())
        })?;
        Ok(Box::new(MemoryWriter { store, id, lease }))
    }
}

fn ready<'a, T: Send + 'a>(result: Result<T, SessionError>) -> StoreFuture<'a, T> {
    future::ready(result).boxed()
}

impl SessionStore for MemoryStore {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        first: Vec<TimestampedEntry>,
    ) -> StoreFuture<'a, Box<dyn SessionWriter>> {
        {
            let mut sessions = self.sessions.lock();
            if sessions.contains_key(id) {
                return ready(Err(SessionError::Exists { id: id.clone() }));
            }
            sessions.entry(id.clone()).or_default().add(&first);
        }
        self.watchers.notify(Some(id));
        ready(self.lock_session(id))
    }

    fn open<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, OpenedSession> {
        ready(self.lock_session(id).and_then(|writer| {
            let mut history = History::new();
            self.with_session(id, |kept| {
                kept.lines.iter().for_each(|line| history.apply(line));
                Ok(())
            })?;
            Ok(OpenedSession::new(writer, history, None))
        }))
    }

    fn read<'a>(&'a self, id: &'a SessionId, after: Position) -> StoreFuture<'a, EntryPage> {
        ready(self.with_session(id, |kept| {
            let from = usize::try_from(after.seq).unwrap_or(usize::MAX);
            let lines = kept.lines.iter().skip(from).take(PAGE_ENTRIES);
            let lines: Vec<_> = lines.cloned().collect();
            let next = Position::new(after.seq + lines.len() as u64, 0);
            let more = next.seq < kept.lines.len() as u64;
            Ok(EntryPage { lines, next, more })
        }))
    }

    fn list(&self) -> StoreFuture<'_, Vec<SessionSummary>> {
        let sessions = self.sessions.lock();
        let mut list: Vec<_> = sessions.iter().map(|(id, kept)| kept.summary(id)).collect();
        list.sort_by_key(|one| std::cmp::Reverse(one.updated));
        ready(Ok(list))
    }

    fn remove<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, ()> {
        ready(self.lock_session(id).map(|_writer| {
            self.sessions.lock().remove(id);
            self.watchers.notify(Some(id));
        }))
    }

    fn post<'a>(
        &'a self,
        id: &'a SessionId,
        posting: Posting,
        header: PostingHeader,
    ) -> StoreFuture<'a, ()> {
        let posted = self.with_session(id, |kept| {
            let target = posting.target();
            let mut pending = kept.posted.iter();
            if let Some(first) = pending.find(|other| other.posting.target() == target) {
                return Err(SessionError::AlreadyPosted {
                    target,
                    first: Some(Box::new(first.header.clone())),
                });
            }
            let posted = ReceivedPosting::new(posting, "").with_header(header);
            kept.posted.push(posted);
            Ok(())
        });
        self.watchers.notify(Some(id));
        ready(posted)
    }

    fn read_postings<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<ReceivedPosting>> {
        ready(self.with_session(id, |kept| Ok(kept.posted.clone())))
    }

    fn clear_posting<'a>(
        &'a self,
        id: &'a SessionId,
        posted: ReceivedPosting,
        refused: Option<String>,
    ) -> StoreFuture<'a, ()> {
        ready(self.with_session(id, |kept| {
            if refused.is_none() {
                kept.receipts.extend(PostingReceipt::from_posting(&posted));
            }
            kept.posted.retain(|other| *other != posted);
            Ok(())
        }))
    }

    fn receipts<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<PostingReceipt>> {
        ready(self.with_session(id, |kept| Ok(kept.receipts.clone())))
    }

    fn watch(&self, session: Option<&SessionId>) -> StoreWatch {
        let watcher = self.watchers.add(session);
        let changes = stream::unfold(watcher, |watcher| async move {
            watcher.changed().await;
            Some(((), watcher))
        });
        changes.boxed()
    }
}

impl MemorySession {
    fn add(&mut self, entries: &[TimestampedEntry]) {
        for (at, entry) in entries.iter().cloned() {
            let seq = self.lines.len() as u64 + 1;
            self.lines.push(Line { seq, at, entry });
        }
    }

    fn summary(&self, id: &SessionId) -> SessionSummary {
        let first = &self.lines[..self.lines.len().min(SessionSummary::FIRST_ENTRIES)];
        SessionSummary::from_entries(id, first, self.lines.last(), 0)
    }
}

/// Writes to one session of a [`MemoryStore`].
#[derive(Debug)]
struct MemoryWriter {
    store: MemoryStore,
    id: SessionId,
    lease: Lease,
}

impl SessionWriter for MemoryWriter {
    fn append(
        &mut self,
        entries: Arc<[TimestampedEntry]>,
        _durability: Durability,
    ) -> StoreFuture<'_, ()> {
        let (id, lease) = (&self.id, &self.lease);
        let added = self.store.with_session(id, |kept| {
            if lease.is_lost() {
                let (id, epoch) = (id.clone(), lease.epoch());
                return Err(SessionError::LeaseLost { id, epoch });
            }
            if let Some(own) = kept.expired.take() {
                // A write renews the lease.
                kept.lease = Some(own);
            }
            kept.add(&entries);
            Ok(())
        });
        self.store.watchers.notify(Some(id));
        ready(added)
    }

    fn position(&mut self) -> BoxFuture<'_, Position> {
        let count = |kept: &mut MemorySession| Ok(kept.lines.len() as u64);
        let seq = self.store.with_session(&self.id, count);
        future::ready(Position::new(seq.unwrap_or_default(), 0)).boxed()
    }

    fn lease(&self) -> Lease {
        self.lease.clone()
    }
}

impl Drop for MemoryWriter {
    fn drop(&mut self) {
        // A removed session is not locked.
        let _ = self.store.with_session(&self.id, |kept| {
            if !self.lease.is_lost() {
                kept.lease = None;
                kept.expired = None;
            }
            Ok(())
        });
    }
}
