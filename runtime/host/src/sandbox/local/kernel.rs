//! A root whose paths are resolved by the kernel: `openat2` on Linux.

use std::fs::{self, File};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2, readlinkat};
use rustix::io::Errno;

use super::apply::in_stash;
use super::deny_rules::LocatedPath;
use super::folder::{Folder, OPEN_FLAGS};
use super::io_failure::{IoFailure, Result};
use crate::sandbox::PathResolution;

pub(super) use super::no_symlinks::NoSymlinks;

pub(super) const RESOLUTION: PathResolution = PathResolution::Kernel;

/// The greatest number of attempts of an open while files on its path are renamed.
const MAX_ATTEMPTS: usize = 128;

/// A directory below which paths are opened; it stays the same directory when it is renamed.
#[derive(Debug, Clone)]
pub(super) struct RootDir {
    dir: Arc<OwnedFd>,
    /// The path when the directory was opened, for a system that cannot report the current path.
    opened_at: PathBuf,
}

impl RootDir {
    /// Opens a directory and checks that the kernel can confine paths to it.
    pub(super) fn new(path: &Path) -> Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = openat(CWD, path, flags, Mode::empty()).map_err(IoFailure::from_open_error)?;
        let root = Self {
            dir: Arc::new(dir),
            opened_at: fs::canonicalize(path)?,
        };
        // The directory is open already, so an error concerns `openat2`, not the directory.
        match root.open_beneath(Path::new("."), OFlags::PATH) {
            Ok(_) => Ok(root),
            Err(error) => Err(IoFailure::Unsupported(error.into())),
        }
    }

    /// Returns the metadata of the file at a path, without opening it: opening a pipe or a device has side effects.
    pub(super) fn find(&self, path: &Path) -> Result<(fs::Metadata, LocatedPath)> {
        let (at, location) = self.open_located(path, OFlags::PATH)?;
        Ok((File::from(at).metadata()?, location))
    }

    /// Opens a path for reading without blocking. The caller checks the type of the opened file.
    pub(super) fn open(&self, path: &Path) -> Result<(File, LocatedPath)> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let (file, location) = self.open_located(path, flags)?;
        Ok((file.into(), location))
    }

    pub(super) fn folder(&self, path: &Path) -> Result<Folder> {
        let (folder, location) = self.open_located(path, OPEN_FLAGS | OFlags::DIRECTORY)?;
        Ok(Folder::new(folder, location))
    }

    /// Reports whether a path leads out of this directory.
    pub(super) fn escapes(&self, path: &Path) -> bool {
        self.open_beneath(path, OFlags::PATH).err() == Some(Errno::XDEV)
    }

    /// Opens a path and returns its location. A file that is being replaced has no name and is opened again.
    fn open_located(&self, path: &Path, flags: OFlags) -> Result<(OwnedFd, LocatedPath)> {
        for _ in 0..MAX_ATTEMPTS {
            let at = self
                .open_beneath(path, flags)
                .map_err(IoFailure::from_open_error)?;
            match self.location(path, &at) {
                Err(fault) if fault.is_absence() => std::thread::yield_now(),
                result => return Ok((at, result?)),
            }
        }
        Err(Errno::NOENT.into())
    }

    /// Returns the location of an open file: the path below this root, and the absolute path.
    fn location(&self, path: &Path, at: &OwnedFd) -> Result<LocatedPath> {
        // The kernel adds a suffix to the name of a deleted file, which must not be taken for a part of the name.
        if rustix::fs::fstat(at)?.st_nlink == 0 {
            return Err(Errno::NOENT.into());
        }
        let (root, absolute) = match (proc_path(&self.dir), proc_path(at)) {
            (Ok(root), Ok(absolute)) => (root, absolute),
            _ => (self.opened_at.clone(), self.find_path_by_walking(path, at)?),
        };
        match absolute.strip_prefix(root) {
            Ok(below) if in_stash(below) => Err(Errno::NOENT.into()),
            Ok(below) => Ok(LocatedPath {
                below: below.to_owned(),
                absolute,
            }),
            // The file was moved out of the root since it was opened.
            Err(_) => Err(IoFailure::Outside),
        }
    }

    /// Finds the name of an open file by walking its path, if there is no `/proc`, as in an empty root. The result is
    /// verified to be the same file, as files may have been renamed meanwhile.
    fn find_path_by_walking(&self, path: &Path, at: &OwnedFd) -> Result<PathBuf> {
        let absolute = fs::canonicalize(self.opened_at.join(path))?;
        let (found, open) = (rustix::fs::stat(&absolute)?, rustix::fs::fstat(at)?);
        if (found.st_dev, found.st_ino) == (open.st_dev, open.st_ino) {
            Ok(absolute)
        } else {
            Err(IoFailure::Outside)
        }
    }

    /// Opens a path without links, so that the path itself is the location of the file.
    pub(super) fn open_no_symlinks(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let flags = flags | OFlags::CLOEXEC;
        openat2(&*self.dir, path, flags, Mode::empty(), resolve)
    }

    pub(super) fn absolute(&self) -> PathBuf {
        proc_path(&self.dir).unwrap_or_else(|_| self.opened_at.clone())
    }

    /// Reads the symbolic link at a path, if it is one.
    pub(super) fn read_link(&self, path: &Path) -> Option<PathBuf> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW;
        let at = self.open_beneath(path, flags).ok()?;
        let target = readlinkat(&at, "", Vec::new()).ok()?;
        Some(std::ffi::OsString::from_vec(target.into_bytes()).into())
    }

    /// Opens a path below this directory. This is the only place where a path is passed to the file system.
    fn open_beneath(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let flags = flags | OFlags::CLOEXEC;
        for _ in 0..MAX_ATTEMPTS {
            match openat2(&*self.dir, path, flags, Mode::empty(), resolve) {
                // The kernel could not exclude that a rename caused a `..` to lead outside.
                Err(Errno::AGAIN | Errno::INTR) => std::thread::yield_now(),
                result => return result,
            }
        }
        Err(Errno::AGAIN)
    }
}

fn proc_path(file: &OwnedFd) -> Result<PathBuf> {
    let link = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(fs::read_link(link)?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{OFlags, RootDir, proc_path};

    #[test]
    fn a_walk_finds_what_proc_reports() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        fs::write(folder.path().join("inner/file"), "").unwrap();
        std::os::unix::fs::symlink("inner", folder.path().join("link")).unwrap();
        let root = RootDir::new(folder.path()).unwrap();
        for path in [".", "inner", "link", "link/../link/file"] {
            let at = root.open_beneath(Path::new(path), OFlags::PATH).unwrap();
            let walked = root.find_path_by_walking(Path::new(path), &at).unwrap();
            assert_eq!(walked, proc_path(&at).unwrap(), "{path}");
        }
    }

    #[test]
    fn a_walk_that_ends_elsewhere_finds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("file"), folder.path().join("moved"));
        fs::write(&old, "").unwrap();
        let root = RootDir::new(folder.path()).unwrap();
        let at = root.open_beneath(Path::new("file"), OFlags::PATH).unwrap();
        fs::rename(&old, new).unwrap();
        fs::write(old, "").unwrap();
        assert!(root.find_path_by_walking(Path::new("file"), &at).is_err());
    }
}
