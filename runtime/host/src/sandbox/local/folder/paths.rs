//! A folder by its path, for systems without descriptors of folders. A process that can write to the parent can replace
//! the folder between two operations.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::super::deny_rules::LocatedPath;
use super::super::io_failure::{IoFailure, Result, optional};
use super::super::metadata::kind_of;
use crate::sandbox::DirEntry;

/// The smallest difference of two modification times: Windows stores units of 100 nanoseconds.
pub(crate) const TIME_STEP: Duration = Duration::from_nanos(100);

/// The folder at a path, with the same operations as a folder by descriptor.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// The location of the folder when it was opened.
    pub(crate) location: LocatedPath,
}

impl Folder {
    /// Returns the folder at a path without links.
    pub(crate) fn open_path(path: &Path, location: LocatedPath) -> Result<Self> {
        if !fs::symlink_metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self {
            path: path.to_owned(),
            location,
        })
    }

    pub(crate) fn child(&self, name: &OsStr) -> Result<Self> {
        Self::open_path(&self.path.join(name), self.location.join(name))
    }

    pub(crate) fn stat(&self, name: &OsStr) -> Result<Option<fs::Metadata>> {
        optional(fs::symlink_metadata(self.path.join(name)).map_err(IoFailure::from))
    }

    pub(crate) fn metadata(&self) -> Result<fs::Metadata> {
        Ok(fs::symlink_metadata(&self.path)?)
    }

    pub(crate) fn open(&self, name: &OsStr) -> Result<File> {
        Ok(File::open(self.path.join(name))?)
    }

    pub(crate) fn create(&self, name: &OsStr, _: u32) -> Result<File> {
        Ok(File::create_new(self.path.join(name))?)
    }

    pub(crate) fn make_dir(&self, name: &OsStr, _: u32) -> Result<()> {
        Ok(fs::create_dir(self.path.join(name))?)
    }

    /// Rejects creating a symbolic link: not every system allows that for all users.
    pub(crate) fn make_link(&self, _: &OsStr, _: &Path) -> Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn hard_link(&self, name: &OsStr, to: &Self, new: &OsStr) -> Result<()> {
        Ok(fs::hard_link(self.path.join(name), to.path.join(new))?)
    }

    pub(crate) fn read_link(&self, name: &OsStr) -> Result<PathBuf> {
        Ok(fs::read_link(self.path.join(name))?)
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> Result<()> {
        Ok(fs::remove_file(self.path.join(name))?)
    }

    pub(crate) fn remove_dir(&self, name: &OsStr) -> Result<()> {
        Ok(fs::remove_dir(self.path.join(name))?)
    }

    /// Moves a name to a free name; the check of the free name is racy.
    pub(crate) fn rename_no_replace(&self, name: &OsStr, to: &Self, new: &OsStr) -> Result<()> {
        if to.stat(new)?.is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.rename_replacing(name, to, new)
    }

    pub(crate) fn rename_replacing(&self, name: &OsStr, to: &Self, new: &OsStr) -> Result<()> {
        Ok(fs::rename(self.path.join(name), to.path.join(new))?)
    }

    /// Returns `false`: two names cannot be exchanged atomically.
    pub(crate) fn exchange(&self, _: &OsStr, _: &Self, _: &OsStr) -> Result<bool> {
        Ok(false)
    }

    pub(crate) fn writable(&self, name: &OsStr) -> bool {
        !matches!(self.stat(name), Ok(Some(stat)) if stat.permissions().readonly())
    }

    pub(crate) fn names(&self, limit: usize) -> Result<(Vec<DirEntry>, bool)> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entries.len() == limit {
                return Ok((entries, true));
            }
            entries.push(DirEntry::new(
                entry.file_name(),
                kind_of(entry.file_type()?),
            ));
        }
        Ok((entries, false))
    }

    /// Tries to lock the folder; the lock is held until the file is closed.
    pub(crate) fn lock(&self) -> Result<Option<File>> {
        let file = File::create(self.path.join("0"))?;
        match file.try_lock() {
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            _ => Ok(Some(file)),
        }
    }

    /// Does nothing: the system decides when names are written to disk.
    pub(crate) fn sync(&self) -> Result<()> {
        Ok(())
    }

    /// Does nothing: owner and mode are not copied.
    pub(crate) fn copy_owner_and_mode(&self, _: &fs::Metadata) {}
}

/// Copies the permissions of a replaced file to the new file.
pub(crate) fn copy_attributes(new: &File, _: &Folder, _: &OsStr, old: &fs::Metadata) {
    let _ = new.set_permissions(old.permissions());
}

/// Returns the identity of a file, approximated by its times.
pub(crate) fn identity(stat: &fs::Metadata) -> (u64, u64) {
    let nanoseconds = |time: io::Result<SystemTime>| {
        time.ok()
            .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_nanos() as u64)
    };
    (nanoseconds(stat.created()), 0)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::io::Write;

    use super::{Folder, LocatedPath};

    #[test]
    fn names_are_made_moved_and_removed() {
        let dir = tempfile::tempdir().expect("a folder");
        let location = LocatedPath {
            below: "".into(),
            absolute: dir.path().into(),
        };
        let folder = Folder::open_path(dir.path(), location).expect("a folder");
        let (a, b, sub) = (OsStr::new("a"), OsStr::new("b"), OsStr::new("sub"));
        let mut file = folder.create(a, 0o666).expect("a file");
        file.write_all(b"x").expect("room");
        assert!(folder.create(a, 0o666).is_err(), "there is one");
        folder.make_dir(sub, 0o777).expect("a folder");
        let child = folder.child(sub).expect("a folder");
        folder.rename_no_replace(a, &child, b).expect("a move");
        child.hard_link(b, &folder, b).expect("a name");
        assert!(child.rename_no_replace(b, &folder, b).is_err(), "taken");
        assert!(folder.child(b).is_err(), "no folder");
        child.remove_file(b).expect("gone");
        folder.remove_dir(sub).expect("gone");
        assert_eq!(folder.names(9).expect("names").0.len(), 1);
        assert!(folder.stat(a).expect("an answer").is_none());
    }
}
