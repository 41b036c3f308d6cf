//! Files whose changes are recorded in the history.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::history::Intent;
use super::state::EntryState;
use super::tracker::FileTracker;
use crate::sandbox::{
    Change, FileSlice, FileVisitor, FsError, FsFuture, JudgedPaths, Listing, Metadata,
    PathLocation, PathResolution, ReadHandle, ReadRange, ResolvedPath, SandboxFs, WriteCondition,
};

#[derive(Debug)]
pub(super) struct TrackedFiles {
    pub(super) files: Arc<dyn SandboxFs>,
    pub(super) tracker: FileTracker,
}

impl TrackedFiles {
    async fn intents(&self, changes: &[Change]) -> Result<Vec<Intent>, FsError> {
        let mut intents = Vec::with_capacity(changes.len());
        for change in changes {
            intents.push(match change {
                Change::Write {
                    path,
                    bytes,
                    condition,
                } => {
                    let location = self.files.locate(path).await?;
                    let place = match condition {
                        WriteCondition::Absent => location.entry,
                        _ => location.target,
                    };
                    Intent::Set(place, EntryState::from_bytes(bytes))
                }
                Change::Remove { path, .. } => Intent::Remove(self.files.locate(path).await?.entry),
                Change::Rename { from, to, .. } => Intent::Move(
                    self.files.locate(from).await?.entry,
                    self.files.locate(to).await?.entry,
                ),
            });
        }
        Ok(intents)
    }

    /// Records changes, makes them, and records what is there then.
    async fn recorded<T>(
        &self,
        intents: Vec<Intent>,
        change: FsFuture<'_, T>,
    ) -> Result<T, FsError> {
        let begun = self.tracker.begin(intents).await?;
        let done = change.await;
        self.tracker.end(begun).await;
        done
    }
}

impl SandboxFs for TrackedFiles {
    fn roots(&self) -> &[PathBuf] {
        self.files.roots()
    }

    fn resolution(&self) -> PathResolution {
        self.files.resolution()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ResolvedPath> {
        self.files.resolve(path)
    }

    fn locate<'a>(&'a self, path: &'a Path) -> FsFuture<'a, PathLocation> {
        self.files.locate(path)
    }

    fn with_judged_paths(&self, judged: Arc<JudgedPaths>) -> Option<Arc<dyn SandboxFs>> {
        let files = self.files.with_judged_paths(judged)?;
        Some(self.tracker.track_files(files))
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Metadata> {
        self.files.metadata(path)
    }

    fn read<'a>(&'a self, path: &'a Path, range: ReadRange) -> FsFuture<'a, FileSlice> {
        self.files.read(path, range)
    }

    fn open<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ReadHandle> {
        self.files.open(path)
    }

    fn open_each<'a>(&'a self, paths: Vec<PathBuf>, visitor: FileVisitor) -> FsFuture<'a, ()> {
        self.files.open_each(paths, visitor)
    }

    fn metadata_each<'a>(
        &'a self,
        paths: Vec<PathBuf>,
    ) -> FsFuture<'a, Vec<Result<Metadata, FsError>>> {
        self.files.metadata_each(paths)
    }

    fn read_dir<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Listing> {
        self.files.read_dir(path)
    }

    fn apply(&self, changes: Vec<Change>) -> FsFuture<'_, Vec<Metadata>> {
        Box::pin(async move {
            if !self.tracker.is_attached() {
                return self.files.apply(changes).await;
            }
            let intents = self.intents(&changes).await?;
            self.recorded(intents, self.files.apply(changes)).await
        })
    }

    fn create_dir<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ()> {
        Box::pin(async move {
            if !self.tracker.is_attached() {
                return self.files.create_dir(path).await;
            }
            let place = self.files.locate(path).await?.target;
            let folder = Intent::Set(place, EntryState::Folder { mode: None });
            self.recorded(vec![folder], self.files.create_dir(path))
                .await
        })
    }

    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ()> {
        Box::pin(async move {
            if !self.tracker.is_attached() {
                return self.files.remove_dir_all(path).await;
            }
            let folder = Intent::Remove(self.files.locate(path).await?.entry);
            self.recorded(vec![folder], self.files.remove_dir_all(path))
                .await
        })
    }

    fn pack<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Box<dyn Read + Send>> {
        self.files.pack(path)
    }

    fn unpack<'a>(&'a self, path: &'a Path, archive: Box<dyn Read + Send>) -> FsFuture<'a, ()> {
        Box::pin(async move {
            // What an archive writes is found as the changes of a command are.
            let id = format!("unpack {}", path.display());
            let started = id.clone();
            self.tracker
                .with_history(move |history| history.command_started(&started, &started))
                .await;
            let done = self.files.unpack(path, archive).await;
            self.tracker
                .with_history(move |history| history.command_ended(&id))
                .await;
            done
        })
    }
}
