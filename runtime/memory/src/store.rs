//! Where entries are stored: the trait, and what it takes and returns.

use std::fmt;
use std::path::PathBuf;

use futures_util::future::BoxFuture;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::entry::{MemoryEntry, MemorySource};
use crate::error::MemoryError;
use crate::path::{MemoryPath, MemoryScope};

/// The future of an operation of a store.
pub type MemoryFuture<'a, T> = BoxFuture<'a, Result<T, MemoryError>>;

/// Which memory of a scope: that of one user, project, team, agent or session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryKey {
    scope: MemoryScope,
    /// The folder of the memory, relative to the root: names of letters, digits, `-` and `_`.
    folder: String,
}

impl MemoryKey {
    /// Creates the key of a memory. The principal is a digest, or nothing; the names tell memories of one
    /// scope apart.
    pub(crate) fn new(principal: Option<&str>, scope: MemoryScope, names: &[&str]) -> Self {
        let mut folder = principal.map_or_else(String::new, |name| format!("principals/{name}/"));
        folder.push_str(scope.name());
        for name in names {
            folder.push('/');
            folder.push_str(&safe_name(name));
        }
        Self { scope, folder }
    }

    /// Returns the key of a folder that a store has written down; `None` if no key has this folder.
    pub(crate) fn from_folder(scope: MemoryScope, folder: &str) -> Option<Self> {
        let is_name = |name: &str| safe_name(name) == name;
        let mut names = folder.split('/');
        let is_key = names.clone().any(|name| name == scope.name()) && names.all(is_name);
        let folder = folder.to_owned();
        is_key.then_some(Self { scope, folder })
    }

    /// Returns the scope.
    #[must_use]
    pub fn scope(&self) -> MemoryScope {
        self.scope
    }

    /// Returns the folder of the memory, relative to the root of all: an id of this key.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.folder
    }
}

/// Returns a name as it is if it can be that of a folder, and a digest of it otherwise.
fn safe_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    match (1..=64).contains(&name.len()) && name.chars().all(is_plain) {
        true => name.to_owned(),
        false => digest(name.as_bytes()),
    }
}

/// Returns the beginning of the digest of a text in hexadecimal digits.
pub(crate) fn digest(text: &[u8]) -> String {
    let bytes = Sha256::digest(text);
    let bytes = bytes.iter().take(16);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// A change of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryChange {
    /// What changes.
    pub action: MemoryAction,
    /// Who changes it.
    pub source: MemorySource,
    /// Whether the change waits until a person has accepted it.
    pub is_pending: bool,
}

/// What a change does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryAction {
    /// Writes an entry. The times of the entry are those of the store.
    Put {
        /// The path of its file.
        path: MemoryPath,
        /// The entry.
        entry: Box<MemoryEntry>,
        /// What must be true of the file.
        condition: PutCondition,
    },
    /// Deletes a file, or a folder with all that is in it. Versions of the files remain for thirty days.
    Delete {
        /// The path.
        path: MemoryPath,
    },
    /// Renames a file or a folder. Nothing is overwritten.
    Rename {
        /// The path.
        from: MemoryPath,
        /// The new path, in the same scope.
        to: MemoryPath,
    },
    /// Moves an entry to the archive, where it is not searched.
    Archive {
        /// The path of its file.
        path: MemoryPath,
    },
}

/// What must be true of a file before it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PutCondition {
    /// The file does not exist.
    New,
    /// The file has this text.
    Unchanged(String),
    /// Nothing.
    Any,
}

impl MemoryAction {
    /// Returns the path that changes.
    #[must_use]
    pub fn path(&self) -> &MemoryPath {
        match self {
            Self::Put { path, .. } | Self::Delete { path } | Self::Archive { path } => path,
            Self::Rename { from, .. } => from,
        }
    }
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryReceipt {
    /// It was made.
    Done,
    /// It waits for a review under this id.
    Pending(String),
}

/// A change that waits until a person has reviewed it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingChange {
    /// The id.
    pub id: String,
    /// The memory that it changes.
    pub key: MemoryKey,
    /// The change.
    pub change: MemoryChange,
    /// The text of the file that exists; empty if there is none.
    pub before: String,
    /// The entry that a new one replaces, which is archived with the change.
    pub replaced: Option<StoredEntry>,
}

