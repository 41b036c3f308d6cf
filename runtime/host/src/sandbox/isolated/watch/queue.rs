//! A queue of file system events: inotify(7).

use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::super::owner_access;

/// The size of the read buffer, in bytes.
const BUFFER_BYTES: usize = 64 << 10;
/// More than the greatest size of an event: `struct inotify_event`, a name of 255 bytes, and the alignment.
const MAX_EVENT_BYTES: usize = 512;

/// The ID of a watched folder: the kernel assigns the number, and does not reuse it while the queue is open.
pub(super) type FolderId = i32;

/// An event in a watched folder.
#[derive(Debug)]
pub(super) struct WatchEvent {
    pub(super) folder: FolderId,
    pub(super) name: OsString,
    pub(super) kind: WatchEventKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WatchEventKind {
    /// A folder was created in, or moved to, the watched folder.
    NewFolder,
    /// Another file was created in, linked to, or moved to the watched folder.
    NewFile,
    /// A file was written.
    Written,
    /// A file that was open for writing was closed.
    Closed,
    /// An entry was removed, or moved away.
    Removed,
    /// The watched folder itself is gone, or is not watched any more.
    Ignored,
}

/// The events of one read.
#[derive(Debug, Default)]
pub(super) struct EventBatch {
    pub(super) changes: Vec<WatchEvent>,
    /// Whether the kernel dropped events, because the queue was full.
    pub(super) overflowed: bool,
}

#[derive(Debug)]
pub(super) struct InotifyQueue {
    fd: OwnedFd,
    buffer: Vec<MaybeUninit<u8>>,
}

impl InotifyQueue {
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self {
            fd: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            buffer: vec![MaybeUninit::uninit(); BUFFER_BYTES],
        })
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Watches a folder for new entries. A folder that is watched already keeps its number, so this also identifies an
    /// open folder among the watched folders.
    pub(super) fn add(&self, folder: &OwnedFd) -> io::Result<FolderId> {
        self.add_with(folder, WatchFlags::empty())
    }

    /// Like [`add`](Self::add), with additional events.
    pub(super) fn add_with(&self, folder: &OwnedFd, more: WatchFlags) -> io::Result<FolderId> {
        let flags = WatchFlags::CREATE
            | WatchFlags::MOVED_TO
            | WatchFlags::ONLYDIR
            | WatchFlags::MASK_ADD
            | more;
        let path = owner_access::proc_fd_path(folder);
        owner_access::with_owner_access(folder, || {
            Ok(inotify::add_watch(&self.fd, path.as_str(), flags)?)
        })
    }

    pub(super) fn remove(&self, folder: FolderId) {
        // A folder that is gone is not watched any more.
        let _ = inotify::remove_watch(&self.fd, folder);
    }

    /// Returns the number of reads that are needed for all pending events.
    pub(super) fn batches(&self) -> io::Result<usize> {
        let bytes = usize::try_from(rustix::io::ioctl_fionread(&self.fd)?).unwrap_or(usize::MAX);
        Ok(bytes.div_ceil(BUFFER_BYTES - MAX_EVENT_BYTES))
    }

    /// Reads a batch of events; an empty batch if there are no more.
    pub(super) fn read_batch(&mut self) -> io::Result<EventBatch> {
        let mut part = EventBatch::default();
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
                part.changes.push(WatchEvent {
                    folder: event.wd(),
                    name: OsStr::from_bytes(name).to_owned(),
                    kind: kind(event.events()),
                });
            }
            // All events of one read are returned: the rest of the buffer would be lost.
            if reader.is_buffer_empty() {
                break;
            }
        }
        Ok(part)
    }
}

fn kind(events: ReadFlags) -> WatchEventKind {
    if events.contains(ReadFlags::IGNORED) {
        WatchEventKind::Ignored
    } else if events.contains(ReadFlags::MODIFY) {
        WatchEventKind::Written
    } else if events.contains(ReadFlags::CLOSE_WRITE) {
        WatchEventKind::Closed
    } else if events.intersects(ReadFlags::DELETE | ReadFlags::MOVED_FROM) {
        WatchEventKind::Removed
    } else if events.contains(ReadFlags::ISDIR) {
        WatchEventKind::NewFolder
    } else {
        WatchEventKind::NewFile
    }
}
