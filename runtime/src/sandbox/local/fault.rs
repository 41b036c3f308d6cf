//! Why an operation failed, before the path and the advice are added.

use std::io;

use crate::sandbox::FileKind;

/// A failure below [`LocalFs`](super::LocalFs), without the caller's path.
#[derive(Debug)]
pub(super) enum Fault {
    /// The path leaves its root.
    Outside,
    /// Too many links, or a magic link.
    Link,
    /// The path is this kind, and a regular file was needed.
    NotAFile(FileKind),
    /// The path is unusable for this reason.
    Invalid(&'static str),
    /// The kernel cannot confine paths.
    Unsupported(io::Error),
    /// The rest.
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

#[cfg(target_os = "linux")]
impl From<rustix::io::Errno> for Fault {
    fn from(error: rustix::io::Errno) -> Self {
        use rustix::io::Errno;
        match error {
            Errno::XDEV => Self::Outside,
            Errno::LOOP => Self::Link,
            Errno::NOSYS => Self::Unsupported(error.into()),
            _ => Self::Io(error.into()),
        }
    }
}
