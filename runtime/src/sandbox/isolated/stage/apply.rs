//! Applies the changes of a command to the folders.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, CWD, FileType, Gid, Mode, OFlags, Timespec, Timestamps, Uid, chmodat, chownat,
    mkdirat, mknodat, openat, readlinkat, removexattr, renameat, statat, symlinkat, unlinkat,
    utimensat,
};
use rustix::io::Errno;

use super::super::{access, identity};
use super::changes::{open_below, open_root};
use super::{Change, ChangeKind, Layer};
use crate::support::random;

/// What an overlay says of a file in its upper layer, by attributes that mean nothing elsewhere.
const OF_OVERLAY: &[&std::ffi::CStr] = &[
    c"user.overlay.origin",
    c"user.overlay.impure",
    c"user.overlay.opaque",
    c"user.overlay.uuid",
];

/// What could not be applied.
#[derive(Debug, Default)]
pub(in super::super) struct Unapplied {
    /// The first of the paths, and why not.
    pub(in super::super) first: Option<(PathBuf, io::Error)>,
    pub(in super::super) count: usize,
}

/// Applies changes, as [`Layer::changes`] lists them. What cannot be applied stays in the layer; the rest is applied
/// nevertheless, as the command would have gone on after an error. `gives_away` says that all files get the owner of their
/// writable folder.
///
/// # Errors
/// When one of the two folders is gone.
pub(in super::super) fn apply(
    layer: &Layer,
    changes: &[Change],
    gives_away: bool,
) -> io::Result<Unapplied> {
    let owner = gives_away
        .then(|| identity::owner(&layer.root))
        .transpose()?;
    let mut trees = Trees {
        upper: open_root(&layer.upper)?,
        real: open_root(&layer.root)?,
        owner: owner.map(|(user, group)| (Uid::from_raw(user), Gid::from_raw(group))),
        begun: fs::metadata(&layer.upper)?.created().ok(),
        near: None,
    };
    let mut unapplied = Unapplied::default();
    let mut note = |change: &Change, done: io::Result<()>| {
        if let Err(error) = done {
            unapplied.count += 1;
            let path = layer.root.join(&change.path);
            unapplied.first.get_or_insert((path, error));
        }
    };
    for change in changes {
        note(change, trees.apply(change));
    }
    // What is in a folder changes its time, and its mode may forbid that.
    for change in changes.iter().rev() {
        note(change, trees.finish(change));
    }
    Ok(unapplied)
}

/// The changes, and the folder that they are applied to.
struct Trees {
    upper: OwnedFd,
    real: OwnedFd,
    /// Who gets what is applied.
    owner: Option<(Uid, Gid)>,
    /// When the command began, where the file system tells.
    begun: Option<SystemTime>,
    /// The folder of the change before, in both.
    near: Option<(PathBuf, [OwnedFd; 2])>,
}

impl Trees {
    fn apply(&mut self, change: &Change) -> io::Result<()> {
        let (owner, begun) = (self.owner, self.begun);
        let (name, [upper, real]) = self.above(&change.path)?;
        match change.kind {
            ChangeKind::Removed => access::within(real, || clear(real, name, begun)),
            ChangeKind::Folder { replaces, .. } => {
                access::within(real, || make_folder(real, name, replaces, begun))
            }
            ChangeKind::Entry => {
                forget_overlay(upper, name);
                access::within(real, || {
                    if kind_at(real, name)? == Some(FileType::Directory) {
                        clear(real, name, begun)?;
                    }
                    move_entry(upper, real, name)
                })
            }
        }?;
        match owner {
            Some((user, group)) if change.kind != ChangeKind::Removed => {
                let flags = AtFlags::SYMLINK_NOFOLLOW;
                Ok(chownat(real, name, Some(user), Some(group), flags)?)
            }
            _ => Ok(()),
        }
    }

    /// Gives a folder its mode and time, after its entries.
    fn finish(&mut self, change: &Change) -> io::Result<()> {
        let ChangeKind::Folder { mode, modified, .. } = change.kind else {
            return Ok(());
        };
        let folder = open_below(&self.real, &change.path)?;
        let found = fs::metadata(access::at(&folder))?;
        if let Some(modified) = modified {
            set_modified(&folder, modified)?;
        }
        if found.mode() & 0o7777 != mode {
            let mode = Mode::from_raw_mode(mode);
            chmodat(CWD, access::at(&folder), mode, AtFlags::empty())?;
        }
        Ok(())
    }

    /// Opens the folder of a path in both trees.
    fn above<'p>(&mut self, path: &'p Path) -> io::Result<(&'p OsStr, &[OwnedFd; 2])> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let near = match self.near.take() {
            Some((path, opened)) if path == folder => (path, opened),
            _ => {
                let opened = [&self.upper, &self.real].map(|root| open_below(root, folder));
                let [upper, real] = opened;
                (folder.to_owned(), [upper?, real?])
            }
        };
        let (_, opened) = self.near.insert(near);
        Ok((name, opened))
    }
}

/// Tells what is at a name, without following a link.
fn kind_at(folder: &OwnedFd, name: &OsStr) -> io::Result<Option<FileType>> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(FileType::from_raw_mode(found.st_mode))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Removes what is at a name, with all that is in it; not a folder that the user made while the command ran.
fn clear(folder: &OwnedFd, name: &OsStr, begun: Option<SystemTime>) -> io::Result<()> {
    match kind_at(folder, name)? {
        None => Ok(()),
        Some(FileType::Directory) => {
            let path = Path::new(&access::at(folder)).join(name);
            let born = path.symlink_metadata()?.created().ok();
            if begun.is_some_and(|begun| born.is_some_and(|born| born > begun)) {
                return Err(came_meanwhile());
            }
            access::remove_all(&path)
        }
        Some(_) => Ok(unlinkat(folder, name, AtFlags::empty())?),
    }
}

fn make_folder(
    folder: &OwnedFd,
    name: &OsStr,
    replaces: bool,
    begun: Option<SystemTime>,
) -> io::Result<()> {
    match kind_at(folder, name)? {
        Some(FileType::Directory) if !replaces => return Ok(()),
        Some(_) if !replaces => return Err(came_meanwhile()),
        _ => clear(folder, name, begun)?,
    }
    Ok(mkdirat(folder, name, Mode::RWXU)?)
}

fn came_meanwhile() -> io::Error {
    io::Error::other("something else came there while the command ran")
}

/// Removes the marks of the overlay from an entry; a link has none.
fn forget_overlay(folder: &OwnedFd, name: &OsStr) {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(opened) = openat(folder, name, flags, Mode::empty()) else {
        return;
    };
    for mark in OF_OVERLAY {
        let _ = removexattr(access::at(&opened), *mark);
    }
}

/// Moves an entry from the layer into a folder; onto another file system it is copied, and then put in place at once.
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
            Ok(symlinkat(
                OsStr::from_bytes(target.to_bytes()),
                real,
                beside,
            )?)
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
    // Whoever made it may have closed it to its owner.
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
    let time = Timespec {
        tv_sec: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: since.subsec_nanos().into(),
    };
    let times = Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: rustix::fs::UTIME_OMIT,
        },
        last_modification: time,
    };
    Ok(utimensat(
        CWD,
        access::at(folder),
        &times,
        AtFlags::empty(),
    )?)
}
