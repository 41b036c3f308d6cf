//! The store of Markdown files.

mod changes;
mod disk;
mod index;
mod pending;
mod review;
#[cfg(test)]
mod tests;
mod usage;
mod versions;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve_results::Redactor;
use helve_storage::file_lock::FileLock;
use helve_storage::timestamp::Timestamp;

use self::index::FileIndex;
use self::usage::Usage;
use self::versions::Versions;
use crate::entry::MemoryEntry;
use crate::error::MemoryError;
use crate::front_matter;
use crate::path::MemoryPath;
use crate::store::{
    MemoryChange, MemoryFuture, MemoryHit, MemoryKey, MemoryReceipt, MemoryStore, PendingChange,
    StoredEntry,
};

/// The size of the largest file of the memory on disk, in bytes: its text, and its front matter.
const MAX_DISK_BYTES: usize = FileMemory::MAX_TEXT_BYTES + (16 << 10);

/// A memory of Markdown files, which a person can read and edit.
///
/// A file is an entry: front matter, then the text. What a model wrote after it had read text from outside is not among the
/// files until a person has accepted it. Earlier versions remain for thirty days.
///
/// The files are the truth. An index of their words is brought up to date by each search, and can be removed at any time.
#[derive(Debug, Clone)]
pub struct FileMemory(Arc<Files>);

#[derive(Debug)]
struct Files {
    root: PathBuf,
    index: FileIndex,
    redactor: Redactor,
}

impl FileMemory {
    /// The size of the largest text of an entry: 64 KiB.
    pub const MAX_TEXT_BYTES: usize = 64 << 10;

    /// The greatest number of files of one memory.
    pub const MAX_FILES: usize = 256;

    /// The greatest size of one memory: 2 MiB.
    pub const MAX_BYTES: u64 = 2 << 20;

    /// Creates a store of the files below a folder. Nothing is read or created yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let index = root.join(".index");
        Self::with_index(root, index)
    }

    /// Creates a store of the files below a folder, with the index of words in another folder, such as that of other
    /// indexes.
    pub fn with_index(root: impl Into<PathBuf>, index: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Files {
            root: root.into(),
            index: FileIndex::new(index.into()),
            redactor: Redactor::new(),
        }))
    }

    /// Returns the folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// Returns the file of a path.
    #[must_use]
    pub fn file(&self, key: &MemoryKey, path: &MemoryPath) -> PathBuf {
        self.0.file(key, path)
    }

    /// Runs work on the files on a thread that may block.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Files) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let files = Arc::clone(&self.0);
        let done = tokio::task::spawn_blocking(move || work(&files)).await;
        done.unwrap_or(Err(MemoryError::Stopped))
    }

    /// Archives the entries of memories that were not used for long, and removes old versions; once a week.
    ///
    /// # Errors
    /// Fails if files cannot be read or written.
    pub async fn maintain(&self, keys: &[MemoryKey]) -> Result<usize, MemoryError> {
        let keys = keys.to_vec();
        self.run(move |files| files.maintain(&keys, Timestamp::now()))
            .await
    }

    /// Lists the entries in the archive of a memory.
    ///
    /// # Errors
    /// Fails if files cannot be read.
    pub async fn archived(&self, key: &MemoryKey) -> Result<Vec<StoredEntry>, MemoryError> {
        let key = key.clone();
        self.run(move |files| files.list(&key, &files.archive_folder(&key)))
            .await
    }

    /// Lists the earlier versions of a file: the time of each change, what it was, and the digest of the text before it.
    ///
    /// # Errors
    /// Fails if files cannot be read.
    pub async fn versions(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
    ) -> Result<Vec<(Timestamp, String, String)>, MemoryError> {
        let file = relative(key, path);
        let read = move |files: &Files| {
            let lines = files.versions_of(&file)?;
            let lines = lines.into_iter();
            Ok(lines
                .map(|line| (line.time, line.change, line.digest))
                .collect())
        };
        self.run(read).await
    }

    /// Reads the text that a file had before a change.
    ///
    /// # Errors
    /// Fails if files cannot be read.
    pub async fn version(&self, digest: &str) -> Result<Option<MemoryEntry>, MemoryError> {
        let digest = digest.to_owned();
        let read = move |files: &Files| {
            let folder = files.folder(".versions");
            let text = Versions(&folder).load(&digest)?;
            Ok(text.map(|text| front_matter::parse(&text)))
        };
        self.run(read).await
    }
}

/// Returns the path of a file relative to the root.
fn relative(key: &MemoryKey, path: &MemoryPath) -> String {
    let mut text = key.folder().to_owned();
    for name in path.names() {
        text.push('/');
        text.push_str(name);
    }
    text
}

