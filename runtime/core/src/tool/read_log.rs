//! The state that a call read, so that its result can be reused while that state is unchanged.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ToolContext;
use crate::sandbox::{FileVersion, Metadata};
use crate::support::lock::Mutex;

/// The maximum number of reads of one call; a call with more is not cached.
const MAX_READS: usize = 512;

/// The reads that a call reported.
#[derive(Debug, Default)]
pub struct ReadLog(Mutex<ReadLogState>);

#[derive(Debug, Default)]
struct ReadLogState {
    reads: Vec<StateRead>,
    /// Whether the call reported anything, even that it reads nothing.
    is_reported: bool,
    /// Whether the call read something whose changes cannot be observed.
    is_untracked: bool,
}

/// Something that a call read, with its version at that time.
#[derive(Clone)]
pub enum StateRead {
    /// A file.
    File {
        /// The path.
        path: PathBuf,
        /// The version that was read.
        version: FileVersion,
    },
    /// Other state, which the tool names and checks itself.
    Named {
        /// The name.
        name: Arc<str>,
        /// Reports whether the state is unchanged.
        is_unchanged: Arc<dyn Fn() -> bool + Send + Sync>,
    },
}

impl ReadLog {
    /// Returns all reads of the call; `None` if the call reported none, or if a change of one cannot be observed.
    pub fn all(&self) -> Option<Vec<StateRead>> {
        let noted = self.0.lock();
        (noted.is_reported && !noted.is_untracked).then(|| noted.reads.clone())
    }

    fn note(&self, read: Option<StateRead>) {
        let mut noted = self.0.lock();
        noted.is_reported = true;
        match read {
            Some(read) if noted.reads.len() < MAX_READS => noted.reads.push(read),
            _ => noted.is_untracked = true,
        }
    }
}

impl StateRead {
    /// Reports whether the state is unchanged.
    pub async fn is_unchanged(&self, cx: &ToolContext) -> bool {
        match self {
            Self::File { path, version } => {
                let Some(files) = cx.granted_files() else {
                    return false;
                };
                let now = files.metadata(path).await;
                now.is_ok_and(|now| now.version.as_ref() == Some(version))
            }
            Self::Named { is_unchanged, .. } => {
                catch_unwind(AssertUnwindSafe(|| is_unchanged())).unwrap_or(false)
            }
        }
    }

    /// Returns the approximate size, in bytes.
    pub fn estimated_bytes(&self) -> usize {
        match self {
            Self::File { path, version } => path.as_os_str().len() + version.as_str().len(),
            Self::Named { name, .. } => name.len(),
        }
    }
}

impl fmt::Debug for StateRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, version } => {
                f.debug_tuple("File").field(path).field(version).finish()
            }
            Self::Named { name, .. } => f.debug_tuple("Named").field(name).finish(),
        }
    }
}

/// Reports of what a [`cached`](crate::tool::ToolSpec::cached) tool reads. For other tools, they have no effect.
impl ToolContext {
    /// Records that the call reads some state, with its version and a function that returns the version at a later
    /// call.
    ///
    /// Determine the version before reading the state, so that a change in between is detected. A later call with the
    /// same arguments gets the same result as long as the version is unchanged. `now` must return immediately.
    ///
    /// ```
    /// # extern crate helve_core as helve;
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use helve::prelude::*;
    ///
    /// struct Stock { revision: Arc<AtomicU64> }
    ///
    /// /// Counts what lies in the warehouse.
    /// #[tool(read_only, cached)]
    /// fn count(stock: &Stock, cx: &ToolContext) -> u32 {
    ///     let revision = stock.revision.clone();
    ///     cx.reads("stock", revision.load(Ordering::Acquire), move || revision.load(Ordering::Acquire));
    ///     42
    /// }
    /// ```
    pub fn reads<V>(
        &self,
        what: impl Into<Arc<str>>,
        version: V,
        now: impl Fn() -> V + Send + Sync + 'static,
    ) where
        V: PartialEq + Send + Sync + 'static,
    {
        if let Some(reads) = self.noted_reads() {
            reads.note(Some(StateRead::Named {
                name: what.into(),
                is_unchanged: Arc::new(move || now() == version),
            }));
        }
    }

    /// Records that the call reads a file whose contents are identified by this metadata: that of the opened file, or
    /// metadata from before the read.
    ///
    /// Files without a version, because the file system cannot distinguish contents or because the kernel generates
    /// them, are [untracked](Self::reads_untracked).
    pub fn reads_file(&self, path: impl AsRef<Path>, metadata: &Metadata) {
        if let Some(reads) = self.noted_reads() {
            let version = metadata.version.clone().filter(|_| metadata.len > 0);
            reads.note(version.map(|version| StateRead::File {
                path: path.as_ref().to_owned(),
                version,
            }));
        }
    }

    /// Records that the result depends on the arguments alone.
    pub fn reads_nothing(&self) {
        if let Some(reads) = self.noted_reads() {
            reads.0.lock().is_reported = true;
        }
    }

    /// Records that the call reads something whose changes cannot be observed, so that its result is not reused.
    pub fn reads_untracked(&self) {
        if let Some(reads) = self.noted_reads() {
            reads.note(None);
        }
    }
}
