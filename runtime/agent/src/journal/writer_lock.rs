//! Locks that give each journal one writer, without an open file for each journal.
//!
//! A lock of the operating system lasts as long as the file is open, and a process can open about a thousand files,
//! which is less than the number of sessions that a server holds. A process therefore locks one file of its own while
//! it lives, and *claims* journals by small files that name its lock file:
//!
//! - `PROCESS.lock`: locked by a process while it lives, and unlocked however the process dies. It identifies the
//!   process.
//! - `NAME.claim`: contains the name of the process that holds the journal `NAME`.
//! - `NAME.epoch`: contains the number of claims on `NAME` so far, which is the epoch of the last one.
//! - `claims.lock`: locked briefly while a claim is checked and made.
//!
//! A claim is valid while the process that it names holds its lock. The files of a dead process are ignored, so a crash
//! requires neither cleaning up nor waiting. All of these files are in the folder `.writers`, beside the journals.
//!
//! # Leases
//!
//! A process that is stopped holds its lock, so its claims are leases: the process renews them through the
//! modification time of its lock file, and a claim whose lease has expired can be taken over, in the next epoch. A
//! holder that was not stopped knows from its clock that its leases are valid. One that was reads its claims again
//! before it writes, and once more afterwards: a write between the takeover and the second check is reported as failed.
//! The system's clock is used on both sides, so that a clock that is changed costs at most the lease.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::{JournalError, Lease, Timestamp};
use helve_core::support::lock::Mutex;
use helve_core::support::random;
use helve_storage::file_lock::FileLock;
use helve_storage::private_files;

/// The maximum time to wait while another process claims a journal. A process that was stopped can exceed it.
const FOLDER_LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The time for which a lease lasts after it was renewed.
const LEASE_TIME: Duration = Duration::from_secs(45);
/// A lease is renewed so many times while it lasts.
const RENEWALS: u32 = 4;

/// Claims journals of one folder for this process.
#[derive(Debug, Clone)]
pub struct WriterLocks {
    inner: Arc<WriterLocksInner>,
}

#[derive(Debug)]
struct WriterLocksInner {
    folder: PathBuf,
    lease_time: Duration,
    /// The lock file of this process, from the first claim on.
    process_lock: Mutex<Option<ProcessLock>>,
}

#[derive(Debug)]
struct ProcessLock {
    name: String,
    /// The file is locked while it is open.
    file: File,
    /// The time at which the leases were last renewed.
    renewed: SystemTime,
    claims: Vec<Weak<ClaimedJournal>>,
    /// Dropping it ends the thread that renews the leases.
    _renewal: Sender<()>,
}

/// A claim of this process on a journal.
#[derive(Debug)]
struct ClaimedJournal {
    path: PathBuf,
    lease: Lease,
}

/// The process that holds a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockHolder {
    /// The id of the process.
    pub process: u32,
    /// The program.
    pub program: String,
    /// The time since which the process writes to journals of this folder.
    pub since: Timestamp,
    /// How long the leases of the process last after it has renewed them, in milliseconds; `None` for a program that
    /// does not renew them, and holds its journals until it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<u64>,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} (`{}`)", self.process, self.program)
    }
}

/// The state of the process behind the name of a lock file.
enum HolderState {
    /// The process has ended.
    Ended,
    /// The process lives, and has not renewed its leases in time.
    Expired,
    Live(Option<LockHolder>),
}

/// The lock on a journal for this process. Dropping it releases the journal.
#[derive(Debug)]
pub struct WriterLock {
    claim: Arc<ClaimedJournal>,
    /// Whether the lease of a process that still lives had expired.
    is_takeover: bool,
    /// Keeps the lock of the process alive as long as there are claims.
    inner: Arc<WriterLocksInner>,
}

impl WriterLock {
    /// Returns the lease.
    #[must_use]
    pub fn lease(&self) -> &Lease {
        &self.claim.lease
    }