impl Files {
    fn folder(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn key_folder(&self, key: &MemoryKey) -> PathBuf {
        self.root.join(key.folder())
    }

    fn archive_folder(&self, key: &MemoryKey) -> PathBuf {
        self.root.join(".archive").join(key.folder())
    }

    fn file(&self, key: &MemoryKey, path: &MemoryPath) -> PathBuf {
        let names = path.names().iter();
        names.fold(self.key_folder(key), |folder, name| folder.join(name))
    }

    /// Locks the memory against changes of other processes.
    fn lock(&self) -> Result<FileLock, MemoryError> {
        let inside = self.root.join("lock");
        disk::create_parent(&inside)?;
        FileLock::lock_parent_of(&inside).map_err(MemoryError::io(&self.root))
    }

    /// Checks that no link leads out of the memory on the way to a path.
    fn check_way(&self, key: &MemoryKey, path: &MemoryPath) -> Result<(), MemoryError> {
        let file = self.file(key, path);
        let below = file.strip_prefix(&self.root).unwrap_or(&file);
        let folder = below.parent().unwrap_or(Path::new(""));
        disk::check_folders(&self.root, folder)
    }

    fn get(&self, key: &MemoryKey, path: &MemoryPath) -> Result<Option<MemoryEntry>, MemoryError> {
        self.check_way(key, path)?;
        let file = self.file(key, path);
        if disk::inspect(&file)?.is_some_and(|found| found.is_dir()) {
            let path = path.clone();
            return Err(MemoryError::IsFolder { path });
        }
        let text = disk::read(&file, MAX_DISK_BYTES)?;
        Ok(text.map(|text| front_matter::parse(&text)))
    }

    /// Lists the entries in a folder, which is that of a memory or of its archive.
    fn list(&self, key: &MemoryKey, folder: &Path) -> Result<Vec<StoredEntry>, MemoryError> {
        let below = folder.strip_prefix(&self.root).unwrap_or(folder);
        disk::check_folders(&self.root, below)?;
        let mut entries = Vec::new();
        for file in disk::walk(folder)? {
            let Some(path) = path_of(key, &file.path) else {
                continue;
            };
            // One file that cannot be read does not make the others unreadable.
            match disk::read(&folder.join(&file.path), MAX_DISK_BYTES) {
                Ok(Some(text)) => {
                    let entry = front_matter::parse(&text);
                    entries.push(StoredEntry { path, entry });
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "an entry of the memory cannot be read"),
            }
        }
        Ok(entries)
    }

    fn versions_of(&self, file: &str) -> Result<Vec<versions::LogLine>, MemoryError> {
        let folder = self.folder(".versions");
        let mut lines = Versions(&folder).lines()?;
        lines.retain(|line| line.file == file || line.to == file);
        Ok(lines)
    }

    fn note_use(
        &self,
        key: &MemoryKey,
        paths: &[MemoryPath],
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        let _lock = self.lock()?;
        let file = self.folder(".usage.json");
        let mut usage = Usage::load(&file)?;
        for path in paths {
            usage.note(&relative(key, path), now);
        }
        usage.save(&file)
    }
}

/// Returns the path of a file below the folder of a memory; `None` if its name is none of a memory.
fn path_of(key: &MemoryKey, below: &Path) -> Option<MemoryPath> {
    let text = format!("{}/{}", key.scope(), below.to_str()?);
    let path = MemoryPath::parse(&text, key.scope()).ok()?;
    // A name in another normal form would be read as that of another file.
    (path.names().join("/") == below.to_str()?).then_some(path)
}

impl MemoryStore for FileMemory {
    fn folder(&self) -> Option<PathBuf> {
        Some(self.0.index.folder().to_owned())
    }

    fn search<'a>(
        &'a self,
        keys: &'a [MemoryKey],
        question: &'a str,
        limit: usize,
    ) -> MemoryFuture<'a, Vec<MemoryHit>> {
        let (keys, question) = (keys.to_vec(), question.to_owned());
        Box::pin(self.run(move |files| files.search(&keys, &question, limit)))
    }

    fn get<'a>(
        &'a self,
        key: &'a MemoryKey,
        path: &'a MemoryPath,
    ) -> MemoryFuture<'a, Option<MemoryEntry>> {
        let (key, path) = (key.clone(), path.clone());
        Box::pin(self.run(move |files| files.get(&key, &path)))
    }

    fn list<'a>(&'a self, key: &'a MemoryKey) -> MemoryFuture<'a, Vec<StoredEntry>> {
        let key = key.clone();
        Box::pin(self.run(move |files| files.list(&key, &files.key_folder(&key))))
    }

    fn apply<'a>(
        &'a self,
        key: &'a MemoryKey,
        change: MemoryChange,
    ) -> MemoryFuture<'a, MemoryReceipt> {
        let key = key.clone();
        Box::pin(self.run(move |files| files.apply(&key, &change, Timestamp::now())))
    }

    fn note_use<'a>(&'a self, key: &'a MemoryKey, paths: &'a [MemoryPath]) -> MemoryFuture<'a, ()> {
        let (key, paths) = (key.clone(), paths.to_vec());
        Box::pin(self.run(move |files| files.note_use(&key, &paths, Timestamp::now())))
    }

    fn pending(&self) -> MemoryFuture<'_, Vec<PendingChange>> {
        Box::pin(self.run(Files::pending))
    }

    fn review<'a>(&'a self, id: &'a str, accept: bool) -> MemoryFuture<'a, ()> {
        let id = id.to_owned();
        Box::pin(self.run(move |files| files.review(&id, accept, Timestamp::now())))
    }
}
