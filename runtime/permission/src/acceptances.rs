//! What a person has accepted on this machine: one store for the files of projects, MCP servers and skills.
//!
//! Some text of others takes effect only once a person has seen it: what a project's files allow, what an MCP server says
//! of its tools, a skill in which a scan found something. An [`Acceptance`] names it (kind, name, origin) with the digest
//! of what was shown, by whom it was accepted and when. Whatever says something else by now is not accepted: the
//! [`Difference`] to what was accepted is shown, and accepted in its turn.

mod difference;
mod entry;
mod error;
mod record;
mod subject;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use difference::{Difference, EntryChange, EntryChangeKind};
pub use entry::{AcceptanceContent, ContentEntry, EntryKind, EntryState, digest_of_fields};
pub use error::AcceptanceError;
pub use record::{Acceptance, AcceptanceKind, AcceptanceList};
pub use subject::{AcceptanceState, AcceptanceSubject};

use helve_core::support::lock::Mutex;
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::bounded_read::read_if_exists;
use helve_storage::file_lock::FileLock;
use helve_storage::user_folders;

/// The name of the user's file.
const NAME: &str = "acceptances.json";

/// The most bytes of the file: a longer one was not written by this program.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Where it is kept what a person has accepted: a file of theirs, which no other user reads.
///
/// The file is replaced as a whole, under a lock between processes; a write that fails leaves the old one. A file that
/// cannot be read is an error, and nothing counts as accepted then. The default keeps nothing.
///
/// ```
/// use helve::acceptances::Acceptances;
///
/// let acceptances = Acceptances::in_memory();
/// assert!(acceptances.path().is_none());
/// assert!(acceptances.list()?.is_empty());
/// # Ok::<_, helve::acceptances::AcceptanceError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Acceptances(AcceptanceStorage);

#[derive(Debug, Clone, Default)]
enum AcceptanceStorage {
    /// There is no place: nothing is accepted, and nothing can be.
    #[default]
    Unavailable,
    File(Arc<PathBuf>),
    Memory(Arc<Mutex<AcceptanceList>>),
}

impl Acceptances {
    /// Names the file of the user: `helve/acceptances.json` in the folder of their data, which is `$XDG_DATA_HOME` or
    /// `~/.local/share`. `None` where there is no home folder.
    #[must_use]
    pub fn for_user() -> Option<Self> {
        let folder = user_folders::data()?.join("helve");
        Some(Self::with_path(folder.join(NAME)))
    }

    /// Names a file.
    pub fn with_path(path: impl Into<PathBuf>) -> Self {
        Self(AcceptanceStorage::File(Arc::new(path.into())))
    }

    /// Keeps acceptances for as long as the process lives.
    #[must_use]
    pub fn in_memory() -> Self {
        Self(AcceptanceStorage::Memory(Arc::default()))
    }

    /// Returns the file, where there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            AcceptanceStorage::File(path) => Some(path),
            AcceptanceStorage::Unavailable | AcceptanceStorage::Memory(_) => None,
        }
    }

    /// Returns everything that was accepted, sorted by kind, name and origin. It blocks.
    ///
    /// # Errors
    ///
    /// Fails where the file cannot be read.
    pub fn list(&self) -> Result<Vec<Acceptance>, AcceptanceError> {
        Ok(self.read()?.0)
    }

    /// Records that a person accepts what was shown to them, and nothing that has changed since. It blocks.
    ///
    /// # Errors
    ///
    /// Fails where the file cannot be read or written.
    pub fn accept(&self, shown: &Difference) -> Result<(), AcceptanceError> {
        self.record(&shown.subject, &shown.current)
    }

    /// Removes every acceptance that `is_revoked` names, and returns those. It blocks.
    ///
    /// # Errors
    ///
    /// Fails where the file cannot be read or written.
    pub fn revoke(
        &self,
        is_revoked: impl Fn(&Acceptance) -> bool,
    ) -> Result<Vec<Acceptance>, AcceptanceError> {
        if !self.read()?.0.iter().any(&is_revoked) {
            return Ok(Vec::new());
        }
        self.change(|accepted| accepted.remove(is_revoked))
    }

    /// Compares what a file says with what was accepted of it. What cannot be named is not accepted.
    #[doc(hidden)]
    pub fn state(
        &self,
        subject: Result<AcceptanceSubject, AcceptanceError>,
        content: &AcceptanceContent,
    ) -> Result<AcceptanceState, AcceptanceError> {
        let Ok(subject) = subject else {
            return Ok(AcceptanceState::Missing);
        };
        Ok(self.read()?.state(&subject, content))
    }

    /// Reports whether something can be accepted.
    pub(crate) fn is_available(&self) -> bool {
        !matches!(self.0, AcceptanceStorage::Unavailable)
    }

    /// Records that a person accepts something.
    pub(crate) fn record(
        &self,
        subject: &AcceptanceSubject,
        content: &AcceptanceContent,
    ) -> Result<(), AcceptanceError> {
        self.change(|accepted| accepted.insert(subject, content))
    }

    /// Reads everything that was accepted.
    #[doc(hidden)]
    pub fn read(&self) -> Result<AcceptanceList, AcceptanceError> {
        match &self.0 {
            AcceptanceStorage::Unavailable => Ok(AcceptanceList::default()),
            AcceptanceStorage::Memory(kept) => Ok(kept.lock().clone()),
            AcceptanceStorage::File(path) => read(path),
        }
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&mut AcceptanceList) -> T,
    ) -> Result<T, AcceptanceError> {
        let path = match &self.0 {
            AcceptanceStorage::Unavailable => return Err(AcceptanceError::NoStorage),
            AcceptanceStorage::Memory(kept) => return Ok(change(&mut kept.lock())),
            AcceptanceStorage::File(path) => path,
        };
        let cannot_write = |source| AcceptanceError::Write {
            path: path.to_path_buf(),
            source,
        };
        let _lock = FileLock::lock_parent_of(path).map_err(cannot_write)?;
        let mut accepted = read(path)?;
        let changed = change(&mut accepted);
        let text = accepted.to_json().map_err(io::Error::from);
        let file = AtomicFile::new(path, FilePermissions::OwnerOnly);
        text.and_then(|text| file.replace(&[text.as_bytes(), b"\n"]))
            .map_err(cannot_write)?;
        Ok(changed)
    }
}

/// Two are equal where they are one store.
impl PartialEq for Acceptances {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (AcceptanceStorage::Memory(one), AcceptanceStorage::Memory(other)) => {
                Arc::ptr_eq(one, other)
            }
            (AcceptanceStorage::Memory(_), _) | (_, AcceptanceStorage::Memory(_)) => false,
            _ => self.path() == other.path(),
        }
    }
}

impl Eq for Acceptances {}

fn read(path: &Path) -> Result<AcceptanceList, AcceptanceError> {
    let owned = || path.to_owned();
    let content = read_if_exists(path, MAX_FILE_BYTES);
    let content = content.map_err(|source| AcceptanceError::Read {
        path: owned(),
        source,
    })?;
    let list = content
        .map(|content| AcceptanceList::from_json(&content))
        .transpose();
    let list = list.map_err(|source| AcceptanceError::Invalid {
        path: owned(),
        source,
    })?;
    Ok(list.unwrap_or_default())
}
