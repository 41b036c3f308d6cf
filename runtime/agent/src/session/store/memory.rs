//! A store of sessions in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{self, BoxFuture};

use super::{
    EntryPage, OpenedSession, SessionStore, SessionSummary, SessionWriter, StoreFuture,
    TimestampedEntry,
};
use crate::journal::{Durability, Line, Position};
use crate::session::{Entry, History, Posting, ReceivedPosting, SessionError};
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
}

#[derive(Debug, Default)]
struct MemorySession {
    lines: Vec<Line<Entry>>,
    posted: Vec<Posting>,
    is_locked: bool,
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

    fn lock_session(&self, id: &SessionId) -> Result<Box<dyn SessionWriter>, SessionError> {
        let (store, id) = (self.clone(), id.clone());
        self.with_session(&id, |kept| {
            if std::mem::replace(&mut kept.is_locked, true) {
                let (id, holder) = (id.clone(), Some("this process".to_owned()));
                return Err(SessionError::InUse { id, holder });
            }
            Ok(())
        })?;
        Ok(Box::new(MemoryWriter { store, id }))
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
        }))
    }

    fn post<'a>(&'a self, id: &'a SessionId, posting: Posting) -> StoreFuture<'a, ()> {
        ready(self.with_session(id, |kept| {
            let call = posting.call();
            if kept.posted.iter().any(|other| other.call() == call) {
                let call = call.clone();
                return Err(SessionError::AlreadyPosted { call });
            }
            kept.posted.push(posting);
            Ok(())
        }))
    }

    fn read_postings<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<ReceivedPosting>> {
        ready(self.with_session(id, |kept| {
            let posted = kept.posted.iter().cloned();
            Ok(posted
                .map(|posting| ReceivedPosting::new(posting, ""))
                .collect())
        }))
    }

    fn clear_posting<'a>(
        &'a self,
        id: &'a SessionId,
        posted: ReceivedPosting,
        _refused: Option<String>,
    ) -> StoreFuture<'a, ()> {
        ready(self.with_session(id, |kept| {
            kept.posted.retain(|posting| *posting != posted.posting);
            Ok(())
        }))
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
}

impl SessionWriter for MemoryWriter {
    fn append(
        &mut self,
        entries: Arc<[TimestampedEntry]>,
        _durability: Durability,
    ) -> StoreFuture<'_, ()> {
        ready(self.store.with_session(&self.id, |kept| {
            kept.add(&entries);
            Ok(())
        }))
    }

    fn position(&mut self) -> BoxFuture<'_, Position> {
        let count = |kept: &mut MemorySession| Ok(kept.lines.len() as u64);
        let seq = self.store.with_session(&self.id, count);
        future::ready(Position::new(seq.unwrap_or_default(), 0)).boxed()
    }
}

impl Drop for MemoryWriter {
    fn drop(&mut self) {
        // A removed session is not locked.
        let _ = self.store.with_session(&self.id, |kept| {
            kept.is_locked = false;
            Ok(())
        });
    }
}
