//! Which contents of which files an agent has seen, so that nothing is overwritten unread.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use helve::ToolContext;
use helve::sandbox::{FileVersion, Metadata};
use serde::{Deserialize, Serialize};

/// The most files that are remembered; the one that was seen longest ago goes first.
const MAX_FILES: usize = 4_096;

/// What an agent has read and written. It is kept for its conversation: what a delegate has read, the agent that it works for
/// has not, nor the other way round.
#[derive(Debug, Default)]
struct SeenStore(Mutex<SeenIndex>);

#[derive(Debug, Default)]
struct SeenIndex {
    files: HashMap<PathBuf, (u64, ContentFingerprint)>,
    /// The same files by when they were seen last.
    order: BTreeMap<u64, PathBuf>,
    next: u64,
}

/// What distinguishes the contents of a file from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ContentFingerprint {
    version: Option<FileVersion>,
    len: u64,
    modified: Option<SystemTime>,
}

impl ContentFingerprint {
    /// Notes the contents that a description is about.
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            version: metadata.version.clone(),
            len: metadata.len,
            modified: metadata.modified,
        }
    }

    /// Returns the version, where the file system reports it.
    pub(super) fn version(&self) -> Option<&FileVersion> {
        self.version.as_ref()
    }

    /// Reports whether these are the same contents, as far as the file system shows.
    pub(super) fn are(&self, other: &Self) -> bool {
        match (&self.version, &other.version) {
            (Some(own), Some(other)) => own == other,
            _ => (self.len, self.modified) == (other.len, other.modified),
        }
    }
}

/// What the agent of a call has seen: in this process, and before as far as the session has noted it.
#[derive(Debug)]
pub(super) struct SeenFiles<'c> {
    cx: &'c ToolContext,
    seen: Arc<SeenStore>,
}

impl<'c> SeenFiles<'c> {
    /// Returns what the agent has seen that makes a call.
    pub(super) fn from_context(cx: &'c ToolContext) -> Self {
        let seen = cx.conversation_state().get_or_default();
        Self { cx, seen }
    }

    /// Returns the contents of a file that were seen last; `place` is where its path leads.
    pub(super) fn contents(&self, place: &Path) -> Option<ContentFingerprint> {
        let seen = self.seen.contents(place);
        seen.or_else(|| self.cx.read_note(&note(place)?))
    }

    /// Remembers the contents of a file.
    pub(super) fn remember(&self, place: PathBuf, contents: ContentFingerprint) {
        if let Some(note) = note(&place) {
            self.cx.note(&note, &contents);
        }
        let oldest = self.seen.remember(place, contents);
        self.forget_note(oldest.as_deref());
    }

    /// Forgets a file that is gone.
    pub(super) fn forget(&self, place: &Path) {
        self.seen.forget(place);
        self.forget_note(Some(place));
    }

    fn forget_note(&self, place: Option<&Path>) {
        if let Some(note) = place.and_then(note) {
            self.cx.forget_note(&note);
        }
    }
}

/// Names the note about a file; none where its path is no text.
fn note(place: &Path) -> Option<String> {
    Some(format!("file seen: {}", place.to_str()?))
}

impl SeenStore {
    fn contents(&self, place: &Path) -> Option<ContentFingerprint> {
        let memory = self.memory();
        memory
            .files
            .get(place)
            .map(|(_, contents)| contents.clone())
    }

    /// Remembers the contents of a file; returns the one that goes for it, where there are too many.
    fn remember(&self, place: PathBuf, contents: ContentFingerprint) -> Option<PathBuf> {
        let mut memory = self.memory();
        memory.forget(&place);
        let now = memory.next;
        memory.next += 1;
        memory.order.insert(now, place.clone());
        memory.files.insert(place, (now, contents));
        if memory.files.len() <= MAX_FILES {
            return None;
        }
        let (_, oldest) = memory.order.pop_first()?;
        memory.files.remove(&oldest);
        Some(oldest)
    }

    fn forget(&self, place: &Path) {
        self.memory().forget(place);
    }

    fn memory(&self) -> MutexGuard<'_, SeenIndex> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SeenIndex {
    fn forget(&mut self, place: &Path) {
        if let Some((at, _)) = self.files.remove(place) {
            self.order.remove(&at);
        }
    }
}

#[cfg(test)]
mod tests {
    use helve::sandbox::{FileKind, Metadata};

    use super::{ContentFingerprint, MAX_FILES, SeenStore};

    #[test]
    fn remembers_so_many_files() {
        let seen = SeenStore::default();
        let contents =
            |len| ContentFingerprint::from_metadata(&Metadata::new(FileKind::File, len, None));
        for n in 0..MAX_FILES as u64 {
            seen.remember(format!("/{n}").into(), contents(n));
        }
        seen.remember("/0".into(), contents(7));
        seen.remember("/new".into(), contents(1));
        assert_eq!(seen.contents("/0".as_ref()), Some(contents(7)));
        assert_eq!(seen.contents("/1".as_ref()), None);
        assert_eq!(seen.contents("/2".as_ref()), Some(contents(2)));
        seen.forget("/2".as_ref());
        assert_eq!(seen.contents("/2".as_ref()), None);
    }
}