    /// Checks that no other process has taken over. To write exclusively, a process checks this after it has locked
    /// the file of the journal, and again after it has written.
    ///
    /// # Errors
    /// [`JournalError::LeaseLost`] if another process has taken over. Files are read only if the lease was not renewed
    /// in time.
    pub fn check(&self) -> Result<(), JournalError> {
        let lease = self.lease();
        if !lease.is_lost() && !self.inner.is_fresh() {
            let folder = &self.inner.folder;
            let renewed = self.inner.renew_late();
            renewed.map_err(JournalError::io(folder, "renew the lease in"))?;
        }
        if !lease.is_lost() {
            return Ok(());
        }
        let name = self.claim.path.file_stem().unwrap_or_default();
        Err(JournalError::LeaseLost {
            path: self.inner.folder.with_file_name(name),
            epoch: lease.epoch(),
        })
    }

    /// Reports whether the journal was taken over from a process that lives, which may still have its file open.
    pub(crate) fn is_takeover(&self) -> bool {
        self.is_takeover
    }

    /// Releases the journal, which was removed, and removes the number of its epochs.
    pub(crate) fn remove(self) {
        let _ = fs::remove_file(self.claim.path.with_extension("epoch"));
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        let claim = &self.claim;
        let is_ours = || match &*self.inner.process_lock.lock() {
            Some(own) => claim.is_current(&own.name),
            None => false,
        };
        if !claim.lease.is_lost() && (self.inner.is_fresh() || is_ours()) {
            // If the removal fails, the claim ends with the process.
            let _ = fs::remove_file(&claim.path);
        }
    }
}

impl ClaimedJournal {
    /// Reports whether the claim is the last one on its journal. The claim names the process, and its epoch the claim.
    fn is_current(&self, process: &str) -> bool {
        let claimed = read(&self.path).ok().flatten();
        claimed.is_some_and(|claimed| claimed == process)
            && read_epoch(&self.path).is_ok_and(|epoch| epoch == self.lease.epoch())
    }
}

