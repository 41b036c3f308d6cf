//! What these tests share: a store that is watched and can fail, and short ways to say things.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use helve::agent::session::{
    Entry, EntryPage, MemoryStore, OpenedSession, Posting, PostingHeader, ReceivedPosting,
    SessionError, SessionMetadata, SessionStore, SessionSummary, SessionWriter, Sessions,
    TimestampedEntry,
};
use helve::agent::{Agent, Conversation, TurnReport};
use helve::prelude::*;
use helve::transcript::journal::{Durability, Position};
use helve::transcript::{CallAddress, Message, SessionId};

/// What happened, in order, whoever did it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, what: &str) -> usize {
        self.lines().iter().filter(|line| *line == what).count()
    }
}

/// Sessions in memory, whose writings are told and fail from one on.
#[derive(Debug, Clone, Default)]
pub(crate) struct ObservedStore {
    inner: MemoryStore,
    pub(crate) log: Log,
    written: Arc<AtomicU32>,
    /// The writing from which on the disk is full; 0 for never.
    full_at: Arc<AtomicU32>,
    /// Whether the postings cannot be read.
    hides_postings: Arc<AtomicBool>,
}

impl ObservedStore {
    pub(crate) fn fail_from(&self, writing: u32) {
        self.written.store(0, Ordering::Relaxed);
        self.full_at.store(writing, Ordering::Relaxed);
    }

    pub(crate) fn hide_postings(&self, hides: bool) {
        self.hides_postings.store(hides, Ordering::Relaxed);
    }

    pub(crate) fn writings(&self) -> u32 {
        self.written.load(Ordering::Relaxed)
    }

    fn writer(&self, inner: Box<dyn SessionWriter>) -> Box<dyn SessionWriter> {
        let store = self.clone();
        Box::new(Writer { inner, store })
    }
}

impl SessionStore for ObservedStore {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        first: Vec<TimestampedEntry>,
    ) -> BoxFuture<'a, Result<Box<dyn SessionWriter>, SessionError>> {
        async move { Ok(self.writer(self.inner.create(id, first).await?)) }.boxed()
    }

    fn open<'a>(&'a self, id: &'a SessionId) -> BoxFuture<'a, Result<OpenedSession, SessionError>> {
        async move {
            let mut opened = self.inner.open(id).await?;
            opened.writer = self.writer(opened.writer);
            Ok(opened)
        }
        .boxed()
    }

    fn read<'a>(
        &'a self,
        id: &'a SessionId,
        after: Position,
    ) -> BoxFuture<'a, Result<EntryPage, SessionError>> {
        self.inner.read(id, after)
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<SessionSummary>, SessionError>> {
        self.inner.list()
    }

    fn remove<'a>(&'a self, id: &'a SessionId) -> BoxFuture<'a, Result<(), SessionError>> {
        self.inner.remove(id)
    }

    fn post<'a>(
        &'a self,
        id: &'a SessionId,
        posting: Posting,
        header: PostingHeader,
    ) -> BoxFuture<'a, Result<(), SessionError>> {
        self.inner.post(id, posting, header)
    }

    fn read_postings<'a>(
        &'a self,
        id: &'a SessionId,
    ) -> BoxFuture<'a, Result<Vec<ReceivedPosting>, SessionError>> {
        if self.hides_postings.load(Ordering::Relaxed) {
            let error = SessionError::Io {
                path: "memory".into(),
                doing: "read",
                source: io::ErrorKind::PermissionDenied.into(),
            };
            return std::future::ready(Err(error)).boxed();
        }
        self.inner.read_postings(id)
    }

    fn clear_posting<'a>(
        &'a self,
        id: &'a SessionId,
        posted: ReceivedPosting,
        refused: Option<String>,
    ) -> BoxFuture<'a, Result<(), SessionError>> {
        self.inner.clear_posting(id, posted, refused)
    }
}

#[derive(Debug)]
struct Writer {
    inner: Box<dyn SessionWriter>,
    store: ObservedStore,
}

impl SessionWriter for Writer {
    fn append(
        &mut self,
        entries: Arc<[TimestampedEntry]>,
        durability: Durability,
    ) -> BoxFuture<'_, Result<(), SessionError>> {
        async move {
            // Whoever acts before this returns acts too early.
            tokio::task::yield_now().await;
            let writing = self.store.written.fetch_add(1, Ordering::Relaxed) + 1;
            let full_at = self.store.full_at.load(Ordering::Relaxed);
            if full_at > 0 && writing >= full_at {
                return Err(SessionError::Io {
                    path: "memory".into(),
                    doing: "write to",
                    source: io::Error::from(io::ErrorKind::StorageFull),
                });
            }
            self.inner.append(entries.clone(), durability).await?;
            for (_, entry) in entries.iter() {
                self.store.log.add(written(entry));
            }
            Ok(())
        }
        .boxed()
    }

    fn position(&mut self) -> BoxFuture<'_, Position> {
        self.inner.position()
    }
}

/// Says what an entry is about.
fn written(entry: &Entry) -> String {
    match entry {
        Entry::Record(recorded) => {
            let keys = recorded.keys.join(" ");
            format!("written: {} {keys}", recorded.record.name())
                .trim_end()
                .to_owned()
        }
        Entry::TurnStarted(started) => format!("written: begun {}", started.turn),
        Entry::TurnEnded(ended) => format!("written: ended {}", ended.turn),
        _ => "written: something else".to_owned(),
    }
}

/// The session of these tests.
pub(crate) fn session() -> SessionId {
    SessionId::from("s")
}

pub(crate) async fn begin(sessions: &Sessions) -> Conversation {
    let about = SessionMetadata::new("tests").session(session());
    Conversation::new(sessions.create(about).await.unwrap())
}

/// Takes the session as another process would: from what is written.
pub(crate) async fn reload(sessions: &Sessions, conversation: Conversation) -> Conversation {
    drop(conversation);
    Conversation::from(sessions.load(&session()).await.unwrap())
}

pub(crate) async fn say(
    agent: &Agent,
    conversation: &mut Conversation,
    context: &ToolContext,
) -> TurnReport {
    let prompt = Message::user("go");
    let report = agent.run_in(conversation, prompt, context, |_| {}).await;
    report.unwrap()
}

pub(crate) async fn resume(
    agent: &Agent,
    conversation: &mut Conversation,
    context: &ToolContext,
) -> TurnReport {
    let report = agent.resume(conversation, context, |_| {}).await;
    report.unwrap().expect("a turn that is open")
}

pub(crate) fn address(text: &str) -> CallAddress {
    text.parse().unwrap()
}

/// Checks that a conversation is one that every provider takes, and that it is what the session says.
pub(crate) async fn assert_valid(sessions: &Sessions, messages: &[Message]) {
    assert_eq!(helve::transcript::sanitize(messages.to_vec()), messages);
    let history = sessions.read(&session()).await.unwrap();
    assert_eq!(history.messages, messages);
}
