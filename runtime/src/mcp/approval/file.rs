//! A file that only its user reads, replaced as a whole by one process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long another process may keep the folder to itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait before the next try.
const PAUSE: Duration = Duration::from_millis(20);

/// Keeps other processes from changing the files of a folder until it is dropped.
///
/// The folder is what is locked: the files themselves are replaced. Where a folder cannot be locked, a change is still
/// whole.
pub(super) struct Lock {
    _folder: Option<File>,
}

impl Lock {
    /// Waits until nobody else changes the folder, which is made where it is not there.
    pub(super) fn of_folder_of(path: &Path) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let Ok(folder) = File::open(folder) else {
            return Ok(Self { _folder: None });
        };
        let started = Instant::now();
        loop {
            match folder.try_lock() {
                Ok(()) => {
                    return Ok(Self {
                        _folder: Some(folder),
                    });
                }
                Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                    thread::sleep(PAUSE)
                }
                Err(TryLockError::WouldBlock) => {
                    let why =
                        "another process has been changing the files of its folder for 10 seconds";
                    return Err(io::Error::new(ErrorKind::TimedOut, why));
                }
                Err(TryLockError::Error(_)) => return Ok(Self { _folder: None }),
            }
        }
    }

    /// Writes the text beside the file, and puts it in its place once it is on disk.
    pub(super) fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        let beside = path.with_extension(format!("{}.new", std::process::id()));
        // What a process of that number left behind could be readable by others.
        let _ = fs::remove_file(&beside);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(&beside).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        let replaced = written.and_then(|()| fs::rename(&beside, path));
        if replaced.is_err() {
            let _ = fs::remove_file(&beside);
        }
        replaced
    }
}

/// Reads a file of so many bytes at most; `None` where there is none.
pub(super) fn read(path: &Path, longest: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        // A home that is no folder, `/dev/null` for instance, has none either.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let mut content = Vec::new();
    file.take(longest + 1).read_to_end(&mut content)?;
    if content.len() as u64 > longest {
        let why = format!("it is longer than {longest} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, why));
    }
    Ok(Some(content))
}
