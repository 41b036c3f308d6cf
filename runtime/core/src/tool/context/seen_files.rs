//! The file contents that an agent has seen, so that a tool does not overwrite changes that the agent has not read.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::ToolContext;
use crate::sandbox::{FileVersion, Metadata};
use crate::support::lock::Mutex;
use crate::tool::StaleWrite;

/// The maximum number of remembered files; the file that was seen least recently is forgotten first.
const MAX_FILES: usize = 4_096;

/// The file contents that the agent of a call has read or written, from [`ToolContext::files_seen`].
///
/// They are kept for the [conversation](ToolContext::conversation_state), and in the journal of its session: a file
/// that a delegate has read does not count as read by the agent that it works for, nor vice versa. Paths are absolute
/// and without links, as returned by [`SandboxFs::resolve`](crate::sandbox::SandboxFs::resolve). At most 4,096 files
/// are remembered.
#[derive(Debug)]
pub struct SeenFiles<'c> {
    cx: &'c ToolContext,
    store: Arc<SeenStore>,
}

impl ToolContext {
    /// Returns the file contents that the agent of this call has seen. A tool that changes files checks them before
    /// writing, so that a change by the user or another program is not lost.
    ///
    /// ```
    /// # extern crate helve_core as helve;
    /// use std::path::PathBuf;
    ///
    /// use helve::prelude::*;
    /// use helve::sandbox::WriteCondition;
    ///
    /// /// Sets the version in a file.
    /// #[tool(requires(fs))]
    /// async fn set_version(
    ///     /// The file.
    ///     path: PathBuf,
    ///     /// The new version.
    ///     version: String,
    ///     cx: &ToolContext,
    /// ) -> Result<(), ToolError> {
    ///     let (fs, seen) = (cx.fs()?, cx.files_seen());
    ///     let found = fs.resolve(&path).await?.absolute;
    ///     let metadata = fs.metadata(&path).await?;
    ///     // Fails as `stale_write` where the file has changed since `read_file` showed it to the model.
    ///     seen.check(&found, &metadata)?;
    ///     let condition = metadata.version.map_or(WriteCondition::Always, WriteCondition::Unchanged);
    ///     let written = fs.write(&path, version.into_bytes(), condition).await?;
    ///     seen.record(found, &written);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn files_seen(&self) -> SeenFiles<'_> {
        SeenFiles {
            cx: self,
            store: self.conversation_state().get_or_default(),
        }
    }
}

impl SeenFiles<'_> {
    /// Reports whether the agent has read or written a file.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.contents(path).is_some()
    }

    /// Checks that a file has the contents that the agent saw last. A file that the agent has not seen passes.
    ///
    /// # Errors
    ///
    /// If the contents differ, as far as the file system can tell.
    pub fn check(&self, path: &Path, now: &Metadata) -> Result<(), StaleWrite> {
        let now = ContentFingerprint::new(now);
        match self.contents(path) {
            Some(seen) if !seen.is_same(&now) => Err(StaleWrite {
                path: path.display().to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Records that the agent has seen the contents of a file, identified by its metadata.
    pub fn record(&self, path: PathBuf, metadata: &Metadata) {
        let contents = ContentFingerprint::new(metadata);
        if let Some(note) = note_name(&path) {
            self.cx.note(&note, &contents);
        }
        if let Some(oldest) = self.store.record(path, contents) {
            self.forget_note(&oldest);
        }
    }

    /// Forgets a file that was removed.
    pub fn forget(&self, path: &Path) {
        self.store.0.lock().forget(path);
        self.forget_note(path);
    }

    /// Returns the recorded contents, from this process, or from an earlier one through the journal of the session.
    fn contents(&self, path: &Path) -> Option<ContentFingerprint> {
        let seen = self.store.contents(path);
        seen.or_else(|| self.cx.read_note(&note_name(path)?))
    }

    fn forget_note(&self, path: &Path) {
        if let Some(note) = note_name(path) {
            self.cx.forget_note(&note);
        }
    }
}

/// Returns the name of the note about a file; `None` if the path is not UTF-8.
fn note_name(path: &Path) -> Option<String> {
    Some(format!("file seen: {}", path.to_str()?))
}

/// The properties that distinguish the contents of a file from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ContentFingerprint {
    version: Option<FileVersion>,
    len: u64,
    modified: Option<SystemTime>,
}

impl ContentFingerprint {
    fn new(metadata: &Metadata) -> Self {
        Self {
            version: metadata.version.clone(),
            len: metadata.len,
            modified: metadata.modified,
        }
    }

    /// Reports whether both are the same contents, as far as the file system can tell.
    fn is_same(&self, other: &Self) -> bool {
        match (&self.version, &other.version) {
            (Some(own), Some(other)) => own == other,
            _ => (self.len, self.modified) == (other.len, other.modified),
        }
    }
}

/// The files that were seen in one conversation in this process.
#[derive(Debug, Default)]
struct SeenStore(Mutex<SeenIndex>);

#[derive(Debug, Default)]
struct SeenIndex {
    files: HashMap<PathBuf, (u64, ContentFingerprint)>,
    /// The same files, ordered by the time when they were last seen.
    order: BTreeMap<u64, PathBuf>,
    next: u64,
}

impl SeenStore {
    fn contents(&self, path: &Path) -> Option<ContentFingerprint> {
        let index = self.0.lock();
        index.files.get(path).map(|(_, contents)| contents.clone())
    }

    /// Records the contents of a file; returns the file that is forgotten because there are too many.
    fn record(&self, path: PathBuf, contents: ContentFingerprint) -> Option<PathBuf> {
        let mut index = self.0.lock();
        index.forget(&path);
        let now = index.next;
        index.next += 1;
        index.order.insert(now, path.clone());
        index.files.insert(path, (now, contents));
        if index.files.len() <= MAX_FILES {
            return None;
        }
        let (_, oldest) = index.order.pop_first()?;
        index.files.remove(&oldest);
        Some(oldest)
    }
}

impl SeenIndex {
    fn forget(&mut self, path: &Path) {
        if let Some((at, _)) = self.files.remove(path) {
            self.order.remove(&at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ContentFingerprint, MAX_FILES, SeenStore};
    use crate::sandbox::{FileKind, Metadata};

    #[test]
    fn the_file_that_was_seen_longest_ago_is_forgotten() {
        let store = SeenStore::default();
        let contents = |len| ContentFingerprint::new(&Metadata::new(FileKind::File, len, None));
        for n in 0..MAX_FILES as u64 {
            store.record(format!("/{n}").into(), contents(n));
        }
        store.record("/0".into(), contents(7));
        let forgotten = store.record("/new".into(), contents(1));
        assert_eq!(forgotten.as_deref(), Some("/1".as_ref()));
        assert_eq!(store.contents("/0".as_ref()), Some(contents(7)));
        assert_eq!(store.contents("/1".as_ref()), None);
        assert_eq!(store.contents("/2".as_ref()), Some(contents(2)));
        store.0.lock().forget("/2".as_ref());
        assert_eq!(store.contents("/2".as_ref()), None);
    }
}
