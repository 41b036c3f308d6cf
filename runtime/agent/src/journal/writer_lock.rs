//! Locks that give each journal one writer, without an open file for each journal.
//!
//! A lock of the operating system lasts as long as the file is open, and a process can open about a thousand files,
//! which is less than the number of sessions that a server holds. A process therefore locks one file of its own while
//! it lives, and *claims* journals by small files that name its lock file:
//!
//! - `PROCESS.lock`: locked by a process while it lives, and unlocked however the process dies. It identifies the
//!   process.
//! - `NAME.claim`: contains the name of the process that holds the journal `NAME`.
//! - `claims.lock`: locked briefly while a claim is checked and made.
//!
//! A claim is valid while the process that it names holds its lock. The files of a dead process are ignored, so a crash
//! requires neither cleaning up nor waiting. All of these files are in the folder `.writers`, beside the journals.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{JournalError, Timestamp};
use helve_core::support::lock::Mutex;
use helve_core::support::random;
use helve_storage::file_lock::FileLock;
use helve_storage::private_files;

/// The maximum time to wait while another process claims a journal. A process that was stopped can exceed it.
const FOLDER_LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Claims journals of one folder for this process.
#[derive(Debug, Clone)]
pub struct WriterLocks {
    inner: Arc<WriterLocksInner>,
}

#[derive(Debug)]
struct WriterLocksInner {
    folder: PathBuf,
    /// The lock file of this process, from the first claim on.
    process_lock: Mutex<Option<ProcessLock>>,
}

#[derive(Debug)]
struct ProcessLock {
    name: String,
    /// The file is locked while it is open.
    _lock: File,
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
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} (`{}`)", self.process, self.program)
    }
}

/// The lock on a journal for this process. Dropping it releases the journal.
#[derive(Debug)]
pub struct WriterLock {
    path: PathBuf,
    /// Keeps the lock of the process alive as long as there are claims.
    _inner: Arc<WriterLocksInner>,
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // If the removal fails, the claim ends with the process.
        let _ = fs::remove_file(&self.path);
    }
}

impl WriterLocks {
    /// Creates the locks for the journals of a folder. Nothing is written before the first claim.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            inner: Arc::new(WriterLocksInner {
                folder: folder.join(".writers"),
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
        let _moment = self.lock_folder().map_err(failed())?;
        let own = self.process_lock_name().map_err(failed())?;
        let path = folder.join(format!("{name}.claim"));
        if let Some(claimed) = read(&path).map_err(failed())?
            && let Some(holder) = self.live_holder(&claimed).map_err(failed())?
        {
            return Err(JournalError::Locked {
                path: folder.with_file_name(name),
                holder,
            });
        }
        fs::write(&path, own).map_err(failed())?;
        Ok(WriterLock {
            path,
            _inner: self.inner.clone(),
        })
    }

    /// Waits for the lock of the folder. The lock is held only briefly, unless a process is stopped while it holds the
    /// lock; the wait is limited for this reason.
    fn lock_folder(&self) -> io::Result<FileLock> {
        let path = self.inner.folder.join("claims.lock");
        let moment = private_files::read_write().open(&path)?;
        FileLock::on_file(moment, &path, FOLDER_LOCK_TIMEOUT)
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
        let holder = LockHolder {
            process: std::process::id(),
            program: program_name(),
            since: Timestamp::now(),
        };
        file.write_all(serde_json::to_string(&holder)?.as_bytes())?;
        self.remove_stale_locks(&name);
        *own = Some(ProcessLock {
            name: name.clone(),
            _lock: file,
        });
        Ok(name)
    }

    /// Returns the holder behind the name of a lock file, if its process is alive. The caller holds the folder lock.
    fn live_holder(&self, name: &str) -> io::Result<Option<Option<LockHolder>>> {
        let is_plain = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        if !name.bytes().all(is_plain) {
            return Ok(None);
        }
        let path = self.lock_path(name);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => {
                let holder = fs::read(&path).ok();
                let holder = holder.and_then(|text| serde_json::from_slice(&text).ok());
                Ok(Some(holder))
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
            if is_other && matches!(self.live_holder(name), Ok(None)) {
                let _ = fs::remove_file(&path);
            }
        }
    }

    fn lock_path(&self, name: &str) -> PathBuf {
        self.inner.folder.join(format!("{name}.lock"))
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

fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_a_journal_and_it_says_who() {
        let folder = tempfile::tempdir().unwrap();
        let mine = WriterLocks::new(folder.path());
        let other = WriterLocks::new(folder.path());
        let claim = mine.lock("a").unwrap();
        let _another = other.lock("b").unwrap();
        for writers in [&mine, &other] {
            let error = writers.lock("a").unwrap_err();
            let JournalError::Locked { path, holder } = error else {
                panic!("{error}");
            };
            assert_eq!(path, folder.path().join("a"));
            assert_eq!(holder.unwrap().process, std::process::id());
        }
        drop(claim);
        drop(other.lock("a").unwrap());
    }

    #[test]
    fn what_a_dead_process_left_behind_counts_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let dead = folder.path().join(".writers");
        private_files::create_folder(&dead).unwrap();
        // The process died while it held one journal and was claiming another.
        fs::write(dead.join("99-00.lock"), "{}").unwrap();
        fs::write(dead.join("a.claim"), "99-00").unwrap();
        fs::write(dead.join("b.claim"), "").unwrap();
        fs::write(dead.join("c.claim"), "../../etc/passwd").unwrap();
        let writers = WriterLocks::new(folder.path());
        let claims = ["a", "b", "c"].map(|name| writers.lock(name).unwrap());
        assert!(!dead.join("99-00.lock").exists());
        drop(claims);
        drop(writers);
        let left: Vec<_> = fs::read_dir(&dead)
            .unwrap()
            .map(|file| file.unwrap().file_name())
            .collect();
        assert_eq!(left, ["claims.lock"]);
    }

    #[test]
    fn a_thousand_journals_take_one_open_file() {
        let folder = tempfile::tempdir().unwrap();
        let writers = WriterLocks::new(folder.path());
        let claims: Vec<_> = (0..1_000)
            .map(|name| writers.lock(&name.to_string()).unwrap())
            .collect();
        let open = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        let with_claims = open();
        drop(claims);
        // Other tests of this process open files too, but not a thousand.
        assert!(with_claims < open() + 500);
    }
}
