//! Applies the changes of a command to the folders.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, CWD, FileType, Gid, Mode, OFlags, Timespec, Timestamps, Uid, chmodat, chownat,
    listxattr, mkdirat, mknodat, openat, readlinkat, removexattr, renameat, statat, symlinkat,
    unlinkat, utimensat,
};
use rustix::io::Errno;

use super::super::{identity, owner_access};
use super::changes::{StagedChange, StagedChangeKind, open_below};
use super::layer::OverlayLayer;
use helve_core::support::random;

/// The prefix of the extended attributes in which an overlay stores metadata of a file in its upper layer.
const OVERLAY_XATTR_PREFIX: &[u8] = b"user.overlay.";

/// A change that could not be applied; the changes after it were not applied either.
#[derive(Debug)]
pub(in super::super) struct ApplyError {
    pub(in super::super) path: PathBuf,
    pub(in super::super) error: io::Error,
}

/// Applies the changes that [`list_changes`](super::list_changes) returned, if there is no
/// [conflict](super::find_conflict). Changes that are not applied stay in the layer. With `gives_away`, all files get
/// the owner of their writable folder.
///
/// # Errors
/// Fails with the first change that could not be applied.
pub(in super::super) fn apply(
    layer: &OverlayLayer,
    changes: &[StagedChange],
    gives_away: bool,
) -> Result<(), ApplyError> {
    let at = |path: &Path| {
        let path = layer.root.join(path);
        |error| ApplyError { path, error }
    };
    let mut trees = LayerTrees::open(layer, gives_away).map_err(at(Path::new("")))?;
    for change in changes {
        trees.apply(change).map_err(at(&change.path))?;
    }
    // A change of its entries changes the time of a folder, and its mode may forbid that change.
    for change in changes.iter().rev() {
        trees.finish(change).map_err(at(&change.path))?;
    }
    Ok(())
}

/// The tree of the changes, and the folder that they are applied to.
struct LayerTrees {
    upper: OwnedFd,
    real: OwnedFd,
    /// The owner of the applied files.
    owner: Option<(Uid, Gid)>,
    /// The parent folder of the previous change, in both trees.
    last_parent: Option<(PathBuf, [OwnedFd; 2])>,
}

impl LayerTrees {
    fn open(layer: &OverlayLayer, gives_away: bool) -> io::Result<Self> {
        let owner = gives_away
            .then(|| identity::owner(&layer.root))
            .transpose()?;
        Ok(Self {
            upper: owner_access::open_folder(&layer.upper)?,
            real: owner_access::open_folder(&layer.root)?,
            owner: owner.map(|(user, group)| (Uid::from_raw(user), Gid::from_raw(group))),
            last_parent: None,
        })
    }

    fn apply(&mut self, change: &StagedChange) -> io::Result<()> {
        let owner = self.owner;
        let (name, [upper, real]) = self.open_parents(&change.path)?;
        match change.kind {
            StagedChangeKind::Removed => {
                owner_access::with_owner_access(real, || remove_entry(real, name))
            }
            StagedChangeKind::Folder { replaces, .. } => {
                owner_access::with_owner_access(real, || make_folder(real, name, replaces))
            }
            StagedChangeKind::Entry => {
                if kind_at(upper, name)? == Some(FileType::Directory) {
                    return Err(conflict_error());
                }
                forget_overlay(upper, name);
                owner_access::with_owner_access(real, || {
                    if kind_at(real, name)? == Some(FileType::Directory) {
                        remove_entry(real, name)?;
                    }
                    move_entry(upper, real, name)
                })
            }
        }?;
        match owner {
            Some((user, group)) if change.kind != StagedChangeKind::Removed => {
                let flags = AtFlags::SYMLINK_NOFOLLOW;
                Ok(chownat(real, name, Some(user), Some(group), flags)?)
            }
            _ => Ok(()),
        }
    }

    /// Sets the mode and time of a folder, after its entries are applied.
    fn finish(&mut self, change: &StagedChange) -> io::Result<()> {
        let StagedChangeKind::Folder { mode, modified, .. } = change.kind else {
            return Ok(());
        };
        let folder = open_below(&self.real, &change.path)?;
        let found = fs::metadata(owner_access::proc_fd_path(&folder))?;
        if let Some(modified) = modified {
            set_modified(&folder, modified)?;
        }
        if found.mode() & 0o7777 != mode {
            owner_access::set_mode(&folder, Mode::from_raw_mode(mode))?;
        }
        Ok(())
    }

