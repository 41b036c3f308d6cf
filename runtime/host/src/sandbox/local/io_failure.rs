//! Why an operation failed, before the path and the advice are added.

use std::io;

use crate::sandbox::FileKind;

/// The result of an operation below [`LocalFs`](super::LocalFs).
pub(crate) type Result<T, E = IoFailure> = std::result::Result<T, E>;

/// A failure below [`LocalFs`](super::LocalFs), without the caller's path.
#[derive(Debug)]
pub(crate) enum IoFailure {
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
    /// The host denies the path to every tool, by this rule.
    Forbidden(String),
    /// The file is not the one that was seen.
    Changed,
    /// The path leads to another place than when the call was judged.
    Diverted,
    /// Something is where only nothing may be.
    Exists,
    NotEmpty,
    /// An entry of an archive, and what is wrong with it.
    Archive(String, String),
    /// The rest.
    Io(io::Error),
}

impl IoFailure {
    /// Reports whether there is nothing at the path.
    pub(super) fn is_absence(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }

    pub(super) fn kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io(error) => Some(error.kind()),
            _ => None,
        }
    }
}

/// Turns the absence of a file into `None`.
pub(super) fn optional<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(fault) if fault.is_absence() => Ok(None),
        Err(fault) => Err(fault),
    }
}

impl From<io::ErrorKind> for IoFailure {
    fn from(kind: io::ErrorKind) -> Self {
        Self::Io(kind.into())
    }
}

impl From<io::Error> for IoFailure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

#[cfg(target_os = "linux")]
impl IoFailure {
    /// Converts an error of `openat2`, whose codes have special meanings.
    pub(super) fn from_open_error(error: rustix::io::Errno) -> Self {
        use rustix::io::Errno;
        match error {
            Errno::XDEV => Self::Outside,
            Errno::LOOP => Self::Link,
            Errno::NOSYS => Self::Unsupported(error.into()),
            _ => Self::Io(error.into()),
        }
    }
}

#[cfg(unix)]
impl From<rustix::io::Errno> for IoFailure {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Io(error.into())
    }
}
