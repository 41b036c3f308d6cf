//! Records the changes that the tools of a session make, in the history that is attached.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::history::{FileHistory, Intent};
use super::tracked_files::TrackedFiles;
use super::tracked_sandbox::TrackedSandbox;
use crate::sandbox::{FsError, LazySandbox, Sandbox, SandboxFs};
use helve_core::support::lock::Mutex;

/// Records the changes of files, and those of commands, in the [`FileHistory`] that is attached. Without one, nothing
/// is recorded. All clones share the history.
///
/// ```
/// # use helve_host::file_history::FileTracker;
/// let tracker = FileTracker::new();
/// assert!(!tracker.is_attached());
/// ```
#[derive(Debug, Clone, Default)]
pub struct FileTracker {
    shared: Arc<SharedHistory>,
}

#[derive(Debug, Default)]
struct SharedHistory {
    history: Mutex<Option<FileHistory>>,
    /// Whether a history is attached: the lock is held for as long as a scan takes.
    is_attached: AtomicBool,
}

impl FileTracker {
    /// Creates a tracker without a history.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Attaches a history, or none, in the place of the one that was attached before. That one is closed.
    pub async fn attach(&self, history: Option<FileHistory>) {
        let shared = Arc::clone(&self.shared);
        let attaching = tokio::task::spawn_blocking(move || {
            let mut attached = shared.history.lock();
            if let Some(before) = attached.as_mut() {
                before.close();
            }
            shared
                .is_attached
                .store(history.is_some(), Ordering::Release);
            *attached = history;
        });
        let _ = attaching.await;
    }

    /// Reports whether a history is attached.
    #[must_use]
    pub fn is_attached(&self) -> bool {
        self.shared.is_attached.load(Ordering::Acquire)
    }

    /// Runs a function on the attached history, on a thread that may block; `None` if there is none.
    pub async fn with_history<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut FileHistory) -> T + Send + 'static,
    ) -> Option<T> {
        if !self.is_attached() {
            return None;
        }
        let shared = Arc::clone(&self.shared);
        let done = tokio::task::spawn_blocking(move || shared.history.lock().as_mut().map(work));
        done.await.ok().flatten()
    }

    /// Returns files whose changes are recorded.
    #[must_use]
    pub fn track_files(&self, files: Arc<dyn SandboxFs>) -> Arc<dyn SandboxFs> {
        Arc::new(TrackedFiles {
            files,
            tracker: self.clone(),
        })
    }

    /// Returns a sandbox whose commands are recorded, with what they change.
    #[must_use]
    pub fn track_sandbox(&self, sandbox: Arc<LazySandbox>) -> LazySandbox {
        let (tracker, searched) = (self.clone(), Arc::clone(&sandbox));
        let tracked = LazySandbox::new(move || {
            let (tracker, sandbox) = (tracker.clone(), Arc::clone(&sandbox));
            async move {
                let sandbox = Arc::clone(sandbox.get().await?);
                let tracked: Arc<dyn Sandbox> = Arc::new(TrackedSandbox { sandbox, tracker });
                Ok(tracked)
            }
        });
        tracked.with_search_path(move || match searched.search_path() {
            helve_core::sandbox::SearchPathState::Known(path) => Some(path.clone()),
            _ => None,
        })
    }

    /// Records changes that are about to be made; `None` if no history is attached.
    pub(super) async fn begin(
        &self,
        intents: Vec<Intent>,
    ) -> Result<Option<Vec<PathBuf>>, FsError> {
        let begun = self
            .with_history(|history| history.begin_changes(intents))
            .await;
        begun.transpose().map_err(|source| FsError::Io {
            path: "the history of the files".to_owned(),
            source,
        })
    }

    pub(super) async fn end(&self, paths: Option<Vec<PathBuf>>) {
        if let Some(paths) = paths {
            self.with_history(move |history| history.end_changes(&paths))
                .await;
        }
    }
}