impl WriterLocks {
    /// Creates the locks for the journals of a folder. Nothing is written before the first claim.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self::with_lease_time(folder, LEASE_TIME)
    }

    /// Creates the locks for the journals of a folder, with leases that last for the given time instead of 45 seconds.
    #[must_use]
    pub fn with_lease_time(folder: &Path, lease_time: Duration) -> Self {
        Self {
            inner: Arc::new(WriterLocksInner {
                folder: folder.join(".writers"),
                lease_time,
                process_lock: Mutex::new(None),
            }),
        }
    }

    /// Claims a journal for this process.
    ///
    /// # Errors
    /// [`JournalError::Locked`] if the journal is locked, by this process or another.
    pub fn lock(&self, name: &str) -> Result<WriterLock, JournalError> {
        let folder = &self.inner.folder;
        private_files::create_folder(folder).map_err(JournalError::io(folder, "create"))?;
        let failed = || JournalError::io(folder, "claim a journal in");
        let _moment = self.inner.lock_folder().map_err(failed())?;
        let own = self.process_lock_name().map_err(failed())?;
        let path = folder.join(format!("{name}.claim"));
        let mut is_takeover = false;
        if let Some(claimed) = read(&path).map_err(failed())? {
            match self.holder_state(&claimed).map_err(failed())? {
                HolderState::Live(holder) => {
                    let path = folder.with_file_name(name);
                    return Err(JournalError::Locked { path, holder });
                }
                HolderState::Expired => is_takeover = true,
                HolderState::Ended => {}
            }
        }
        let epoch = next_epoch(&path).map_err(failed())?;
        fs::write(&path, own).map_err(failed())?;
        let lease = Lease::new(epoch);
        let claim = Arc::new(ClaimedJournal { path, lease });
        self.inner.add_claim(&claim).map_err(failed())?;
        Ok(WriterLock {
            claim,
            is_takeover,
            inner: self.inner.clone(),
        })
    }

    /// Ends the leases of this process, as if it had been stopped for longer than they last. They are renewed with the
    /// next write, unless another process has taken over by then.
    ///
    /// # Errors
    /// The lock file of this process cannot be changed.
    pub fn expire(&self) -> Result<(), JournalError> {
        let mut own = self.inner.process_lock.lock();
        let Some(own) = own.as_mut() else {
            return Ok(());
        };
        own.renewed = SystemTime::UNIX_EPOCH;
        let expired = own.file.set_modified(own.renewed);
        expired.map_err(JournalError::io(&self.inner.folder, "change a file in"))
    }

    /// Returns the name of the lock file of this process. The caller holds the folder lock.
    fn process_lock_name(&self) -> io::Result<String> {
        let mut own = self.inner.process_lock.lock();
        if let Some(own) = &*own {
            return Ok(own.name.clone());
        }
        let name = format!("{}-{}", std::process::id(), random::hex::<8>());
        let mut file = private_files::read_write().open(self.lock_path(&name))?;
        file.lock()?;
        let lease_time = self.inner.lease_time;
        let holder = LockHolder {
            process: std::process::id(),
            program: program_name(),
            since: Timestamp::now(),
            lease_ms: u64::try_from(lease_time.as_millis()).ok(),
        };
        file.write_all(serde_json::to_string(&holder)?.as_bytes())?;
        self.remove_stale_locks(&name);
        let (renewal, stop) = mpsc::channel();
        let inner = Arc::downgrade(&self.inner);
        let renew = move || renew_repeatedly(&inner, &stop, lease_time / RENEWALS);
        let thread = std::thread::Builder::new().name("leases".to_owned());
        thread.spawn(renew)?;
        *own = Some(ProcessLock {
            name: name.clone(),
            file,
            renewed: SystemTime::UNIX_EPOCH,
            claims: Vec::new(),
            _renewal: renewal,
        });
        Ok(name)
    }

    /// Finds out about the process behind the name of a lock file. The caller holds the folder lock.
    fn holder_state(&self, name: &str) -> io::Result<HolderState> {
        let is_plain = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        if !name.bytes().all(is_plain) {
            return Ok(HolderState::Ended);
        }
        let path = self.lock_path(name);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HolderState::Ended),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(HolderState::Ended),
            Err(TryLockError::WouldBlock) => {
                let text = fs::read(&path).ok();
                let holder = text.and_then(|text| serde_json::from_slice(&text).ok());
                let lease_ms = holder
                    .as_ref()
                    .and_then(|holder: &LockHolder| holder.lease_ms);
                let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
                if lease_ms.is_some_and(|lease| age > Duration::from_millis(lease)) {
                    return Ok(HolderState::Expired);
                }
                Ok(HolderState::Live(holder))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Removes the files of dead processes. The caller holds the folder lock.
    fn remove_stale_locks(&self, own: &str) {
        let files = fs::read_dir(&self.inner.folder).into_iter().flatten();
        for path in files.flatten().map(|file| file.path()) {
            let is_lock = path.extension().is_some_and(|ending| ending == "lock");
            let name = path.file_stem().unwrap_or_default().to_str();
            let name = name.unwrap_or_default();
            let is_other = is_lock && name != "claims" && name != own;
            if is_other && matches!(self.holder_state(name), Ok(HolderState::Ended)) {
                let _ = fs::remove_file(&path);
            }
        }
    }

    fn lock_path(&self, name: &str) -> PathBuf {
        self.inner.folder.join(format!("{name}.lock"))
    }
}

impl WriterLocksInner {
    /// Waits for the lock of the folder. The lock is held only briefly, unless a process is stopped while it holds the
    /// lock; the wait is limited for this reason.
    fn lock_folder(&self) -> io::Result<FileLock> {
        let path = self.folder.join("claims.lock");
        let moment = private_files::read_write().open(&path)?;
        FileLock::on_file(moment, &path, FOLDER_LOCK_TIMEOUT)
    }

