//! The store of sessions.

mod changes;
mod folder;
mod memory;

use std::fmt;
use std::future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Serialize;

pub use changes::StoreWatch;
pub use folder::FolderStore;
pub use memory::MemoryStore;

use super::{
    Entry, History, JobOrigin, Posting, PostingHeader, PostingReceipt, ReceivedPosting,
    SessionError, SessionState,
};
use crate::journal::{Durability, Lease, Line, Position, Repair, Timestamp};
use helve_core::transcript::SessionId;

/// The interval at which a store that has no notices of changes is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// An entry and its time.
pub type TimestampedEntry = (Timestamp, Entry);

/// The future of an operation of a store.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, SessionError>>;

/// Stores the entries of sessions permanently and in order, and the postings to the sessions.
///
/// The futures of a store do not block the thread that polls them. [`StoreChecks`](super::StoreChecks) tests whether a
/// store does what is described here.
///
/// ```
/// use helve::agent::session::{
///     EntryPage, MemoryStore, OpenedSession, Posting, PostingHeader, ReceivedPosting, SessionMetadata, SessionStore,
///     SessionSummary, SessionWriter, Sessions, StoreFuture, TimestampedEntry,
/// };
/// use helve::transcript::{SessionId, journal::Position};
///
/// /// Stores sessions in memory, and prints which ones are created.
/// #[derive(Debug)]
/// struct PrintingStore(MemoryStore);
///
/// impl SessionStore for PrintingStore {
///     fn create<'a>(
///         &'a self,
///         id: &'a SessionId,
///         first: Vec<TimestampedEntry>,
///     ) -> StoreFuture<'a, Box<dyn SessionWriter>> {
///         println!("creating {id}");
///         self.0.create(id, first)
///     }
///
///     fn open<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, OpenedSession> {
///         self.0.open(id)
///     }
///
///     fn read<'a>(&'a self, id: &'a SessionId, after: Position) -> StoreFuture<'a, EntryPage> {
///         self.0.read(id, after)
///     }
///
///     fn list(&self) -> StoreFuture<'_, Vec<SessionSummary>> {
///         self.0.list()
///     }
///
///     fn remove<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, ()> {
///         self.0.remove(id)
///     }
///
///     fn post<'a>(
///         &'a self,
///         id: &'a SessionId,
///         posting: Posting,
///         header: PostingHeader,
///     ) -> StoreFuture<'a, ()> {
///         self.0.post(id, posting, header)
///     }
///
///     fn read_postings<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<ReceivedPosting>> {
///         self.0.read_postings(id)
///     }
///
///     fn clear_posting<'a>(
///         &'a self,
///         id: &'a SessionId,
///         posted: ReceivedPosting,
///         refused: Option<String>,
///     ) -> StoreFuture<'a, ()> {
///         self.0.clear_posting(id, posted, refused)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::agent::session::SessionError> {
/// let sessions = Sessions::new(PrintingStore(MemoryStore::new()));
/// sessions.create(SessionMetadata::new("example")).await?;
/// assert_eq!(sessions.list().await?.len(), 1);
/// # Ok(())
/// # }
/// ```
pub trait SessionStore: fmt::Debug + Send + Sync {
    /// Creates a session with its first entries, and locks it: no other process may write to the session until the
    /// writer is dropped, or its [lease](SessionWriter::lease) is lost.
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        first: Vec<TimestampedEntry>,
    ) -> StoreFuture<'a, Box<dyn SessionWriter>>;

    /// Locks a session, repairs its end if that is torn, and reads the session. A session whose holder has died, or has
    /// not renewed its lease in time, is taken over. The writer has a [lease](SessionWriter::lease) with a higher epoch
    /// than all earlier writers of the session.
    fn open<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, OpenedSession>;

    /// Reads some entries after a position, whether or not the session is locked.
    fn read<'a>(&'a self, id: &'a SessionId, after: Position) -> StoreFuture<'a, EntryPage>;

    /// Lists the sessions, the most recently written one first, without reading whole journals.
    fn list(&self) -> StoreFuture<'_, Vec<SessionSummary>>;

    /// Removes a session that is not locked, with its postings.
    fn remove<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, ()>;

    /// Stores a posting for the process that holds the session, with what it says about itself. A second posting for
    /// the same call is refused while the first one is pending.
    fn post<'a>(
        &'a self,
        id: &'a SessionId,
        posting: Posting,
        header: PostingHeader,
    ) -> StoreFuture<'a, ()>;

    /// Returns the stored postings. Postings that cannot be read are set aside and logged.
    fn read_postings<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<ReceivedPosting>>;

    /// Removes a posting: its record is written, or it is rejected with a reason. Of a posting whose record is written,
    /// the store keeps the [receipt](PostingReceipt::from_posting), if there is one.
    fn clear_posting<'a>(
        &'a self,
        id: &'a SessionId,
        posted: ReceivedPosting,
        refused: Option<String>,
    ) -> StoreFuture<'a, ()>;

    /// Returns the receipts of the postings that were accepted, in order. A store that keeps none cannot recognize a
    /// posting that is sent again after its record was written.
    fn receipts<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<PostingReceipt>> {
        let _ = id;
        future::ready(Ok(Vec::new())).boxed()
    }

    /// Watches a session, or all sessions: the stream has an item at once, and one after each change, which is an entry
    /// or a posting that was added, or a session that was created or removed. It may have more items than there are
    /// changes, and several changes may be one item. By default it has an item every 200 ms.
    fn watch(&self, session: Option<&SessionId>) -> StoreWatch {
        let _ = session;
        changes::poll(POLL_INTERVAL)
    }
}

