//! Sessions in a folder: one journal each, and a drop folder beside it.

mod inbox;
mod list;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::{Opened, Page, SessionStore, SessionWriter, Stamped, Summary};
use crate::agent::session::{Entry, FORMAT, History, Posted, Posting, SessionError, id};
use crate::transcript::SessionId;
use crate::transcript::journal::{
    Claim, Durability, JournalError, JournalFile, JournalReader, Position, Timestamp, Writers,
};
use writer::{OpenFiles, Writer};

/// How many bytes of lines a page has, about.
const PAGE: u64 = 1 << 20;
/// How long a writing that is over may take to let go of its session.
const LETTING_GO: Duration = Duration::from_millis(100);

/// Keeps sessions in a folder: the journal `ID.jsonl`, and the drop folder `ID.inbox` where something was posted.
///
/// Only the owner may look into the folder. A session is taken by a [claim](Writers), which needs no open file; of the
/// journals that were written to last, a few stay open. All work on files is done where it may block.
#[derive(Debug, Clone)]
pub struct FolderStore {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    writers: Writers,
    files: Arc<OpenFiles>,
}

impl FolderStore {
    /// Keeps sessions in a folder, which is made when the first one is.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self {
            inner: Arc::new(Inner {
                writers: Writers::new(&folder),
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
        id::check(session)?;
        Ok(self.inner.file(session))
    }

    /// Does something with files where that may block.
    fn work<'a, T: Send + 'static>(
        &'a self,
        id: &SessionId,
        work: impl FnOnce(&Inner, &SessionId) -> Result<T, SessionError> + Send + 'static,
    ) -> BoxFuture<'a, Result<T, SessionError>> {
        let (inner, id) = (self.inner.clone(), id.clone());
        let checked = id::check(&id);
        async move {
            checked?;
            blocking(move || work(&inner, &id)).await
        }
        .boxed()
    }
}

/// Runs something on a thread where it may block. It goes on where nobody waits for it any more.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SessionError> + Send + 'static,
) -> Result<T, SessionError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(SessionError::Ending),
        },
    }
}

impl SessionStore for FolderStore {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        first: Vec<Stamped>,
    ) -> BoxFuture<'a, Result<Box<dyn SessionWriter>, SessionError>> {
        self.work(id, move |inner, id| {
            let claim = inner.claim(id)?;
            let path = inner.file(id);
            let made = JournalFile::create(&path, FORMAT).and_then(|mut file| {
                file.append(stamped(&first), Durability::Synced)?;
                Ok(file)
            });
            match made {
                Ok(file) => Ok(inner.writer(id, file, claim)),
                Err(JournalError::Io { source, .. })
                    if source.kind() == std::io::ErrorKind::AlreadyExists =>
                {
                    Err(SessionError::Exists { id: id.clone() })
                }
                Err(error) => Err(SessionError::journal(id, error)),
            }
        })
    }

    fn open<'a>(&'a self, id: &'a SessionId) -> BoxFuture<'a, Result<Opened, SessionError>> {
        self.work(id, |inner, id| {
            let path = inner.existing(id)?;
            let claim = inner.claim(id)?;
            let mut history = History::new();
            let opened = JournalFile::open(&path, FORMAT, |line| history.apply(&line));
            let (file, repair) = opened.map_err(|error| SessionError::journal(id, error))?;
            if let Some(repair) = repair {
                tracing::warn!(session = %id, "{repair}");
            }
            Ok(Opened::new(inner.writer(id, file, claim), history, repair))
        })
    }

    fn read<'a>(
        &'a self,
        id: &'a SessionId,
        after: Position,
    ) -> BoxFuture<'a, Result<Page, SessionError>> {
        self.work(id, move |inner, id| {
            let path = inner.existing(id)?;
            page(&path, after).map_err(|error| SessionError::journal(id, error))
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Summary>, SessionError>> {
        let inner = self.inner.clone();
        blocking(move || list::list(&inner.folder)).boxed()
    }

    fn remove<'a>(&'a self, id: &'a SessionId) -> BoxFuture<'a, Result<(), SessionError>> {
        self.work(id, |inner, id| {
            let path = inner.existing(id)?;
            let _claim = inner.claim(id)?;
            inbox::remove(&inner.inbox(id))?;
            std::fs::remove_file(&path).map_err(SessionError::io(&path, "removing it"))
        })
    }

    fn post<'a>(
        &'a self,
        id: &'a SessionId,
        posting: Posting,
    ) -> BoxFuture<'a, Result<(), SessionError>> {
        self.work(id, move |inner, id| {
            inner.existing(id)?;
            inbox::post(&inner.inbox(id), &posting)
        })
    }

    fn posted<'a>(&'a self, id: &'a SessionId) -> BoxFuture<'a, Result<Vec<Posted>, SessionError>> {
        self.work(id, |inner, id| inbox::posted(&inner.inbox(id)))
    }

    fn clear<'a>(
        &'a self,
        id: &'a SessionId,
        posted: Posted,
        refused: Option<String>,
    ) -> BoxFuture<'a, Result<(), SessionError>> {
        self.work(id, move |inner, id| {
            inbox::clear(&inner.inbox(id), &posted, refused.as_deref())
        })
    }
}

impl Inner {
    fn file(&self, id: &SessionId) -> PathBuf {
        self.folder.join(format!("{id}.jsonl"))
    }

    fn inbox(&self, id: &SessionId) -> PathBuf {
        self.folder.join(format!("{id}.inbox"))
    }

    fn existing(&self, id: &SessionId) -> Result<PathBuf, SessionError> {
        let path = self.file(id);
        if path.is_file() {
            return Ok(path);
        }
        Err(SessionError::Unknown { id: id.clone() })
    }

    /// Takes a session for this process. Where this process has it, the last writing that nobody waits for may be about to
    /// let go of it: that is waited for, and no longer.
    fn claim(&self, id: &SessionId) -> Result<Claim, SessionError> {
        let begun = Instant::now();
        loop {
            match self.writers.claim(id) {
                Err(JournalError::Locked {
                    holder: Some(holder),
                    ..
                }) if holder.process == std::process::id() && begun.elapsed() < LETTING_GO => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                claimed => return claimed.map_err(|error| SessionError::journal(id, error)),
            }
        }
    }

    fn writer(&self, id: &SessionId, file: JournalFile, claim: Claim) -> Box<dyn SessionWriter> {
        Box::new(Writer::new(
            id,
            self.file(id),
            self.files.clone(),
            file,
            claim,
        ))
    }
}

fn stamped(entries: &[Stamped]) -> impl Iterator<Item = (Timestamp, &Entry)> {
    entries.iter().map(|(at, entry)| (*at, entry))
}

/// Reads a page of entries, and stops at the end, where a torn line counts as nothing.
fn page(path: &Path, after: Position) -> Result<Page, JournalError> {
    let mut reader = JournalReader::open_at(path, FORMAT, after)?;
    let mut lines = Vec::new();
    loop {
        if reader.position().bytes >= after.bytes + PAGE {
            return Ok(Page {
                lines,
                next: reader.position(),
                more: true,
            });
        }
        match reader.next_entry() {
            Ok(Some(line)) => lines.push(line),
            Ok(None) => break,
            // What comes before the damage is good: it is shown first, and the next page begins with the error.
            Err(_) if !lines.is_empty() => {
                return Ok(Page {
                    lines,
                    next: reader.position(),
                    more: true,
                });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Page {
        lines,
        next: reader.position(),
        more: false,
    })
}
