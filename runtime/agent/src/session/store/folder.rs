//! A store of sessions in a folder: one journal for each session, and a drop folder beside it.

mod inbox;
#[cfg(target_os = "linux")]
mod inotify;
mod writer;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;

use super::{
    EntryPage, OpenedSession, SessionStore, SessionSummary, SessionWriter, StoreFuture, StoreWatch,
    TimestampedEntry,
};
use crate::journal::{
    Durability, JournalError, JournalFile, JournalReader, Position, Repair, Timestamp, WriterLock,
    WriterLocks, read_head_and_tail,
};
use crate::session::{
    Entry, FORMAT, History, Posting, PostingHeader, PostingReceipt, ReceivedPosting, SessionError,
    id,
};
use helve_core::transcript::SessionId;
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use writer::{FolderWriter, OpenFiles};

/// The approximate size of a page, in bytes of lines.
const PAGE_BYTES: u64 = 1 << 20;
/// The maximum time that a finished write takes to release its session.
const RELEASE_TIMEOUT: Duration = Duration::from_millis(100);

/// Stores sessions in a folder: the journal `ID.jsonl`, and the drop folder `ID.inbox` if something was posted. The
/// folder `ID.files`, in which a chat keeps the history of the session's files, is removed with the session.
///
/// Only the owner can read the folder. A session is locked by a [claim](WriterLocks), which needs no open file; the
/// journals that were written to last, up to a limit, stay open. All file operations run on threads that may block.
///
/// A process that is killed releases its sessions at once. A process that is stopped for longer than its lease lasts, by
/// default 45 seconds, can lose a session to another process; its next write is refused with
/// [`SessionError::LeaseLost`].
///
/// On Linux, [`watch`](SessionStore::watch) is told by the kernel of what is written; elsewhere, and if the folder is on
/// a file system of another machine, the folder is also polled.
///
/// ```
/// use helve::agent::session::{FolderStore, SessionMetadata, Sessions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let sessions = Sessions::new(FolderStore::new(folder.path()));
/// let session = sessions.create(SessionMetadata::new("example").session("first")).await?;
/// assert!(folder.path().join("first.jsonl").is_file());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FolderStore {
    inner: Arc<FolderStoreInner>,
}

#[derive(Debug)]
struct FolderStoreInner {
    folder: PathBuf,
    writers: WriterLocks,
    files: Arc<OpenFiles>,
    #[cfg(target_os = "linux")]
    changes: inotify::FolderChanges,
}

impl FolderStore {
    /// Creates a store in a folder. The folder is created with the first session.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self::with_locks(WriterLocks::new(&folder), folder)
    }

    /// Creates a store in a folder, with leases that last for the given time instead of 45 seconds. They are renewed
    /// four times while they last.
    pub fn with_lease_time(folder: impl Into<PathBuf>, lease_time: Duration) -> Self {
        let folder = folder.into();
        Self::with_locks(WriterLocks::with_lease_time(&folder, lease_time), folder)
    }

    fn with_locks(writers: WriterLocks, folder: PathBuf) -> Self {
        Self {
            inner: Arc::new(FolderStoreInner {
                writers,
                files: Arc::default(),
                #[cfg(target_os = "linux")]
                changes: inotify::FolderChanges::default(),
                folder,
            }),
        }
    }

    /// Ends the leases of this store, as if the process had been stopped for longer than they last: other stores may
    /// take over its sessions. A write renews the leases that were not taken over.
    ///
    /// # Errors
    /// The files of the leases cannot be written.
    pub fn expire_leases(&self) -> Result<(), SessionError> {
        let folder = &self.inner.folder;
        let expired = self.inner.writers.expire();
        expired.map_err(|error| SessionError::io(folder, "write to")(std::io::Error::other(error)))
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// Returns the path of the journal of a session, whether or not the file exists.
    ///
    /// # Errors
    /// The id is not usable as a file name.
    pub fn file(&self, session: &SessionId) -> Result<PathBuf, SessionError> {
        id::validate_id(session)?;
        Ok(self.inner.journal_path(session))
    }

    /// Runs file operations on a thread that may block.
    fn run_blocking<'a, T: Send + 'static>(
        &'a self,
        id: &SessionId,
        work: impl FnOnce(&FolderStoreInner, &SessionId) -> Result<T, SessionError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let (inner, id) = (self.inner.clone(), id.clone());
        let checked = id::validate_id(&id);
        async move {
            checked?;
            blocking(move || work(&inner, &id)).await
        }
        .boxed()
    }
}

