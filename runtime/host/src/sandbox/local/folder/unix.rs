//! An open folder and the names in it. The folder is never reached by a path, so that no component can be replaced
//! between two operations.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{
    Access, AtFlags, Dir, FileType, Gid, Mode, OFlags, RenameFlags, Uid, accessat, fchmod, fchown,
    fsync, linkat, mkdirat, openat, readlinkat, renameat_with, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::super::deny_rules::LocatedPath;
use super::super::io_failure::{IoFailure, Result, optional};
use crate::sandbox::{DirEntry, FileKind};

/// The smallest difference of two modification times: file systems store nanoseconds.
pub(crate) const TIME_STEP: Duration = Duration::from_nanos(1);

/// The flags to open a folder: without the permission to list it, if the system supports that.
#[cfg(target_os = "linux")]
pub(crate) const OPEN_FLAGS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
pub(crate) const OPEN_FLAGS: OFlags = OFlags::RDONLY;

/// An open folder; it stays the same folder when it is renamed.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    /// The location of the folder when it was opened.
    pub(crate) location: LocatedPath,
}

impl Folder {
    pub(crate) fn new(fd: OwnedFd, location: LocatedPath) -> Self {
        Self { fd, location }
    }

    /// Opens the folder at a path without links.
    #[cfg(any(test, not(target_os = "linux")))]
    pub(crate) fn open_path(path: &Path, location: LocatedPath) -> Result<Self> {
        let flags = OPEN_FLAGS | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(rustix::fs::CWD, path, flags, Mode::empty())?;
        Ok(Self::new(fd, location))
    }

    pub(crate) fn child(&self, name: &OsStr) -> Result<Self> {
        let flags = OPEN_FLAGS | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(&self.fd, name, flags, Mode::empty())?;
        Ok(Self::new(fd, self.location.join(name)))
    }

    /// Returns the metadata of a name without following a link; `None` if the name does not exist.
    pub(crate) fn stat(&self, name: &OsStr) -> Result<Option<fs::Metadata>> {
        #[cfg(target_os = "linux")]
        let found = {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            openat(&self.fd, name, flags, Mode::empty())
                .map_err(IoFailure::from)
                .and_then(|fd| Ok(File::from(fd).metadata()?))
        };
        #[cfg(not(target_os = "linux"))]
        let found =
            fs::symlink_metadata(self.location.absolute.join(name)).map_err(IoFailure::from);
        optional(found)
    }

    pub(crate) fn metadata(&self) -> Result<fs::Metadata> {
        Ok(File::from(self.fd.try_clone()?).metadata()?)
    }

