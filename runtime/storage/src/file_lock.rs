//! Locks between processes that are never waited for without a limit.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the lock of a folder is waited for: its holder replaces a small file.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// How long to wait before the next try: most locks are held for the time of one small write.
const PAUSE: Duration = Duration::from_millis(2);

/// An exclusive lock that this process holds until the value is dropped.
#[derive(Debug)]
pub struct FileLock {
    _file: Option<File>,
}

/// A lock could not be taken in time; the error names its holder.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{}` has been locked by {} for {} seconds; wait until that process has ended, or end it, and try again",
    path.display(), HolderDisplay(*holder), waited.as_secs_f32().ceil()
)]
pub struct LockTimeout {
    /// What is locked.
    path: PathBuf,
    /// The process that holds the lock, where the operating system reports it.
    holder: Option<u32>,
    waited: Duration,
}

impl FileLock {
    /// Locks the folder of a file, which is created where it does not exist; blocks the thread for at most five seconds.
    ///
    /// The folder is locked and not the file, since the file is replaced. Where a folder cannot be locked, there is no
    /// lock: a replacement is atomic all the same.
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
    /// Fails with [`LockTimeout`] of the kind [`ErrorKind::TimedOut`] where another process holds the lock for so long, and
    /// where the file cannot be locked.
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
    /// Returns the error for a lock that was waited for in vain, with its holder of this moment.
    pub fn error(path: &Path, waited: Duration) -> io::Error {
        let timeout = Self {
            path: path.to_owned(),
            holder: holder(path),
            waited,
        };
        io::Error::new(ErrorKind::TimedOut, timeout)
    }
}

/// Shows a process with its name, where it has one.
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
        // Any process chooses its own name.
        let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        let name: String = name.trim().chars().filter(|c| !c.is_control()).collect();
        if name.is_empty() {
            Ok(())
        } else {
            write!(f, " ({name})")
        }
    }
}

/// Looks up which process holds the lock of a file: Linux lists them.
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

/// Reads a line of `/proc/locks`: `1: FLOCK  ADVISORY  WRITE 708 08:02:393257 0 EOF`. A line with `->` waits for a lock.
///
/// The device is not compared: file systems with volumes show another one there than `stat` does.
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
