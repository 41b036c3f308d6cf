//! A root whose paths the kernel resolves: Linux, `openat2`.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, openat, openat2, readlinkat, statat,
};
use rustix::io::Errno;

use super::fault::Fault;
use crate::sandbox::{DirEntry, FileKind, Listing, PathResolution};

/// How paths are resolved by this module.
pub(super) const RESOLUTION: PathResolution = PathResolution::Kernel;

/// How often an open is tried while somebody renames things on its way.
const ATTEMPTS: usize = 128;

/// A directory below which paths are opened; it stays the same directory when it is renamed.
#[derive(Debug)]
pub(super) struct Root {
    dir: OwnedFd,
    /// Its path when it was opened, for a system that cannot tell its present one.
    opened_at: PathBuf,
}

impl Root {
    /// Opens a directory and proves that the kernel can confine paths to it.
    pub(super) fn new(path: &Path) -> Result<Self, Fault> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = Self {
            dir: openat(CWD, path, flags, Mode::empty())?,
            opened_at: fs::canonicalize(path)?,
        };
        // The directory is open already, so whatever stops this is about `openat2`, not about the directory.
        match root.beneath(Path::new("."), OFlags::PATH) {
            Ok(_) => Ok(root),
            Err(error) => Err(Fault::Unsupported(error.into())),
        }
    }

    /// Describes what is at a path, without opening it: opening a pipe or a device has effects.
    pub(super) fn stat(&self, path: &Path) -> Result<fs::Metadata, Fault> {
        let at = File::from(self.beneath(path, OFlags::PATH)?);
        Ok(at.metadata()?)
    }

    /// Opens a path for reading without ever waiting for it. The caller checks what it got.
    pub(super) fn open(&self, path: &Path) -> Result<File, Fault> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(self.beneath(path, flags)?.into())
    }

    /// Lists at most `limit` names of a directory.
    pub(super) fn list(&self, path: &Path, limit: usize) -> Result<Listing, Fault> {
        let mut dir = Dir::new(self.beneath(path, OFlags::RDONLY | OFlags::DIRECTORY)?)?;
        let mut entries = Vec::new();
        while let Some(entry) = dir.read() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            if entries.len() == limit {
                return Ok(Listing::new(entries, true));
            }
            let kind = match entry.file_type() {
                // Some file systems do not say, so look.
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
        Ok(Listing::new(entries, false))
    }

    /// Says where a path leads: below this root, and from the top.
    pub(super) fn locate(&self, path: &Path) -> Result<(PathBuf, PathBuf), Fault> {
        let at = self.beneath(path, OFlags::PATH)?;
        // The kernel marks the name of a deleted file with a suffix, which must not pass for a name.
        if rustix::fs::fstat(&at)?.st_nlink == 0 {
            return Err(Errno::NOENT.into());
        }
        let (root, absolute) = match (name_of(&self.dir), name_of(&at)) {
            (Ok(root), Ok(absolute)) => (root, absolute),
            _ => (self.opened_at.clone(), self.walk(path, &at)?),
        };
        match absolute.strip_prefix(root) {
            Ok(relative) => Ok((relative.to_owned(), absolute)),
            // It was moved out of the root since it was opened.
            Err(_) => Err(Fault::Outside),
        }
    }

    /// Finds the name of an open file where there is no `/proc` to ask, as in an empty root: by the links on its way. What
    /// is found has to be that file, whatever was renamed meanwhile.
    fn walk(&self, path: &Path, at: &OwnedFd) -> Result<PathBuf, Fault> {
        let absolute = fs::canonicalize(self.opened_at.join(path))?;
        let (found, open) = (rustix::fs::stat(&absolute)?, rustix::fs::fstat(at)?);
        if (found.st_dev, found.st_ino) == (open.st_dev, open.st_ino) {
            Ok(absolute)
        } else {
            Err(Fault::Outside)
        }
    }

    /// Reads the symbolic link at a path, if it is one.
    pub(super) fn link(&self, path: &Path) -> Option<PathBuf> {
        let at = self.beneath(path, OFlags::PATH | OFlags::NOFOLLOW).ok()?;
        let target = readlinkat(&at, "", Vec::new()).ok()?;
        Some(std::ffi::OsString::from_vec(target.into_bytes()).into())
    }

    /// Opens a path below this directory: the one place where a path meets the file system.
    fn beneath(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..ATTEMPTS {
            match openat2(
                &self.dir,
                path,
                flags | OFlags::CLOEXEC,
                Mode::empty(),
                resolve,
            ) {
                // The kernel could not rule out that a rename on the way of a `..` led outside.
                Err(Errno::AGAIN | Errno::INTR) => std::thread::yield_now(),
                result => return result,
            }
        }
        Err(Errno::AGAIN)
    }
}

/// The current name of an open file.
fn name_of(file: &OwnedFd) -> Result<PathBuf, Fault> {
    Ok(fs::read_link(format!(
        "/proc/self/fd/{}",
        file.as_raw_fd()
    ))?)
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{OFlags, Root, name_of};

    #[test]
    fn a_walk_finds_what_proc_tells() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        fs::write(folder.path().join("inner/file"), "").unwrap();
        std::os::unix::fs::symlink("inner", folder.path().join("link")).unwrap();
        let root = Root::new(folder.path()).unwrap();
        for path in [".", "inner", "link", "link/../link/file"] {
            let at = root.beneath(Path::new(path), OFlags::PATH).unwrap();
            let walked = root.walk(Path::new(path), &at).unwrap();
            assert_eq!(walked, name_of(&at).unwrap(), "{path}");
        }
    }

    #[test]
    fn a_walk_that_ends_elsewhere_finds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("file"), folder.path().join("moved"));
        fs::write(&old, "").unwrap();
        let root = Root::new(folder.path()).unwrap();
        let at = root.beneath(Path::new("file"), OFlags::PATH).unwrap();
        fs::rename(&old, new).unwrap();
        fs::write(old, "").unwrap();
        assert!(root.walk(Path::new("file"), &at).is_err());
    }
}
