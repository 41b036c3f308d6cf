//! Writes to sessions of a folder, with a limited number of open files however many sessions there are.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::{Mutex as AsyncMutex, Semaphore};

use super::{blocking, borrow_entries};
use crate::journal::{Durability, JournalError, JournalFile, Lease, Position, WriterLock};
use crate::session::SessionError;
use crate::session::store::{SessionWriter, StoreFuture, TimestampedEntry};
use helve_core::support::lock::Mutex;
use helve_core::transcript::SessionId;

/// The maximum number of journals that stay open after they were written to.
const MAX_OPEN_JOURNALS: usize = 64;
/// The maximum number of concurrent writes: a disk gains nothing from more, and threads are not free.
const MAX_CONCURRENT_WRITES: usize = 16;

#[derive(Debug)]
pub(super) struct FolderWriter {
    id: SessionId,
    lease: Lease,
    slot: Arc<AsyncMutex<JournalSlot>>,
    files: Arc<OpenFiles>,
}

/// A journal that this process holds.
#[derive(Debug)]
struct JournalSlot {
    path: PathBuf,
    position: Position,
    /// The file, while it is open.
    file: Option<JournalFile>,
    /// The lock outlives a write whose future was dropped.
    lock: WriterLock,
}

#[derive(Debug)]
pub(super) struct OpenFiles {
    slots: Mutex<VecDeque<Weak<AsyncMutex<JournalSlot>>>>,
    writing: Arc<Semaphore>,
}

impl Default for OpenFiles {
    fn default() -> Self {
        Self {
            slots: Mutex::default(),
            writing: Arc::new(Semaphore::new(MAX_CONCURRENT_WRITES)),
        }
    }
}

impl OpenFiles {
    /// Records that a journal was opened, and closes those that were opened the longest ago.
    fn track_open(&self, slot: &Arc<AsyncMutex<JournalSlot>>) {
        let mut slots = self.slots.lock();
        slots.push_back(Arc::downgrade(slot));
        // One round at most: journals that are being written to go to the end of the queue.
        for _ in 0..slots.len() {
            if slots.len() <= MAX_OPEN_JOURNALS {
                return;
            }
            let Some(oldest) = slots.pop_front() else {
                return;
            };
            let Some(slot) = oldest.upgrade() else {
                continue;
            };
            match slot.try_lock() {
                Ok(mut slot) => slot.file = None,
                Err(_) => slots.push_back(oldest),
            }
        }
    }
}

impl FolderWriter {
    pub(super) fn new(
        id: &SessionId,
        path: PathBuf,
        files: Arc<OpenFiles>,
        file: JournalFile,
        claim: WriterLock,
    ) -> Self {
        let lease = claim.lease().clone();
        let slot = Arc::new(AsyncMutex::new(JournalSlot {
            path,
            position: file.position(),
            file: Some(file),
            lock: claim,
        }));
        files.track_open(&slot);
        Self {
            id: id.clone(),
            lease,
            slot,
            files,
        }
    }
}

impl SessionWriter for FolderWriter {
    fn append(
        &mut self,
        entries: Arc<[TimestampedEntry]>,
        durability: Durability,
    ) -> StoreFuture<'_, ()> {
        async move {
            let Ok(permit) = self.files.writing.clone().acquire_owned().await else {
                return Err(SessionError::ShuttingDown);
            };
            let mut slot = self.slot.clone().lock_owned().await;
            let was_closed = slot.file.is_none();
            let written = blocking(move || {
                let _permit = permit;
                Ok(slot.append(&entries, durability))
            })
            .await?;
            if was_closed {
                self.files.track_open(&self.slot);
            }
            written.map_err(|error| SessionError::from_journal(&self.id, error))
        }
        .boxed()
    }

    fn position(&mut self) -> BoxFuture<'_, Position> {
        async move { self.slot.lock().await.position }.boxed()
    }

    fn lease(&self) -> Lease {
        self.lease.clone()
    }
}

impl JournalSlot {
    /// Appends entries in the epoch of the lock. An error after the lease was lost is reported as that loss.
    fn append(
        &mut self,
        entries: &[TimestampedEntry],
        durability: Durability,
    ) -> Result<(), JournalError> {
        let written = self.write(entries, durability);
        self.lock.check()?;
        self.position = written?;
        Ok(())
    }

    fn write(
        &mut self,
        entries: &[TimestampedEntry],
        durability: Durability,
    ) -> Result<Position, JournalError> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self
                .file
                .insert(JournalFile::reopen(&self.path, self.position)?),
        };
        // The file is locked now: a process that takes over from here on does so in a copy of the file.
        self.lock.check()?;
        file.append(borrow_entries(entries), durability)
    }
}