impl PendingChange {
    /// Returns the change in the form in which a command line lists it as JSON.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let MemoryChange { action, source, .. } = &self.change;
        let (name, entry, to) = match action {
            MemoryAction::Put { entry, .. } => ("put", Some(entry), None),
            MemoryAction::Delete { .. } => ("delete", None, None),
            MemoryAction::Rename { to, .. } => ("rename", None, Some(to.id())),
            MemoryAction::Archive { .. } => ("archive", None, None),
        };
        serde_json::json!({
            "id": self.id,
            "action": name,
            "entry": action.path().id(),
            "to": to,
            "source": source,
            "before": self.before,
            "after": entry,
            "archives": self.replaced,
        })
    }
}

/// An entry with its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StoredEntry {
    /// The path of the file; its id where it is serialised.
    #[serde(rename = "id", serialize_with = "serialize_id")]
    pub path: MemoryPath,
    /// The entry.
    #[serde(flatten)]
    pub entry: MemoryEntry,
}

fn serialize_id<S: serde::Serializer>(path: &MemoryPath, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.id())
}

/// An entry that a search found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MemoryHit {
    /// The path of the file.
    pub path: MemoryPath,
    /// The entry.
    pub entry: MemoryEntry,
    /// The score, which is greater for better matches and only comparable within one search.
    pub score: f64,
    /// The part of the text that has what was asked for.
    pub snippet: String,
}

impl From<MemoryHit> for StoredEntry {
    fn from(hit: MemoryHit) -> Self {
        let MemoryHit { path, entry, .. } = hit;
        Self { path, entry }
    }
}

/// Stores entries. [`FileMemory`](crate::FileMemory) stores them in files; another store may keep them in a service, or find
/// them by their meaning.
///
/// A store does not decide who may change what: [`Memory`](crate::Memory) decides which memories a call reaches, and which
/// changes a person has to review. A store never returns what waits for a review, except from [`pending`](Self::pending).
pub trait MemoryStore: Send + Sync + fmt::Debug {
    /// Returns a folder for what is derived from the entries and can be lost, if there is one.
    fn folder(&self) -> Option<PathBuf> {
        None
    }

    /// Finds at most `limit` entries of these memories, the best first.
    ///
    /// # Errors
    /// When the store fails.
    fn search<'a>(
        &'a self,
        keys: &'a [MemoryKey],
        question: &'a str,
        limit: usize,
    ) -> MemoryFuture<'a, Vec<MemoryHit>>;

    /// Returns the entry of a path; `None` if there is none.
    ///
    /// # Errors
    /// When the path is that of a folder, or the store fails.
    fn get<'a>(
        &'a self,
        key: &'a MemoryKey,
        path: &'a MemoryPath,
    ) -> MemoryFuture<'a, Option<MemoryEntry>>;

    /// Lists all entries of a memory, in the order of their paths.
    ///
    /// # Errors
    /// When the store fails.
    fn list<'a>(&'a self, key: &'a MemoryKey) -> MemoryFuture<'a, Vec<StoredEntry>>;

    /// Makes a change, or puts it aside for a review.
    ///
    /// # Errors
    /// When the change is not possible, or the store fails. Then nothing is changed.
    fn apply<'a>(
        &'a self,
        key: &'a MemoryKey,
        change: MemoryChange,
    ) -> MemoryFuture<'a, MemoryReceipt>;

    /// Notes that these entries were recalled.
    ///
    /// # Errors
    /// When the store fails.
    fn note_use<'a>(&'a self, key: &'a MemoryKey, paths: &'a [MemoryPath]) -> MemoryFuture<'a, ()>;

    /// Lists the changes that wait for a review, the oldest first.
    ///
    /// # Errors
    /// When the store fails.
    fn pending(&self) -> MemoryFuture<'_, Vec<PendingChange>>;

    /// Makes a change that waits, or rejects it, so that the same text is not stored again. Nothing is overwritten that was
    /// not there when the change was proposed: a new entry gets a free name.
    ///
    /// # Errors
    /// When there is no such change, it is no longer possible, or the store fails.
    fn review<'a>(&'a self, id: &'a str, accept: bool) -> MemoryFuture<'a, ()>;
}