impl dyn SessionStore {
    /// Passes the entries of a session up to a given one to a closure, in order.
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

/// Writes to one session, which is locked until the writer is dropped or its lease is lost.
pub trait SessionWriter: fmt::Debug + Send + Sync {
    /// Appends entries, all or none of them. Fails with [`SessionError::LeaseLost`] once another writer has taken over;
    /// its entries are never mixed with those of this one.
    ///
    /// The write continues if the future is dropped.
    fn append(
        &mut self,
        entries: Arc<[TimestampedEntry]>,
        durability: Durability,
    ) -> StoreFuture<'_, ()>;

    /// Returns the end of the last entry, after any write in progress has finished.
    fn position(&mut self) -> BoxFuture<'_, Position>;

    /// Returns the lease: the epoch of the writer, and the signal that another writer has taken over. By default the
    /// lease is never lost.
    fn lease(&self) -> Lease {
        Lease::default()
    }
}

/// A session that was opened.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenedSession {
    /// The writer of the session.
    pub writer: Box<dyn SessionWriter>,
    /// The history of the session.
    pub history: History,
    /// The repair of the journal, if its end was torn.
    pub repair: Option<Repair>,
}

impl OpenedSession {
    /// Creates an opened session.
    #[must_use]
    pub fn new(writer: Box<dyn SessionWriter>, history: History, repair: Option<Repair>) -> Self {
        Self {
            writer,
            history,
            repair,
        }
    }
}

/// A page of entries of a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EntryPage {
    /// The entries.
    pub lines: Vec<Line<Entry>>,
    /// The position of the next entries.
    pub next: Position,
    /// Whether there may be more entries.
    pub more: bool,
}

impl EntryPage {
    /// Creates a page.
    #[must_use]
    pub fn new(lines: Vec<Line<Entry>>, next: Position, more: bool) -> Self {
        Self { lines, next, more }
    }
}

/// The summary of a session in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionSummary {
    /// The session.
    pub session: SessionId,
    /// The app that the session belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The folder in which the tools of the session work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The task that the session works on, if it is a background job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<Box<JobOrigin>>,
    /// The time at which the session was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The time at which the last entry was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<Timestamp>,
    /// The beginning of the first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The number of entries.
    pub entries: u64,
    /// Whether a turn is open.
    pub open: bool,
    /// The length of the journal, in bytes.
    pub bytes: u64,
    /// The reason why the summary is incomplete, if the journal is damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl SessionSummary {
    /// The number of first entries that a list reads; the first message is among them.
    pub const FIRST_ENTRIES: usize = 4;

    /// Creates a summary from the first entries and the last one.
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
            job: about.and_then(|about| about.job.clone()),
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
