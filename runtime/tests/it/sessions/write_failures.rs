//! Writings that fail, and writings that nobody waits for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{self, BoxFuture, FutureExt as _};

use helve_runtime::agent::session::{
    Entry, EntryPage, MemoryStore, OpenedSession, Posting, PostingHeader, ReceivedPosting,
    SessionError, SessionMetadata, SessionStore, SessionSummary, SessionWriter, Sessions,
    TimestampedEntry,
};
use helve_runtime::transcript::SessionId;
use helve_runtime::transcript::journal::{Durability, Position};

use crate::sessions::SessionFolder;

fn state(value: u32) -> Entry {
    Entry::State {
        name: "x".into(),
        value: value.into(),
    }
}

#[tokio::test]
async fn a_writing_that_nobody_waited_for_is_seen_by_the_next_one() {
    let place = SessionFolder::new();
    let mut session = place
        .sessions
        .create(SessionMetadata::new("test").session("s"))
        .await
        .unwrap();
    for round in 1..=20 {
        // Polled once and dropped: now and then the disk is quick enough to be done by then, which is as good.
        tokio::select! {
            biased;
            written = session.append(state(round), Durability::Synced) => written.unwrap(),
            () = future::ready(()) => {}
        }
        if round % 3 == 0 {
            session
                .append(state(0), Durability::Buffered)
                .await
                .unwrap();
        }
    }
    session
        .append(state(99), Durability::Buffered)
        .await
        .unwrap();
    let standing = session.state().clone();
    drop(session);
    let history = place.sessions.load(&"s".into()).await.unwrap().history;
    assert_eq!(history.session_state, standing);
    assert_eq!(history.state::<u32>("x").unwrap(), Some(99));
}

/// A store whose disk can be full.
#[derive(Debug, Clone, Default)]
struct Full {
    below: MemoryStore,
    is_full: Arc<AtomicBool>,
}

#[derive(Debug)]
struct FullWriter(Box<dyn SessionWriter>, Arc<AtomicBool>);

impl SessionWriter for FullWriter {
    fn append(
        &mut self,
        entries: Arc<[TimestampedEntry]>,
        durability: Durability,
    ) -> BoxFuture<'_, Result<(), SessionError>> {
        if self.1.load(Ordering::Relaxed) {
            return future::ready(Err(SessionError::ShuttingDown)).boxed();
        }
        self.0.append(entries, durability)
    }

    fn position(&mut self) -> BoxFuture<'_, Position> {
        self.0.position()
    }
}

impl SessionStore for Full {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        first: Vec<TimestampedEntry>,
    ) -> BoxFuture<'a, Result<Box<dyn SessionWriter>, SessionError>> {
        async move {
            let writer = self.below.create(id, first).await?;
            Ok(Box::new(FullWriter(writer, self.is_full.clone())) as Box<dyn SessionWriter>)
        }
        .boxed()
    }

    fn open<'a>(&'a self, id: &'a SessionId) -> BoxFuture<'a, Result<OpenedSession, SessionError>> {
        self.below.open(id)
    }

    fn read<'a>(
        &'a self,
        id: &'a SessionId,
        after: Position,
    ) -> BoxFuture<'a, Result<EntryPage, SessionError>> {
        self.below.read(id, after)
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<SessionSummary>, SessionError>> {
        self.below.list()
    }

    fn remove<'a>(&'a self, id: &'a SessionId) -> BoxFuture<'a, Result<(), SessionError>> {
        self.below.remove(id)
    }

    fn post<'a>(
        &'a self,
        id: &'a SessionId,
        posting: Posting,
        header: PostingHeader,
    ) -> BoxFuture<'a, Result<(), SessionError>> {
        self.below.post(id, posting, header)
    }

    fn read_postings<'a>(
        &'a self,
        id: &'a SessionId,
    ) -> BoxFuture<'a, Result<Vec<ReceivedPosting>, SessionError>> {
        self.below.read_postings(id)
    }

    fn clear_posting<'a>(
        &'a self,
        id: &'a SessionId,
        posted: ReceivedPosting,
        refused: Option<String>,
    ) -> BoxFuture<'a, Result<(), SessionError>> {
        self.below.clear_posting(id, posted, refused)
    }
}

#[tokio::test]
async fn what_was_not_recorded_did_not_happen() {
    let store = Full::default();
    let sessions = Sessions::new(store.clone());
    let mut session = sessions
        .create(SessionMetadata::new("test").session("s"))
        .await
        .unwrap();
    session.append(state(1), Durability::Synced).await.unwrap();
    store.is_full.store(true, Ordering::Relaxed);
    let before = session.state().clone();
    session
        .append(state(2), Durability::Synced)
        .await
        .unwrap_err();
    assert_eq!(session.state(), &before);
    store.is_full.store(false, Ordering::Relaxed);
    session.append(state(3), Durability::Synced).await.unwrap();
    let history = sessions.read(&"s".into()).await.unwrap();
    assert_eq!(history.state::<u32>("x").unwrap(), Some(3));
    assert_eq!(history.session_state, *session.state());
}

#[tokio::test]
async fn a_state_is_saved_when_it_is_another_one() {
    let sessions = Sessions::new(MemoryStore::new());
    let mut session = sessions
        .create(SessionMetadata::new("test").session("s"))
        .await
        .unwrap();
    for value in [1, 1, 2, 2, 1] {
        session.save_state("x", &value).await.unwrap();
    }
    assert_eq!(session.state().seq, 4);
    drop(session);
    let mut loaded = sessions.load(&"s".into()).await.unwrap();
    loaded.session.save_state("x", &1).await.unwrap();
    assert_eq!(loaded.session.state().seq, 4);
    assert!(loaded.history.state::<String>("x").is_err());
}
