//! Where it is kept what the user has approved of servers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::definition::Record;
use crate::support::atomic_file::{Access, AtomicFile};
use crate::support::bounded_read::read_if_exists;
use crate::support::file_lock::FileLock;

/// The name of the file of a user.
const NAME: &str = "approved_servers.json";

/// The most bytes of the file: what is longer was written by nobody who approved something.
const LONGEST: u64 = 64 << 20;

/// Where it is kept what the user has approved of servers: a file of theirs, which nobody else reads.
///
/// ```
/// # extern crate helve_runtime as helve;
/// use helve::mcp::Pins;
///
/// let pins = Pins::in_memory();
/// assert!(pins.path().is_none());
/// ```
#[derive(Debug, Clone)]
pub struct Pins(Place);

#[derive(Debug, Clone)]
enum Place {
    File(Arc<PathBuf>),
    Memory(Arc<Mutex<Approved>>),
}

/// What the file says: records by the key of how a server is reached.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Approved {
    #[serde(default)]
    servers: BTreeMap<String, Record>,
}

/// Says why approvals cannot be read or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinsError {
    /// The file cannot be read.
    #[error("what was approved of MCP servers cannot be read from `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file says something else.
    #[error(
        "`{}` does not say what was approved of MCP servers: remove it, and approve them again",
        path.display()
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        source: serde_json::Error,
    },
    /// The file cannot be written.
    #[error("what was approved of MCP servers cannot be written to `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

impl Pins {
    /// Names the file of the user: `helve/approved_servers.json` in the folder of configurations, which is
    /// `$XDG_CONFIG_HOME` or `~/.config`. `None` where there is no home folder.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        let configured = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        let folder = match configured.filter(|folder| folder.is_absolute()) {
            Some(folder) => folder,
            None => std::env::home_dir()?.join(".config"),
        };
        Some(Self::at(folder.join("helve").join(NAME)))
    }

    /// Names a file.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(Place::File(Arc::new(path.into())))
    }

    /// Keeps approvals for as long as the process lives.
    #[must_use]
    pub fn in_memory() -> Self {
        Self(Place::Memory(Arc::default()))
    }

    /// Returns the file, where there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            Place::File(path) => Some(path),
            Place::Memory(_) => None,
        }
    }

    /// Reads everything that was approved. It blocks.
    pub(crate) fn read(&self) -> Result<Approved, PinsError> {
        match &self.0 {
            Place::Memory(kept) => Ok(kept.lock().unwrap_or_else(PoisonError::into_inner).clone()),
            Place::File(path) => read(path),
        }
    }

    /// Notes what the user approves; what was approved of servers of that name and of another way to reach them stays.
    /// It blocks.
    pub(crate) fn approve(&self, key: String, record: Record) -> Result<(), PinsError> {
        self.change(|approved| {
            approved.servers.insert(key, record);
        })
    }

    /// Forgets what was approved of every server of this name, and says whether there was anything. It blocks.
    pub(crate) fn forget(&self, server: &str) -> Result<bool, PinsError> {
        let is_of = |record: &Record| record.server == server;
        if !self.read()?.servers.values().any(is_of) {
            return Ok(false);
        }
        self.change(|approved| approved.servers.retain(|_, record| !is_of(record)))?;
        Ok(true)
    }

    fn change(&self, change: impl FnOnce(&mut Approved)) -> Result<(), PinsError> {
        let path = match &self.0 {
            Place::Memory(kept) => {
                change(&mut kept.lock().unwrap_or_else(PoisonError::into_inner));
                return Ok(());
            }
            Place::File(path) => path,
        };
        let cannot_write = |source| PinsError::Write {
            path: path.to_path_buf(),
            source,
        };
        let _lock = FileLock::on_folder_of(path).map_err(cannot_write)?;
        let mut approved = read(path)?;
        change(&mut approved);
        let text =
            serde_json::to_string_pretty(&approved).map_err(|error| cannot_write(error.into()))?;
        AtomicFile::new(path, Access::Owner)
            .replace(&[text.as_bytes(), b"\n"])
            .map_err(cannot_write)
    }
}

impl Approved {
    /// Finds what was approved of a server that is reached so.
    pub(crate) fn of(&self, key: &str) -> Option<&Record> {
        self.servers.get(key)
    }

    /// Finds what was approved of a server of this name that was reached otherwise.
    pub(crate) fn elsewhere(&self, server: &str, key: &str) -> Option<&Record> {
        let mut others = self.servers.iter().filter(|(other, _)| *other != key);
        others
            .find(|(_, record)| record.server == server)
            .map(|(_, record)| record)
    }
}

fn read(path: &Path) -> Result<Approved, PinsError> {
    let content = read_if_exists(path, LONGEST).map_err(|source| PinsError::Read {
        path: path.to_owned(),
        source,
    })?;
    let Some(content) = content else {
        return Ok(Approved::default());
    };
    serde_json::from_slice(&content).map_err(|source| PinsError::Invalid {
        path: path.to_owned(),
        source,
    })
}
