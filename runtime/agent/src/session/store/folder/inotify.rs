//! Notices of the kernel about the files of a folder, through inotify.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use rustix::fs::inotify;

use super::super::POLL_INTERVAL;
use crate::session::store::StoreWatch;
use crate::session::store::changes::{self, Watcher, Watchers};
use helve_core::support::lock::Mutex;
use helve_core::transcript::SessionId;
use helve_storage::private_files;

/// The interval at which a folder is polled in spite of notices: programs of older versions do not announce postings,
/// and there are no notices of writes on another machine.
const SLOW_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// The size of the buffer for notices, in bytes. The longest notice takes less than 300 bytes.
const BUFFER_BYTES: usize = 4 << 10;

/// The notices about one folder, while somebody watches it.
#[derive(Debug, Default)]
pub(super) struct FolderChanges {
    watch: Mutex<Weak<FolderWatch>>,
}

/// A thread that reads the notices about a folder. It ends when this value is dropped.
#[derive(Debug)]
struct FolderWatch {
    watchers: Arc<Watchers>,
    notices: Arc<OwnedFd>,
    /// The number of the watch.
    number: i32,
}

impl FolderChanges {
    /// Watches a session of the folder, or all sessions. Without notices the folder is polled.
    pub(super) fn watch(&self, folder: &Path, session: Option<&SessionId>) -> StoreWatch {
        let watch = match self.start(folder) {
            Ok(watch) => watch,
            Err(error) => {
                tracing::debug!(%error, folder = %folder.display(), "the folder is polled");
                return changes::poll(POLL_INTERVAL);
            }
        };
        let watcher = watch.watchers.add(session);
        let next = async |state: (Arc<FolderWatch>, Arc<Watcher>)| {
            // A timeout is as good as a notice.
            let _ = tokio::time::timeout(SLOW_POLL_INTERVAL, state.1.changed()).await;
            Some(((), state))
        };
        stream::unfold((watch, watcher), next).boxed()
    }

    fn start(&self, folder: &Path) -> io::Result<Arc<FolderWatch>> {
        let mut current = self.watch.lock();
        if let Some(watch) = current.upgrade() {
            return Ok(watch);
        }
        private_files::create_folder(folder)?;
        let notices = Arc::new(inotify::init(inotify::CreateFlags::CLOEXEC)?);
        let about = inotify::WatchFlags::ATTRIB
            | inotify::WatchFlags::CREATE
            | inotify::WatchFlags::DELETE
            | inotify::WatchFlags::MODIFY
            | inotify::WatchFlags::MOVED_TO;
        let number = inotify::add_watch(&notices, folder, about)?;
        let watchers = Arc::new(Watchers::default());
        let thread = std::thread::Builder::new().name("session-changes".to_owned());
        let (read_from, notify) = (notices.clone(), watchers.clone());
        thread.spawn(move || read_notices(&read_from, &notify))?;
        let watch = Arc::new(FolderWatch {
            watchers,
            notices,
            number,
        });
        *current = Arc::downgrade(&watch);
        Ok(watch)
    }
}

impl Drop for FolderWatch {
    fn drop(&mut self) {
        // The kernel says that the watch is gone, and the thread ends.
        let _ = inotify::remove_watch(&self.notices, self.number);
    }
}

/// Wakes the watchers of the sessions that the notices are about, until the watch is gone.
fn read_notices(notices: &OwnedFd, watchers: &Watchers) {
    let mut buffer = [const { MaybeUninit::uninit() }; BUFFER_BYTES];
    let mut reader = inotify::Reader::new(notices, &mut buffer);
    loop {
        let notice = match reader.next() {
            Ok(notice) => notice,
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => {
                tracing::warn!(%error, "the folder of the sessions is polled from now on");
                return;
            }
        };
        let name = notice.file_name().and_then(|name| name.to_str().ok());
        if let Some(name) = name {
            let suffixes = [".jsonl", ".inbox"];
            if let Some(id) = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)) {
                watchers.notify(Some(id));
            }
        } else {
            // The folder itself, or notices that were lost.
            watchers.notify(None);
        }
        if notice.events().contains(inotify::ReadFlags::IGNORED) {
            return;
        }
    }
}