    /// Opens the parent folder of a path in both trees.
    fn open_parents<'p>(&mut self, path: &'p Path) -> io::Result<(&'p OsStr, &[OwnedFd; 2])> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let near = match self.last_parent.take() {
            Some(last) if last.0 == folder => last,
            _ => {
                let [upper, real] = [&self.upper, &self.real].map(|root| open_below(root, folder));
                (folder.to_owned(), [upper?, real?])
            }
        };
        let (_, opened) = self.last_parent.insert(near);
        Ok((name, opened))
    }
}

/// Returns the file type at a name, without following a link.
fn kind_at(folder: &OwnedFd, name: &OsStr) -> io::Result<Option<FileType>> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(FileType::from_raw_mode(found.st_mode))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Removes the file or folder at a name, including its contents.
fn remove_entry(folder: &OwnedFd, name: &OsStr) -> io::Result<()> {
    match kind_at(folder, name)? {
        None => Ok(()),
        Some(FileType::Directory) => {
            owner_access::remove_all(&Path::new(&owner_access::proc_fd_path(folder)).join(name))
        }
        Some(_) => Ok(unlinkat(folder, name, AtFlags::empty())?),
    }
}

fn make_folder(folder: &OwnedFd, name: &OsStr, replaces: bool) -> io::Result<()> {
    match kind_at(folder, name)? {
        Some(FileType::Directory) if !replaces => return Ok(()),
        Some(_) if !replaces => return Err(conflict_error()),
        _ => remove_entry(folder, name)?,
    }
    Ok(mkdirat(folder, name, Mode::RWXU)?)
}

fn conflict_error() -> io::Error {
    io::Error::other("the path was changed by another process")
}

/// Removes the overlay's attributes from an entry; a link has none.
fn forget_overlay(folder: &OwnedFd, name: &OsStr) {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(opened) = openat(folder, name, flags, Mode::empty()) else {
        return;
    };
    let mut names = vec![0; 64 << 10];
    let Ok(length) = listxattr(owner_access::proc_fd_path(&opened), &mut names[..]) else {
        return;
    };
    let marks = names[..length].split(|byte| *byte == 0);
    for mark in marks.filter(|mark| mark.starts_with(OVERLAY_XATTR_PREFIX)) {
        let _ = removexattr(owner_access::proc_fd_path(&opened), mark);
    }
}

/// Moves an entry from the layer into a folder; on another file system the entry is copied, and then renamed into place
/// atomically.
fn move_entry(upper: &OwnedFd, real: &OwnedFd, name: &OsStr) -> io::Result<()> {
    match renameat(upper, name, real, name) {
        Err(Errno::XDEV) => {}
        moved => return Ok(moved?),
    }
    let beside = format!(".helve-{}", random::hex::<8>());
    let copied = copy_entry(upper, name, real, OsStr::new(&beside))
        .and_then(|()| Ok(renameat(real, beside.as_str(), real, name)?));
    if copied.is_err() {
        let _ = unlinkat(real, beside.as_str(), AtFlags::empty());
    }
    copied
}

fn copy_entry(upper: &OwnedFd, name: &OsStr, real: &OwnedFd, beside: &OsStr) -> io::Result<()> {
    let found = statat(upper, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let mode = Mode::from_raw_mode(found.st_mode & 0o7777);
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => copy_file(upper, name, real, beside, mode),
        FileType::Symlink => {
            let target = readlinkat(upper, name, Vec::new())?;
            Ok(symlinkat(&*target, real, beside)?)
        }
        FileType::Fifo => Ok(mknodat(real, beside, FileType::Fifo, mode, 0)?),
        other => Err(io::Error::other(format!(
            "it is neither a file nor a link ({other:?})"
        ))),
    }
}

fn copy_file(
    upper: &OwnedFd,
    name: &OsStr,
    real: &OwnedFd,
    beside: &OsStr,
    mode: Mode,
) -> io::Result<()> {
    // The command may have removed the read permission of the owner.
    chmodat(upper, name, mode | Mode::RUSR, AtFlags::empty())?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut from = File::from(openat(upper, name, flags, Mode::empty())?);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mut to = File::from(openat(real, beside, flags, Mode::RUSR | Mode::WUSR)?);
    io::copy(&mut from, &mut to)?;
    to.set_modified(from.metadata()?.modified()?)?;
    Ok(rustix::fs::fchmod(to.as_fd(), mode)?)
}

fn set_modified(folder: &OwnedFd, modified: SystemTime) -> io::Result<()> {
    let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    let times = Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: rustix::fs::UTIME_OMIT,
        },
        last_modification: since.try_into().map_err(io::Error::other)?,
    };
    let path = owner_access::proc_fd_path(folder);
    Ok(utimensat(CWD, path, &times, AtFlags::empty())?)
}
