//! A folder by its path: systems without descriptors of folders. A process that can write in it can swap it in between.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::super::deny_rules::Location;
use super::super::io_failure::IoFailure;
use super::super::metadata::kind_of;
use crate::sandbox::DirEntry;

/// The folder at a path.
#[derive(Debug)]
pub(in super::super) struct Folder {
    path: PathBuf,
    /// Where it was when it was opened.
    pub(in super::super) location: Location,
}

impl Folder {
    /// Takes the folder at a path without links.
    pub(in super::super) fn open_path(path: &Path, location: Location) -> Result<Self, IoFailure> {
        if !fs::symlink_metadata(path)?.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory).into());
        }
        Ok(Self {
            path: path.to_owned(),
            location,
        })
    }

    /// Opens a folder in this one; a link is none.
    pub(in super::super) fn child(&self, name: &OsStr) -> Result<Self, IoFailure> {
        Self::open_path(&self.path.join(name), self.location.join(name))
    }

    /// Describes a name without following a link; `None` where there is nothing.
    pub(in super::super) fn stat(&self, name: &OsStr) -> Result<Option<fs::Metadata>, IoFailure> {
        match fs::symlink_metadata(self.path.join(name)) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Describes the folder itself.
    pub(in super::super) fn metadata(&self) -> Result<fs::Metadata, IoFailure> {
        Ok(fs::symlink_metadata(&self.path)?)
    }

    /// Opens a name for reading.
    pub(in super::super) fn open(&self, name: &OsStr) -> Result<File, IoFailure> {
        Ok(File::open(self.path.join(name))?)
    }

    /// Makes a file where nothing is.
    pub(in super::super) fn create(&self, name: &OsStr, _: u32) -> Result<File, IoFailure> {
        Ok(File::create_new(self.path.join(name))?)
    }

    /// Makes a folder where nothing is.
    pub(in super::super) fn make_dir(&self, name: &OsStr, _: u32) -> Result<(), IoFailure> {
        Ok(fs::create_dir(self.path.join(name))?)
    }

    /// Refuses to make a symbolic link: not every system allows them for all users.
    pub(in super::super) fn make_link(&self, _: &OsStr, _: &Path) -> Result<(), IoFailure> {
        Err(io::Error::from(io::ErrorKind::Unsupported).into())
    }

    /// Creates a hard link here to a file in another folder.
    pub(in super::super) fn hard_link(
        &self,
        name: &OsStr,
        to: &Self,
        new: &OsStr,
    ) -> Result<(), IoFailure> {
        Ok(fs::hard_link(self.path.join(name), to.path.join(new))?)
    }

    /// Reads a symbolic link.
    pub(in super::super) fn read_link(&self, name: &OsStr) -> Result<PathBuf, IoFailure> {
        Ok(fs::read_link(self.path.join(name))?)
    }

    /// Removes a name that is no folder.
    pub(in super::super) fn remove_file(&self, name: &OsStr) -> Result<(), IoFailure> {
        Ok(fs::remove_file(self.path.join(name))?)
    }

    /// Removes an empty folder.
    pub(in super::super) fn remove_dir(&self, name: &OsStr) -> Result<(), IoFailure> {
        Ok(fs::remove_dir(self.path.join(name))?)
    }

    /// Moves a name to where nothing is, as far as a look before can show.
    pub(in super::super) fn rename_no_replace(
        &self,
        name: &OsStr,
        to: &Self,
        new: &OsStr,
    ) -> Result<(), IoFailure> {
        if to.stat(new)?.is_some() {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
        }
        self.rename_replacing(name, to, new)
    }

    /// Moves a name over another.
    pub(in super::super) fn rename_replacing(
        &self,
        name: &OsStr,
        to: &Self,
        new: &OsStr,
    ) -> Result<(), IoFailure> {
        Ok(fs::rename(self.path.join(name), to.path.join(new))?)
    }

    /// Returns an error: two names cannot be swapped in one step.
    pub(in super::super) fn exchange(
        &self,
        _: &OsStr,
        _: &Self,
        _: &OsStr,
    ) -> Result<bool, IoFailure> {
        Ok(false)
    }

    /// Reports whether this process may write the file at a name.
    pub(in super::super) fn writable(&self, name: &OsStr) -> bool {
        !matches!(self.stat(name), Ok(Some(stat)) if stat.permissions().readonly())
    }

    /// Lists at most `limit` names, and returns whether there are more.
    pub(in super::super) fn names(&self, limit: usize) -> Result<(Vec<DirEntry>, bool), IoFailure> {
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

    /// Takes the lock of the folder, if it is free; it is held as long as the file.
    pub(in super::super) fn lock(&self) -> Result<Option<File>, IoFailure> {
        let file = File::create(self.path.join("0"))?;
        match file.try_lock() {
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            _ => Ok(Some(file)),
        }
    }

    /// Leaves it to the system when names reach the disk.
    pub(in super::super) fn sync(&self) -> Result<(), IoFailure> {
        Ok(())
    }

    /// Leaves owner and mode as they are.
    pub(in super::super) fn copy_owner_and_mode(&self, _: &fs::Metadata) {}
}

/// Copies the permissions of a replaced file to the new file.
pub(in super::super) fn copy_attributes(new: &File, _: &Folder, _: &OsStr, old: &fs::Metadata) {
    let _ = new.set_permissions(old.permissions());
}

/// Stamps a file with a time of its own.
pub(in super::super) fn set_unique_time(
    new: &File,
    old: Option<&fs::Metadata>,
) -> Result<(), IoFailure> {
    let mut now = SystemTime::now();
    if old.is_some_and(|old| old.modified().is_ok_and(|old| old == now)) {
        now += Duration::from_nanos(100);
    }
    Ok(new.set_times(FileTimes::new().set_modified(now))?)
}

/// Returns the identity of a file, as far as its times show.
pub(in super::super) fn identity(stat: &fs::Metadata) -> (u64, u64) {
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

    use super::{Folder, Location};

    #[test]
    fn names_are_made_moved_and_removed() {
        let dir = tempfile::tempdir().expect("a folder");
        let location = Location {
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
