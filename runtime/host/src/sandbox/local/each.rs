//! Operations on many files, sequentially on one thread, with a fast path for files without a link on their path.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::deny_rules::LocatedPath;
use super::io_failure::Result;
use super::metadata::metadata_of;
use super::regular_file::{self, require_regular};
use super::roots::{Roots, names_a_folder, split};
use super::system::NoSymlinks;
use crate::sandbox::{FileVisitor, FsError, Metadata, ReadHandle};

/// Opens each file and passes it to the visitor, until the visitor stops.
pub(super) fn open_each(roots: &Roots, paths: &[PathBuf], mut visitor: FileVisitor) {
    let mut way = BatchOpener::new(roots);
    for path in paths {
        let opened = way.open(path);
        let file = opened.map(|(file, metadata)| ReadHandle::new(metadata, file));
        let file = file.map_err(|fault| roots.explain(path, fault));
        if visitor(file).is_break() {
            return;
        }
    }
}

/// Describes the file at each path.
pub(super) fn describe_each(roots: &Roots, paths: &[PathBuf]) -> Vec<Result<Metadata, FsError>> {
    let mut way = BatchOpener::new(roots);
    let describe = |path: &PathBuf| {
        let found = way.find(path);
        found.map_err(|fault| roots.explain(path, fault))
    };
    paths.iter().map(describe).collect()
}

/// Opens files, and caches the folder of the last file: the next file is likely to be in the same folder.
struct BatchOpener<'a> {
    roots: &'a Roots,
    folder: PathBuf,
    no_symlinks: Option<NoSymlinks<'a>>,
}

impl<'a> BatchOpener<'a> {
    fn new(roots: &'a Roots) -> Self {
        Self {
            roots,
            // No path has an empty parent, so the first folder is always opened.
            folder: PathBuf::new(),
            no_symlinks: None,
        }
    }

    fn open(&mut self, path: &Path) -> Result<(File, Metadata)> {
        let opened = self.no_symlinks(path, |folder, at| {
            let file = folder.open(at)?;
            let metadata = require_regular(&file.metadata().ok()?).ok()?;
            Some((file, metadata))
        });
        opened.map_or_else(|| regular_file::open(self.roots, path), Ok)
    }

    fn find(&mut self, path: &Path) -> Result<Metadata> {
        let found = match self.no_symlinks(path, NoSymlinks::find) {
            Some(found) => found,
            None => self.roots.find(path)?.0,
        };
        Ok(metadata_of(&found))
    }

    /// Runs `work` on a file that has no link on its path and is not denied.
    fn no_symlinks<T>(
        &mut self,
        path: &Path,
        work: impl FnOnce(&NoSymlinks<'a>, &LocatedPath) -> Option<T>,
    ) -> Option<T> {
        if names_a_folder(path) {
            return None;
        }
        let (folder, name): (&Path, &OsStr) = split(path).ok()?;
        if self.folder.as_os_str() != folder.as_os_str() {
            self.no_symlinks = self.roots.no_symlinks(folder);
            folder.clone_into(&mut self.folder);
        }
        let folder = self.no_symlinks.as_ref()?;
        let at = folder.at(name);
        self.roots.check_readable(path, &at).ok()?;
        work(folder, &at)
    }
}
