//! Files without a link on their paths: the kernel rejects every link, so that a successful open proves the location of
//! the file.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, OFlags, statat};

use super::apply::in_stash;
use super::deny_rules::LocatedPath;
use super::kernel::RootDir;

/// A folder whose path has no symbolic link, and the files in it.
///
/// Each file is opened by its whole path from the root, not relative to this folder, which may have been moved. A file
/// with a link on its path is `None`: the general path resolution reports the error, or follows the links.
pub(super) struct NoSymlinks<'a> {
    root: &'a RootDir,
    /// A descriptor that is used to `stat` names, never to open them.
    folder: OwnedFd,
    location: LocatedPath,
}

impl<'a> NoSymlinks<'a> {
    pub(super) fn new(root: &'a RootDir, path: &Path) -> Option<Self> {
        let mut below = PathBuf::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => below.push(name),
                Component::CurDir => {}
                _ => return None,
            }
        }
        let path = if below.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &below
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let folder = root.open_no_symlinks(path, flags).ok()?;
        let absolute = root.absolute().join(&below);
        Some(Self {
            root,
            folder,
            location: LocatedPath { below, absolute },
        })
    }

    pub(super) fn at(&self, name: &OsStr) -> LocatedPath {
        self.location.join(name)
    }

    /// Opens the regular file at a location in the folder, without blocking. Its type is checked before, because
    /// opening a pipe or a device has side effects; the caller checks again, because the file may have been replaced.
    pub(super) fn open(&self, at: &LocatedPath) -> Option<File> {
        let name = at.below.file_name()?;
        let stat = statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return None;
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        self.reach(at, flags)
    }

    /// Returns the metadata of the file at a location in the folder.
    pub(super) fn find(&self, at: &LocatedPath) -> Option<fs::Metadata> {
        self.reach(at, OFlags::PATH)?.metadata().ok()
    }

    fn reach(&self, at: &LocatedPath, flags: OFlags) -> Option<File> {
        if in_stash(&at.below) {
            return None;
        }
        let file = self.root.open_no_symlinks(&at.below, flags).ok()?;
        Some(file.into())
    }
}