    /// Adds a claim, and renews the leases with it. The caller holds the folder lock.
    fn add_claim(&self, claim: &Arc<ClaimedJournal>) -> io::Result<()> {
        let mut own = self.process_lock.lock();
        let Some(own) = own.as_mut() else {
            return Ok(());
        };
        if own.claims.len() == own.claims.capacity() {
            own.claims.retain(|claim| claim.strong_count() > 0);
        }
        own.claims.push(Arc::downgrade(claim));
        match own.is_fresh(self.lease_time) {
            true => Ok(()),
            false => own.check_claims(),
        }
    }

    /// Reports whether the leases were renewed so recently that no other process can have taken over.
    fn is_fresh(&self) -> bool {
        let own = self.process_lock.lock();
        own.as_ref()
            .is_some_and(|own| own.is_fresh(self.lease_time))
    }

    /// Renews the leases in time.
    fn renew(&self) -> io::Result<()> {
        // The time is that before the check: if the process is stopped in between, the renewal changes nothing.
        let now = SystemTime::now();
        if !self.is_fresh() {
            return self.renew_late();
        }
        match &mut *self.process_lock.lock() {
            Some(own) => own.renew(now),
            None => Ok(()),
        }
    }

    /// Renews the leases that no other process has taken over, and signals the loss of the others.
    fn renew_late(&self) -> io::Result<()> {
        let _moment = self.lock_folder()?;
        match &mut *self.process_lock.lock() {
            Some(own) => own.check_claims(),
            None => Ok(()),
        }
    }
}

impl ProcessLock {
    fn is_fresh(&self, lease_time: Duration) -> bool {
        let age = self.renewed.elapsed();
        age.is_ok_and(|age| age <= lease_time / 2)
    }

    fn renew(&mut self, now: SystemTime) -> io::Result<()> {
        self.file.set_modified(now)?;
        self.renewed = now;
        Ok(())
    }

    /// Signals the loss of the claims that other processes have taken over, and renews the leases of the others. The
    /// caller holds the folder lock.
    fn check_claims(&mut self) -> io::Result<()> {
        let now = SystemTime::now();
        let name = &self.name;
        self.claims.retain(|claim| {
            let claim = claim.upgrade();
            claim.is_some_and(|claim| {
                let is_current = claim.is_current(name);
                if !is_current {
                    claim.lease.mark_lost();
                }
                is_current
            })
        });
        self.renew(now)
    }
}

/// Renews the leases of a process while it lives.
fn renew_repeatedly(inner: &Weak<WriterLocksInner>, stop: &Receiver<()>, interval: Duration) {
    while stop.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
        let Some(inner) = inner.upgrade() else {
            return;
        };
        if let Err(error) = inner.renew() {
            tracing::warn!(%error, folder = %inner.folder.display(), "the leases could not be renewed");
        }
    }
}

impl Drop for WriterLocksInner {
    fn drop(&mut self) {
        if let Some(own) = self.process_lock.get_mut().take() {
            let _ = fs::remove_file(self.folder.join(format!("{}.lock", own.name)));
        }
    }
}

fn program_name() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Returns the epoch of the last claim on a journal, by the path of the claim; 0 if there was none.
fn read_epoch(claim: &Path) -> io::Result<u64> {
    let text = read(&claim.with_extension("epoch"))?.unwrap_or_default();
    Ok(text.trim().parse().unwrap_or_default())
}

/// Counts a claim. The number has a fixed width, so that one write replaces it.
fn next_epoch(claim: &Path) -> io::Result<u64> {
    let epoch = read_epoch(claim)? + 1;
    let path = claim.with_extension("epoch");
    let mut file = private_files::read_write().open(path)?;
    file.write_all(format!("{epoch:020}\n").as_bytes())?;
    Ok(epoch)
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
