//! A root whose paths are compared after links are resolved, for systems without `openat2`.
//!
//! This is racy: between the comparison and the open, a process that can write inside the root can replace a directory
//! with a link. [`RESOLUTION`] reports this to callers. On Unix, operations in an open folder use its descriptor.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use super::deny_rules::LocatedPath;
use super::folder::Folder;
use super::io_failure::{IoFailure, Result};
use crate::sandbox::PathResolution;

pub(super) const RESOLUTION: PathResolution = PathResolution::Canonicalised;

/// A directory below which paths are opened.
#[derive(Debug, Clone)]
pub(super) struct RootDir {
    dir: PathBuf,
}

impl RootDir {
    pub(super) fn new(path: &Path) -> Result<Self> {
        let dir = fs::canonicalize(path)?;
        fs::read_dir(&dir)?;
        Ok(Self { dir })
    }

    pub(super) fn find(&self, path: &Path) -> Result<(fs::Metadata, LocatedPath)> {
        let location = self.resolve_inside(path)?;
        Ok((fs::symlink_metadata(&location.absolute)?, location))
    }

    /// Opens a path for reading. The caller has checked that it is a regular file, and checks the opened file again.
    pub(super) fn open(&self, path: &Path) -> Result<(File, LocatedPath)> {
        let location = self.resolve_inside(path)?;
        Ok((File::open(&location.absolute)?, location))
    }

    pub(super) fn folder(&self, path: &Path) -> Result<Folder> {
        let location = self.resolve_inside(path)?;
        Folder::open_path(&location.absolute.clone(), location)
    }

    pub(super) fn escapes(&self, path: &Path) -> bool {
        matches!(self.resolve_inside(path), Err(IoFailure::Outside))
    }

    pub(super) fn read_link(&self, path: &Path) -> Option<PathBuf> {
        let parent = self.resolve_inside(path.parent()?).ok()?;
        fs::read_link(parent.absolute.join(path.file_name()?)).ok()
    }

    fn resolve_inside(&self, path: &Path) -> Result<LocatedPath> {
        let resolved = fs::canonicalize(self.dir.join(path));
        if let (Err(_), Some(parent)) = (&resolved, path.parent()) {
            // The error must not disclose whether something exists outside.
            self.resolve_inside(parent)?;
        }
        let absolute = resolved?;
        let below = absolute.strip_prefix(&self.dir);
        let below = below.map_err(|_| IoFailure::Outside)?.to_owned();
        Ok(LocatedPath { below, absolute })
    }
}

/// A folder without a link on its path. This system cannot prove that, so the type has no values.
pub(super) struct NoSymlinks<'a>(Infallible, PhantomData<&'a RootDir>);

impl<'a> NoSymlinks<'a> {
    pub(super) fn new(_: &'a RootDir, _: &Path) -> Option<Self> {
        None
    }

    pub(super) fn at(&self, _: &OsStr) -> LocatedPath {
        match self.0 {}
    }

    pub(super) fn open(&self, _: &LocatedPath) -> Option<File> {
        match self.0 {}
    }

    pub(super) fn find(&self, _: &LocatedPath) -> Option<fs::Metadata> {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{IoFailure, PathResolution, RESOLUTION, RootDir};

    #[test]
    fn what_is_inside_opens_and_what_leaves_does_not() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(dir.path().join("root/sub")).expect("folders");
        std::fs::write(dir.path().join("root/a"), "a").expect("a file");
        std::fs::write(dir.path().join("secret"), "s").expect("a file");
        let root = RootDir::new(&dir.path().join("root")).expect("a root");
        assert!(root.open(Path::new("sub/../a")).is_ok());
        let folder = root.folder(Path::new(".")).expect("a folder");
        assert_eq!(folder.names(10).expect("names").0.len(), 2);
        let (found, location) = root.find(Path::new("sub/../a")).expect("a place");
        assert!(found.is_file());
        assert_eq!(location.below, Path::new("a"));
        assert!(root.read_link(Path::new("a")).is_none());
        for leaving in ["../secret", "../absent", "sub/../../absent/x"] {
            let path = Path::new(leaving);
            let opened = root.open(path);
            assert!(matches!(opened, Err(IoFailure::Outside)), "{leaving}");
            assert!(root.escapes(path), "{leaving}");
        }
        assert_eq!(RESOLUTION, PathResolution::Canonicalised);
    }
}
