//! Many files, one after the other on one thread: those without a link on their path by the shortest way.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::fault::Fault;
use super::floor::Location;
use super::metadata::metadata_of;
use super::regular_file::{self, regular};
use super::roots::{End, Roots, means_folder, split};
use super::system::Straight;
use crate::sandbox::{FileVisitor, FsError, Metadata, ReadHandle};

/// Opens each file and shows it to the visitor, until that breaks off.
pub(super) fn open(roots: &Roots, paths: &[PathBuf], mut visitor: FileVisitor) {
    let mut way = Way::new(roots);
    for path in paths {
        let opened = way.open(path);
        let file = opened.map(|(file, metadata)| ReadHandle::new(metadata, file));
        let file = file.map_err(|fault| roots.explain(path, fault));
        if visitor(file).is_break() {
            return;
        }
    }
}

/// Describes what is at each path.
pub(super) fn describe(roots: &Roots, paths: &[PathBuf]) -> Vec<Result<Metadata, FsError>> {
    let mut way = Way::new(roots);
    let describe = |path: &PathBuf| {
        let found = way.find(path);
        found.map_err(|fault| roots.explain(path, fault))
    };
    paths.iter().map(describe).collect()
}

/// The way to files, which remembers the folder of the last one: the next is likely to lie beside it.
struct Way<'a> {
    roots: &'a Roots,
    folder: PathBuf,
    straight: Option<Straight<'a>>,
}

impl<'a> Way<'a> {
    fn new(roots: &'a Roots) -> Self {
        Self {
            roots,
            // No path has an empty folder, so the first one is looked for.
            folder: PathBuf::new(),
            straight: None,
        }
    }

    fn open(&mut self, path: &Path) -> Result<(File, Metadata), Fault> {
        let opened = self.straight(path, |folder, at| {
            let file = folder.open(at)?;
            let metadata = regular(&file.metadata().ok()?).ok()?;
            Some((file, metadata))
        });
        match opened {
            Some(opened) => Ok(opened),
            None => regular_file::open(self.roots, path),
        }
    }

    fn find(&mut self, path: &Path) -> Result<Metadata, Fault> {
        let found = match self.straight(path, Straight::find) {
            Some(found) => found,
            None => self.roots.find(path)?.0,
        };
        Ok(metadata_of(&found))
    }

    /// Does something with a file that lies straight below its root and is not denied.
    fn straight<T>(
        &mut self,
        path: &Path,
        work: impl FnOnce(&Straight<'a>, &Location) -> Option<T>,
    ) -> Option<T> {
        if means_folder(path) {
            return None;
        }
        let (folder, name): (&Path, &OsStr) = split(path).ok()?;
        if self.folder.as_os_str() != folder.as_os_str() {
            self.straight = self.roots.straight(folder);
            folder.clone_into(&mut self.folder);
        }
        let folder = self.straight.as_ref()?;
        let at = folder.at(name);
        self.roots.floor.read(&at).ok()?;
        self.roots.hold(path, &at, End::Target).ok()?;
        work(folder, &at)
    }
}
