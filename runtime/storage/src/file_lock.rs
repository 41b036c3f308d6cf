//! Locks between processes, acquired with a time limit.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The maximum time to wait for the lock of a folder; its holder replaces a small file.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The time between attempts: most locks are held for the duration of one small write.
const PAUSE: Duration = Duration::from_millis(2);

/// An exclusive lock that this process holds until the value is dropped.
#[derive(Debug)]
pub struct FileLock {
    _file: Option<File>,
}

/// The error of a lock that could not be acquired in time; it contains the holder.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{}` has been locked by {} for {} seconds; wait until that process has ended, or end it, and try again",
    path.display(), HolderDisplay(*holder), waited.as_secs_f32().ceil()
)]
pub struct LockTimeout {
    /// The locked path.
    path: PathBuf,
    /// The process that holds the lock, if the operating system reports it.
    holder: Option<u32>,
    waited: Duration,
}

impl FileLock {
    /// Locks the folder of a file, which is created if it does not exist; blocks the thread for at most five seconds.
    ///
    /// The folder is locked instead of the file, since the file is replaced. If folders cannot be locked, no lock is
    /// held: a replacement is still atomic.
    pub fn lock_parent_of(path: &Path) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder)?;
        match File::open(folder) {
            Ok(file) => match Self::on_file(file, folder, MAX_WAIT) {
                Err(error) if error.kind() != ErrorKind::TimedOut => Ok(Self { _file: None }),
                locked => locked,
            },
            Err(_) => Ok(Self { _file: None }),
        }
    }

    /// Locks an open file if no other process has locked it.
    pub fn try_lock(file: File) -> io::Result<Option<Self>> {
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: Some(file) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Locks an open file; blocks the thread for at most `longest`.
    ///
    /// # Errors
    ///
    /// Fails with [`LockTimeout`] of the kind [`ErrorKind::TimedOut`] if another process holds the lock for that time,
    /// and if the file cannot be locked.
    pub fn on_file(file: File, path: &Path, longest: Duration) -> io::Result<Self> {
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: Some(file) }),
                Err(TryLockError::WouldBlock) if begun.elapsed() < longest => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => return Err(LockTimeout::error(path, longest)),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

impl LockTimeout {
    /// Returns the error for a lock that timed out, with its current holder.
    pub fn error(path: &Path, waited: Duration) -> io::Error {
        let timeout = Self {
            path: path.to_owned(),
            holder: holder(path),
            waited,
        };
        io::Error::new(ErrorKind::TimedOut, timeout)
    }
}

/// Displays a process with its name, if it has one.
struct HolderDisplay(Option<u32>);

impl std::fmt::Display for HolderDisplay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(process) = self.0 else {
            return f.write_str("another process");
        };
        if process == std::process::id() {
            return write!(f, "this process ({process})");
        }
        write!(f, "process {process}")?;
        // Every process can choose its own name.
        let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        let name: String = name.trim().chars().filter(|c| !c.is_control()).collect();
        if name.is_empty() {
            Ok(())
        } else {
            write!(f, " ({name})")
        }
    }
}

/// Returns the process that holds the lock of a file, from the list of Linux.
#[cfg(target_os = "linux")]
fn holder(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;

    let inode = fs::metadata(path).ok()?.ino();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| parse_lock_line(line, inode))
}

#[cfg(not(target_os = "linux"))]
fn holder(_: &Path) -> Option<u32> {
    None
}

/// Parses a line of `/proc/locks`: `1: FLOCK  ADVISORY  WRITE 708 08:02:393257 0 EOF`. A line with `->` is a process
/// that waits for a lock.
///
/// The device is not compared: for file systems with volumes it differs from that of `stat`.
#[cfg(target_os = "linux")]
fn parse_lock_line(line: &str, inode: u64) -> Option<u32> {
    let mut words = line.split_whitespace().skip(1);
    if words.next()? != "FLOCK" {
        return None;
    }
    let process = words.nth(2)?.parse().ok()?;
    let place = words.next()?.rsplit(':').next()?;
    (place.parse() == Ok(inode) && process != 0).then_some(process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_waited_for_no_longer_than_said_and_the_error_names_its_holder() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings");
        let held = FileLock::lock_parent_of(&path).expect("nobody has it");
        let file = File::open(folder.path()).expect("a folder");
        let error = FileLock::on_file(file, folder.path(), Duration::from_millis(30));
        let error = error.expect_err("it is held");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        let text = error.to_string();
        assert!(text.contains(&*folder.path().to_string_lossy()), "{text}");
        if cfg!(target_os = "linux") {
            let own = format!("by this process ({})", std::process::id());
            assert!(text.contains(&own), "{text}");
        }
        drop(held);
        FileLock::lock_parent_of(&path).expect("nobody has it");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn holders_are_read_from_the_list_of_the_kernel() {
        let holder = |line| parse_lock_line(line, 393_257);
        assert_eq!(
            holder("1: FLOCK  ADVISORY  WRITE 708 08:02:393257 0 EOF"),
            Some(708)
        );
        for line in [
            "1: -> FLOCK  ADVISORY  WRITE 709 08:02:393257 0 EOF",
            "2: POSIX  ADVISORY  WRITE 708 08:02:393257 0 EOF",
            "3: FLOCK  ADVISORY  WRITE 708 08:02:39325 0 EOF",
            "4: FLOCK  ADVISORY  WRITE 0 08:02:393257 0 EOF",
            "5: FLOCK",
            "",
        ] {
            assert_eq!(holder(line), None, "{line}");
        }
    }
}
