//! The store of what a user has accepted on this machine: files of projects, MCP servers and skills.
//!
//! Content from outside sources takes effect only after a user has reviewed it: the rules that a project's files allow,
//! the tool descriptions of an MCP server, a skill with scan findings. An [`Acceptance`] records the kind, name and
//! origin of the content, the digest of what was shown, the user who accepted it, and the time. Content whose digest
//! has changed since then is not accepted: its [`Difference`] from the accepted content is shown, and has to be
//! accepted again.

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

/// The name of the user's acceptance file.
const NAME: &str = "acceptances.json";

/// The maximum size of the file, in bytes. A longer file was not written by this program.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The store of acceptances: a file of the user that no other user can read.
///
/// The file is replaced as a whole, under a lock between processes; a failed write leaves the old file in place. A file
/// that cannot be read is an error, and then nothing counts as accepted. The default store stores nothing.
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
    /// No storage is available: nothing is accepted, and nothing can be accepted.
    #[default]
    Unavailable,
    File(Arc<PathBuf>),
    Memory(Arc<Mutex<AcceptanceList>>),
}

impl Acceptances {
    /// Returns the store in the user's data folder: `helve/acceptances.json` in `$XDG_DATA_HOME` or `~/.local/share`.
    /// Returns `None` if there is no home folder.
    #[must_use]
    pub fn for_user() -> Option<Self> {
        let folder = user_folders::data()?.join("helve");
        Some(Self::with_path(folder.join(NAME)))
    }

    /// Creates a store that uses the file at `path`.
    pub fn with_path(path: impl Into<PathBuf>) -> Self {
        Self(AcceptanceStorage::File(Arc::new(path.into())))
    }

    /// Creates a store that keeps acceptances in memory, for the lifetime of the process.
    #[must_use]
    pub fn in_memory() -> Self {
        Self(AcceptanceStorage::Memory(Arc::default()))
    }

    /// Returns the path of the file, or `None` if the store has no file.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            AcceptanceStorage::File(path) => Some(path),
            AcceptanceStorage::Unavailable | AcceptanceStorage::Memory(_) => None,
        }
    }

    /// Returns all acceptances, sorted by kind, name and origin. Blocks on file access.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn list(&self) -> Result<Vec<Acceptance>, AcceptanceError> {
        Ok(self.read()?.0)
    }

    /// Records that the user accepts the content in `shown`. Later changes of the content are not accepted. Blocks on
    /// file access.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or written.
    pub fn accept(&self, shown: &Difference) -> Result<(), AcceptanceError> {
        self.record(&shown.subject, &shown.current)
    }

    /// Removes every acceptance for which `is_revoked` returns true, and returns the removed acceptances. Blocks on
    /// file access.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or written.
    pub fn revoke(
        &self,
        is_revoked: impl Fn(&Acceptance) -> bool,
    ) -> Result<Vec<Acceptance>, AcceptanceError> {
        if !self.read()?.0.iter().any(&is_revoked) {
            return Ok(Vec::new());
        }
        self.change(|accepted| accepted.remove(is_revoked))
    }

    /// Compares the current content of a file with the accepted content. A subject that cannot be named is not
    /// accepted.
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

    /// Reports whether acceptances can be stored.
    pub(crate) fn is_available(&self) -> bool {
        !matches!(self.0, AcceptanceStorage::Unavailable)
    }

    /// Records an acceptance.
    pub(crate) fn record(
        &self,
        subject: &AcceptanceSubject,
        content: &AcceptanceContent,
    ) -> Result<(), AcceptanceError> {
        self.change(|accepted| accepted.insert(subject, content))
    }

    /// Reads all acceptances.
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

/// Two values are equal if they refer to the same store.
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
