//! Sessions in a folder: one journal each, and a drop folder beside it.

mod inbox;
mod writer;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;

use super::{
    EntryPage, OpenedSession, SessionStore, SessionSummary, SessionWriter, StoreFuture,
    TimestampedEntry,
};
use crate::journal::{
    Durability, JournalError, JournalFile, JournalReader, Position, Timestamp, WriterLock,
    WriterLocks, read_head_and_tail,
};
use crate::session::{Entry, FORMAT, History, Posting, ReceivedPosting, SessionError, id};
use helve_core::transcript::SessionId;
use writer::{FolderWriter, OpenFiles};

/// How many bytes of lines a page has, about.
const PAGE_BYTES: u64 = 1 << 20;
/// How long a finished write may take to release its session.
const RELEASE_TIMEOUT: Duration = Duration::from_millis(100);

/// Keeps sessions in a folder: the journal `ID.jsonl`, and the drop folder `ID.inbox_path` where something was posted.
///
/// Only the owner may look into the folder. A session is taken by a [claim](WriterLocks), which needs no open file; of the
/// journals that were written to last, a few stay open. All work on files is done where it may block.
#[derive(Debug, Clone)]
pub struct FolderStore {
    inner: Arc<FolderStoreInner>,
}

#[derive(Debug)]
struct FolderStoreInner {
    folder: PathBuf,
    writers: WriterLocks,
    files: Arc<OpenFiles>,
}

impl FolderStore {
    /// Keeps sessions in a folder, which is made when the first one is.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self {
            inner: Arc::new(FolderStoreInner {
                writers: WriterLocks::new(&folder),
                files: Arc::default(),
                folder,
            }),
        }
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// Returns the file of a session, whether or not there is one.
    ///
    /// # Errors
    /// The id could not name a file.
    pub fn file(&self, session: &SessionId) -> Result<PathBuf, SessionError> {
        id::validate_id(session)?;
        Ok(self.inner.journal_path(session))
    }

    /// Does something with files where that may block.
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

/// Runs something on a thread where it may block. It continues when its future is dropped.
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
            let opened = JournalFile::open(&path, FORMAT, |line| history.apply(&line));
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
            let _claim = inner.lock_session(id)?;
            inbox::remove(&inner.inbox_path(id))?;
            fs::remove_file(&path).map_err(SessionError::io(&path, "remove"))
        })
    }

    fn post<'a>(&'a self, id: &'a SessionId, posting: Posting) -> StoreFuture<'a, ()> {
        self.run_blocking(id, move |inner, id| {
            inner.existing_journal(id)?;
            inbox::post(&inner.inbox_path(id), &posting)
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

    /// Takes a session for this process. Where this process has it, the last write, whose future was dropped, may be
    /// about to release it: that is waited for, and no longer.
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

fn borrow_entries(entries: &[TimestampedEntry]) -> impl Iterator<Item = (Timestamp, &Entry)> {
    entries.iter().map(|(at, entry)| (*at, entry))
}

/// Reads a page of entries, and stops at the end, where a torn line counts as nothing.
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
            // What comes before the damage is good: it is shown first, and the next page begins with the error.
            Err(_) if !lines.is_empty() => break true,
            Err(error) => return Err(error),
        }
    };
    Ok(EntryPage::new(lines, reader.position(), more))
}

/// Lists the sessions of a folder; one that is not there has none.
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
