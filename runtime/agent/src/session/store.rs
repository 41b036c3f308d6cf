//! Where sessions are kept.

mod folder;
mod memory;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::Serialize;

pub use folder::FolderStore;
pub use memory::MemoryStore;

use super::{Entry, History, Posting, ReceivedPosting, SessionError, SessionState};
use crate::journal::{Durability, Line, Position, Repair, Timestamp};
use helve_core::transcript::SessionId;

/// An entry, and when it came.
pub type TimestampedEntry = (Timestamp, Entry);

/// What a store does, without blocking.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, SessionError>>;

/// Keeps the entries of sessions, in order and for good, and what is posted to them.
///
/// None of its futures blocks the thread that polls it.
pub trait SessionStore: fmt::Debug + Send + Sync {
    /// Makes a session of its first entries, and locks it: no other process may write to it until the writer is
    /// dropped.
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        first: Vec<TimestampedEntry>,
    ) -> StoreFuture<'a, Box<dyn SessionWriter>>;

    /// Takes a session, repairs its end where that is torn, and reads it.
    fn open<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, OpenedSession>;

    /// Reads some entries after a position, whether or not the session is locked.
    fn read<'a>(&'a self, id: &'a SessionId, after: Position) -> StoreFuture<'a, EntryPage>;

    /// Lists the sessions, the one that was written to last first, without reading all of any.
    fn list(&self) -> StoreFuture<'_, Vec<SessionSummary>>;

    /// Removes a session that is not locked, with its postings.
    fn remove<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, ()>;

    /// Leaves a posting for the process that holds the session.
    fn post<'a>(&'a self, id: &'a SessionId, posting: Posting) -> StoreFuture<'a, ()>;

    /// Returns what was left; what cannot be read is put aside, and said.
    fn read_postings<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<ReceivedPosting>>;

    /// Clears something that was left: its record is written, or it is refused for a reason.
    fn clear_posting<'a>(
        &'a self,
        id: &'a SessionId,
        posted: ReceivedPosting,
        refused: Option<String>,
    ) -> StoreFuture<'a, ()>;
}

impl dyn SessionStore {
    /// Shows the entries of a session up to one, in order.
    pub(super) async fn visit(
        &self,
        id: &SessionId,
        last: u64,
        mut visit: impl FnMut(&Line<Entry>),
    ) -> Result<(), SessionError> {
        let mut position = Position::default();
        loop {
            let page = self.read(id, position).await?;
            let wanted = page.lines.iter().take_while(|line| line.seq <= last);
            wanted.for_each(&mut visit);
            if !page.more || page.next.seq >= last {
                return Ok(());
            }
            position = page.next;
        }
    }
}

/// Writes to one session, which is locked meanwhile.
pub trait SessionWriter: fmt::Debug + Send + Sync {
    /// Writes entries behind the last one, all or none of them.
    ///
    /// The writing goes on where the future is dropped.
    fn append(
        &mut self,
        entries: Arc<[TimestampedEntry]>,
        durability: Durability,
    ) -> StoreFuture<'_, ()>;

    /// Returns the end of the last entry, when no writing is under way any more.
    fn position(&mut self) -> BoxFuture<'_, Position>;
}

/// A session that was opened.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenedSession {
    /// Writes to it.
    pub writer: Box<dyn SessionWriter>,
    /// What happened in it.
    pub history: History,
    /// What was removed from its end, where that was torn.
    pub repair: Option<Repair>,
}

impl OpenedSession {
    /// Creates one.
    #[must_use]
    pub fn new(writer: Box<dyn SessionWriter>, history: History, repair: Option<Repair>) -> Self {
        Self {
            writer,
            history,
            repair,
        }
    }
}

/// Some entries of a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EntryPage {
    /// The entries.
    pub lines: Vec<Line<Entry>>,
    /// Where the next ones are.
    pub next: Position,
    /// Whether there may be more.
    pub more: bool,
}

impl EntryPage {
    /// Creates one.
    #[must_use]
    pub fn new(lines: Vec<Line<Entry>>, next: Position, more: bool) -> Self {
        Self { lines, next, more }
    }
}

/// What a list shows of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionSummary {
    /// The session.
    pub session: SessionId,
    /// The app that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The folder that its tools worked in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// When it was written to last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<Timestamp>,
    /// The beginning of its first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How many entries it has.
    pub entries: u64,
    /// Whether a turn is open.
    pub open: bool,
    /// How long its journal is.
    pub bytes: u64,
    /// Why there is not more to show, where its journal is damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl SessionSummary {
    /// How many of the first entries a list looks at: the first message is among them.
    pub const FIRST_ENTRIES: usize = 4;

    /// Puts together what a list shows from the first entries and the last one.
    #[must_use]
    pub fn from_entries(
        session: &SessionId,
        first: &[Line<Entry>],
        last: Option<&Line<Entry>>,
        bytes: u64,
    ) -> Self {
        let mut standing = SessionState::default();
        for line in first {
            standing.apply(line.as_ref(), None);
        }
        let about = standing.metadata.as_ref();
        let is_open =
            |line: &Line<Entry>| matches!(line.entry, Entry::Record(_) | Entry::TurnStarted(_));
        Self {
            session: session.clone(),
            app: about.map(|about| about.app.clone()),
            folder: about.and_then(|about| about.folder.clone()),
            created: standing.created,
            updated: last.map(|line| line.at).or(standing.updated),
            title: standing.title,
            entries: last.map_or(standing.seq, |line| line.seq),
            open: last.is_some_and(is_open),
            bytes,
            problem: None,
        }
    }
}