/// Runs a function on a thread that may block. The function continues when the future is dropped.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SessionError> + Send + 'static,
) -> Result<T, SessionError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(SessionError::ShuttingDown),
        },
    }
}

impl SessionStore for FolderStore {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        first: Vec<TimestampedEntry>,
    ) -> StoreFuture<'a, Box<dyn SessionWriter>> {
        self.run_blocking(id, move |inner, id| {
            let claim = inner.lock_session(id)?;
            let path = inner.journal_path(id);
            let made = JournalFile::create(&path, FORMAT).and_then(|mut file| {
                file.append(borrow_entries(&first), Durability::Synced)?;
                Ok(file)
            });
            match made {
                Ok(file) => Ok(inner.writer(id, file, claim)),
                Err(JournalError::Io { source, .. })
                    if source.kind() == ErrorKind::AlreadyExists =>
                {
                    Err(SessionError::Exists { id: id.clone() })
                }
                Err(error) => Err(SessionError::from_journal(id, error)),
            }
        })
    }

    fn open<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, OpenedSession> {
        self.run_blocking(id, |inner, id| {
            let path = inner.existing_journal(id)?;
            let claim = inner.lock_session(id)?;
            let mut history = History::new();
            let opened = open_journal(&path, claim.is_takeover(), &mut history);
            let (file, repair) = opened.map_err(|error| SessionError::from_journal(id, error))?;
            if let Some(repair) = repair {
                tracing::warn!(session = %id, "{repair}");
            }
            let writer = inner.writer(id, file, claim);
            Ok(OpenedSession::new(writer, history, repair))
        })
    }

    fn read<'a>(&'a self, id: &'a SessionId, after: Position) -> StoreFuture<'a, EntryPage> {
        self.run_blocking(id, move |inner, id| {
            let path = inner.existing_journal(id)?;
            read_page(&path, after).map_err(|error| SessionError::from_journal(id, error))
        })
    }

    fn list(&self) -> StoreFuture<'_, Vec<SessionSummary>> {
        let inner = self.inner.clone();
        blocking(move || list(&inner.folder)).boxed()
    }

    fn remove<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, ()> {
        self.run_blocking(id, |inner, id| {
            let path = inner.existing_journal(id)?;
            let claim = inner.lock_session(id)?;
            inbox::remove(&inner.inbox_path(id))?;
            let files = inner.folder.join(format!("{id}.files"));
            match fs::remove_dir_all(&files) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(SessionError::io(&files, "remove")(error));
                }
                _ => {}
            }
            fs::remove_file(&path).map_err(SessionError::io(&path, "remove"))?;
            claim.remove();
            Ok(())
        })
    }

    fn post<'a>(
        &'a self,
        id: &'a SessionId,
        posting: Posting,
        header: PostingHeader,
    ) -> StoreFuture<'a, ()> {
        self.run_blocking(id, move |inner, id| {
            inner.existing_journal(id)?;
            inbox::post(&inner.inbox_path(id), &posting, &header)
        })
    }

    fn read_postings<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<ReceivedPosting>> {
        self.run_blocking(id, |inner, id| inbox::read_postings(&inner.inbox_path(id)))
    }

    fn clear_posting<'a>(
        &'a self,
        id: &'a SessionId,
        posted: ReceivedPosting,
        refused: Option<String>,
    ) -> StoreFuture<'a, ()> {
        self.run_blocking(id, move |inner, id| {
            inbox::clear_posting(&inner.inbox_path(id), &posted, refused.as_deref())
        })
    }

    fn receipts<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<PostingReceipt>> {
        self.run_blocking(id, |inner, id| inbox::receipts(&inner.inbox_path(id)))
    }

    #[cfg(target_os = "linux")]
    fn watch(&self, session: Option<&SessionId>) -> StoreWatch {
        self.inner.changes.watch(&self.inner.folder, session)
    }

    #[cfg(not(target_os = "linux"))]
    fn watch(&self, _session: Option<&SessionId>) -> StoreWatch {
        super::changes::poll(super::POLL_INTERVAL)
    }
}

