//! The kernel's queue of changes in folders: inotify(7).

use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::super::access;

/// How many bytes of changes are taken at once.
const PART: usize = 64 << 10;
/// More than one change ever takes: `struct inotify_event`, a name of 255 bytes, and what aligning them costs.
const LONGEST: usize = 512;

/// Which watched folder: the number is the kernel's, and is not used again while the queue is open.
pub(super) type FolderId = i32;

/// Something that happened in a watched folder.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) folder: FolderId,
    pub(super) name: OsString,
    pub(super) kind: ChangeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeKind {
    /// A folder was made here, or moved to here.
    NewFolder,
    /// Anything else was made here, linked or moved to here.
    NewFile,
    /// A file was written.
    Written,
    /// A file was closed that was open for writing.
    Closed,
    /// Something was removed here, or moved away from here.
    Removed,
    /// The folder itself is gone, or is not watched any more.
    Gone,
}

/// What one look at the queue gave.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) changes: Vec<Change>,
    /// Whether the kernel dropped changes, because more happened than the queue holds.
    pub(super) overflowed: bool,
}

#[derive(Debug)]
pub(super) struct Queue {
    fd: OwnedFd,
    buffer: Vec<MaybeUninit<u8>>,
}

impl Queue {
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self {
            fd: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            buffer: vec![MaybeUninit::uninit(); PART],
        })
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Watches a folder for what comes into being in it. A folder that is watched already keeps its number, so this also
    /// tells which of the watched folders an open one is.
    pub(super) fn add(&self, folder: &OwnedFd) -> io::Result<FolderId> {
        self.add_for(folder, WatchFlags::empty())
    }

    /// Watches a folder for changes of the files in it, too.
    pub(super) fn add_with_contents(&self, folder: &OwnedFd) -> io::Result<FolderId> {
        self.add_for(folder, WatchFlags::MODIFY)
    }

    /// Watches a folder for files in it that are closed after they were open for writing, too.
    pub(super) fn add_with_closings(&self, folder: &OwnedFd) -> io::Result<FolderId> {
        self.add_for(folder, WatchFlags::CLOSE_WRITE)
    }

    /// Watches a folder for what is removed from it, too.
    pub(super) fn add_with_removals(&self, folder: &OwnedFd) -> io::Result<FolderId> {
        self.add_for(folder, WatchFlags::DELETE | WatchFlags::MOVED_FROM)
    }

    fn add_for(&self, folder: &OwnedFd, more: WatchFlags) -> io::Result<FolderId> {
        let flags = WatchFlags::CREATE
            | WatchFlags::MOVED_TO
            | WatchFlags::ONLYDIR
            | WatchFlags::MASK_ADD
            | more;
        access::within(folder, || {
            Ok(inotify::add_watch(&self.fd, access::at(folder), flags)?)
        })
    }

    pub(super) fn remove(&self, folder: FolderId) {
        // A folder that is gone is not watched any more.
        let _ = inotify::remove_watch(&self.fd, folder);
    }

    /// Returns in how many parts all can be taken that has happened until now.
    pub(super) fn parts(&self) -> io::Result<usize> {
        let bytes = usize::try_from(rustix::io::ioctl_fionread(&self.fd)?).unwrap_or(usize::MAX);
        Ok(bytes.div_ceil(PART - LONGEST))
    }

    /// Takes a part of what has happened; an empty one when there is no more.
    pub(super) fn take(&mut self) -> io::Result<Part> {
        let mut part = Part::default();
        let mut reader = Reader::new(&self.fd, &mut self.buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            };
            if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                part.overflowed = true;
            } else {
                let name = event.file_name().map_or(&b""[..], |name| name.to_bytes());
                part.changes.push(Change {
                    folder: event.wd(),
                    name: OsStr::from_bytes(name).to_owned(),
                    kind: kind(event.events()),
                });
            }
            // What the kernel gave at once is taken to its end: the rest of it would be lost.
            if reader.is_buffer_empty() {
                break;
            }
        }
        Ok(part)
    }
}

fn kind(events: ReadFlags) -> ChangeKind {
    if events.contains(ReadFlags::IGNORED) {
        ChangeKind::Gone
    } else if events.contains(ReadFlags::MODIFY) {
        ChangeKind::Written
    } else if events.contains(ReadFlags::CLOSE_WRITE) {
        ChangeKind::Closed
    } else if events.intersects(ReadFlags::DELETE | ReadFlags::MOVED_FROM) {
        ChangeKind::Removed
    } else if events.contains(ReadFlags::ISDIR) {
        ChangeKind::NewFolder
    } else {
        ChangeKind::NewFile
    }
}
