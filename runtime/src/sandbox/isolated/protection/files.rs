//! Files and paths of a workspace, read without trust in what they hold.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};

/// The most that one of Git's files may have to be read.
const FILE: u64 = 1 << 20;

/// Reads a small regular file; nothing of a larger one, since what follows may say the opposite.
pub(super) fn read(file: &Path) -> Option<String> {
    String::from_utf8(read_bytes(file)?).ok()
}

/// Reports whether a file is larger than one of git's is read.
pub(super) fn is_too_large(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.len() > FILE)
}

/// Reads a small regular file. Nothing is waited for: neither a pipe that comes in its place, nor a file of the kernel.
pub(super) fn read_bytes(file: &Path) -> Option<Vec<u8>> {
    let opened = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW)
        .open(file)
        .ok()?;
    if !opened.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    opened.take(FILE + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= FILE).then_some(bytes)
}

/// Returns the path without `.` and `..`, by its text: it is compared with folders, and then walked step by step.
pub(super) fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            other => plain.push(other),
        }
    }
    Some(plain)
}