impl FolderStoreInner {
    fn journal_path(&self, id: &SessionId) -> PathBuf {
        self.folder.join(format!("{id}.jsonl"))
    }

    fn inbox_path(&self, id: &SessionId) -> PathBuf {
        self.folder.join(format!("{id}.inbox"))
    }

    fn existing_journal(&self, id: &SessionId) -> Result<PathBuf, SessionError> {
        let path = self.journal_path(id);
        if path.is_file() {
            return Ok(path);
        }
        Err(SessionError::Unknown { id: id.clone() })
    }

    /// Locks a session for this process. If this process already holds the session, a last write whose future was
    /// dropped may be about to release it; the function waits for that, up to [`RELEASE_TIMEOUT`].
    fn lock_session(&self, id: &SessionId) -> Result<WriterLock, SessionError> {
        let begun = Instant::now();
        loop {
            match self.writers.lock(id) {
                Err(JournalError::Locked {
                    holder: Some(holder),
                    ..
                }) if holder.process == std::process::id() && begun.elapsed() < RELEASE_TIMEOUT => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                claimed => return claimed.map_err(|error| SessionError::from_journal(id, error)),
            }
        }
    }

    fn writer(
        &self,
        id: &SessionId,
        file: JournalFile,
        claim: WriterLock,
    ) -> Box<dyn SessionWriter> {
        let (path, files) = (self.journal_path(id), self.files.clone());
        Box::new(FolderWriter::new(id, path, files, file, claim))
    }
}

/// Opens a journal for writing, and applies its entries to a history. A process that was stopped may have the file open
/// and locked after its lease has expired: then the journal goes on in a copy of the file, which has its name.
fn open_journal(
    path: &Path,
    is_takeover: bool,
    history: &mut History,
) -> Result<(JournalFile, Option<Repair>), JournalError> {
    let mut open = || JournalFile::open(path, FORMAT, |line| history.apply(&line));
    match open() {
        Err(JournalError::Locked { .. }) if is_takeover => {
            let copied = fs::read(path).and_then(|bytes| {
                AtomicFile::new(path, FilePermissions::OwnerOnly).replace(&[&bytes])
            });
            copied.map_err(JournalError::io(path, "copy"))?;
            open()
        }
        opened => opened,
    }
}

fn borrow_entries(entries: &[TimestampedEntry]) -> impl Iterator<Item = (Timestamp, &Entry)> {
    entries.iter().map(|(at, entry)| (*at, entry))
}

/// Reads a page of entries, up to the end. A torn line counts as the end.
fn read_page(path: &Path, after: Position) -> Result<EntryPage, JournalError> {
    let mut reader = JournalReader::open_at(path, FORMAT, after)?;
    let mut lines = Vec::new();
    let more = loop {
        if reader.position().bytes >= after.bytes + PAGE_BYTES {
            break true;
        }
        match reader.next_entry() {
            Ok(Some(line)) => lines.push(line),
            Ok(None) => break false,
            // The entries before the damage are valid: they are returned first, and the next page begins with the
            // error.
            Err(_) if !lines.is_empty() => break true,
            Err(error) => return Err(error),
        }
    };
    Ok(EntryPage::new(lines, reader.position(), more))
}

/// Lists the sessions of a folder; a folder that does not exist has none.
fn list(folder: &Path) -> Result<Vec<SessionSummary>, SessionError> {
    let failed = || SessionError::io(folder, "read");
    let files = match fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed()(error)),
    };
    let mut list = Vec::new();
    for file in files {
        let path = file.map_err(failed())?.path();
        let name = path.file_name().unwrap_or_default().to_str();
        if let Some(id) = name.unwrap_or_default().strip_suffix(".jsonl") {
            list.push(summarize(&SessionId::from(id), &path));
        }
    }
    list.sort_by(|one, other| (other.updated, &other.session).cmp(&(one.updated, &one.session)));
    Ok(list)
}

fn summarize(id: &SessionId, path: &Path) -> SessionSummary {
    match read_head_and_tail::<Entry>(path, FORMAT, SessionSummary::FIRST_ENTRIES) {
        Ok(seen) => SessionSummary::from_entries(id, &seen.first, seen.last.as_ref(), seen.bytes),
        Err(error) => SessionSummary {
            problem: Some(error.to_string()),
            ..SessionSummary::from_entries(id, &[], None, 0)
        },
    }
}