    /// Opens a name for reading without blocking; a link is rejected.
    pub(crate) fn open(&self, name: &OsStr) -> Result<File> {
        let flags =
            OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.fd, name, flags, Mode::empty())?.into())
    }

    /// Creates a new file; the umask of the process restricts the mode.
    pub(crate) fn create(&self, name: &OsStr, mode: u32) -> Result<File> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.fd, name, flags, mode_of(mode))?.into())
    }

    pub(crate) fn make_dir(&self, name: &OsStr, mode: u32) -> Result<()> {
        Ok(mkdirat(&self.fd, name, mode_of(mode))?)
    }

    pub(crate) fn make_link(&self, name: &OsStr, target: &Path) -> Result<()> {
        Ok(symlinkat(target, &self.fd, name)?)
    }

    /// Creates a hard link here to a file in another folder.
    pub(crate) fn hard_link(&self, name: &OsStr, to: &Self, new: &OsStr) -> Result<()> {
        Ok(linkat(&self.fd, name, &to.fd, new, AtFlags::empty())?)
    }

    pub(crate) fn read_link(&self, name: &OsStr) -> Result<PathBuf> {
        let target = readlinkat(&self.fd, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    /// Removes a name that is not a folder.
    pub(crate) fn remove_file(&self, name: &OsStr) -> Result<()> {
        Ok(unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    pub(crate) fn remove_dir(&self, name: &OsStr) -> Result<()> {
        Ok(unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// Moves a name to a free name.
    pub(crate) fn rename_no_replace(&self, name: &OsStr, to: &Self, new: &OsStr) -> Result<()> {
        match renameat_with(&self.fd, name, &to.fd, new, RenameFlags::NOREPLACE) {
            // A file system without this flag still rejects an existing name for hard links.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                linkat(&self.fd, name, &to.fd, new, AtFlags::empty())?;
                Ok(unlinkat(&self.fd, name, AtFlags::empty())?)
            }
            done => Ok(done?),
        }
    }

    /// Moves a name over another name.
    pub(crate) fn rename_replacing(&self, name: &OsStr, to: &Self, new: &OsStr) -> Result<()> {
        Ok(renameat_with(
            &self.fd,
            name,
            &to.fd,
            new,
            RenameFlags::empty(),
        )?)
    }

    /// Exchanges two names atomically; returns whether the file system supports that.
    pub(crate) fn exchange(&self, name: &OsStr, with: &Self, other: &OsStr) -> Result<bool> {
        match renameat_with(&self.fd, name, &with.fd, other, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn writable(&self, name: &OsStr) -> bool {
        let may = accessat(&self.fd, name, Access::WRITE_OK, AtFlags::EACCESS);
        !matches!(may, Err(Errno::ACCESS | Errno::PERM))
    }

    /// Lists at most `limit` names, and returns whether there are more.
    pub(crate) fn names(&self, limit: usize) -> Result<(Vec<DirEntry>, bool)> {
        let mut dir = Dir::new(self.readable()?)?;
        let mut entries = Vec::new();
        while let Some(entry) = dir.read() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            if entries.len() == limit {
                return Ok((entries, true));
            }
            let kind = match entry.file_type() {
                // Some file systems do not report the type.
                FileType::Unknown => statat(dir.fd()?, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |stat| {
                        FileType::from_raw_mode(stat.st_mode)
                    }),
                known => known,
            };
            entries.push(DirEntry::new(
                OsStr::from_bytes(name.to_bytes()),
                kind_of(kind),
            ));
        }
        Ok((entries, false))
    }

    /// Tries to lock the folder; the lock is held until the file is closed.
    pub(crate) fn lock(&self) -> Result<Option<File>> {
        let dir = File::from(self.readable()?);
        match dir.try_lock() {
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            // On a file system without locks no other process can hold a lock.
            Ok(()) | Err(fs::TryLockError::Error(_)) => Ok(Some(dir)),
        }
    }

    /// Writes the names of the folder to disk, so that they survive a crash of the machine.
    pub(crate) fn sync(&self) -> Result<()> {
        match self.readable() {
            Ok(dir) => match fsync(dir) {
                // File systems that need no `fsync` of folders return these errors.
                Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
                done => Ok(done?),
            },
            // A folder may be writable without being readable.
            Err(Errno::ACCESS) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Copies the owner and mode of another folder.
    pub(crate) fn copy_owner_and_mode(&self, old: &fs::Metadata) {
        if let Ok(dir) = self.readable() {
            let _ = fchown(
                &dir,
                Some(Uid::from_raw(old.uid())),
                Some(Gid::from_raw(old.gid())),
            );
            let _ = fchmod(&dir, mode_of(old.mode() & 0o7777));
        }
    }

    fn readable(&self) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(&self.fd, ".", flags, Mode::empty())
    }
}

/// Copies the attributes of a replaced file to the new file: the owner if that is permitted, the mode, and the user
/// attributes.
pub(crate) fn copy_attributes(new: &File, folder: &Folder, name: &OsStr, old: &fs::Metadata) {
    let own = new.metadata();
    let same = own.is_ok_and(|own| (own.uid(), own.gid()) == (old.uid(), old.gid()));
    let (owner, group) = (Uid::from_raw(old.uid()), Gid::from_raw(old.gid()));
    let kept = same || fchown(new, Some(owner), Some(group)).is_ok();
    // A file whose owner was not kept must not run with set-ID bits.
    let mode = old.mode() & if kept { 0o7777 } else { 0o777 };
    let _ = fchmod(new, mode_of(mode));
    #[cfg(target_os = "linux")]
    if let Ok(old) = folder.open(name) {
        copy_user_attributes(new, &old);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (folder, name);
}

/// Copies the user attributes and the access control list of a file.
#[cfg(target_os = "linux")]
fn copy_user_attributes(new: &File, old: &File) {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    let mut names = vec![0; 4096];
    let Ok(len) = flistxattr(old, &mut names) else {
        return;
    };
    for name in names[..len].split(|byte| *byte == 0) {
        if !name.starts_with(b"user.") && name != b"system.posix_acl_access" {
            continue;
        }
        let mut value = vec![0; 4096];
        if let Ok(len) = fgetxattr(old, name, &mut value) {
            let _ = fsetxattr(new, name, &value[..len], XattrFlags::empty());
        }
    }
}

pub(crate) fn identity(stat: &fs::Metadata) -> (u64, u64) {
    (stat.dev(), stat.ino())
}

fn mode_of(mode: u32) -> Mode {
    Mode::from_bits_truncate(mode as rustix::fs::RawMode)
}

fn kind_of(kind: FileType) -> FileKind {
    match kind {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Symlink,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice => FileKind::CharDevice,
        FileType::BlockDevice => FileKind::BlockDevice,
        FileType::Unknown => FileKind::Other,
    }
}
