//! The failure of a file operation, before the path and a hint are added.

use std::io;

use crate::sandbox::FileKind;

/// The result of an internal operation of [`LocalFs`](super::LocalFs).
pub(crate) type Result<T, E = IoFailure> = std::result::Result<T, E>;

/// The failure of an internal operation of [`LocalFs`](super::LocalFs), without the caller's path.
#[derive(Debug)]
pub(crate) enum IoFailure {
    /// The path leads out of its root.
    Outside,
    /// Too many links, or a magic link.
    Link,
    /// The file at the path has this type, but a regular file is required.
    NotAFile(FileKind),
    /// The path is unusable for this reason.
    Invalid(&'static str),
    /// The kernel cannot confine paths.
    Unsupported(io::Error),
    /// The host denies the path to every tool, by this rule.
    Forbidden(String),
    /// The file is not the one that was read.
    Changed,
    /// The path resolves to another location than when the call was checked.
    Diverted,
    /// A file exists at the path, which must be free.
    Exists,
    NotEmpty,
    /// An entry of an archive, and the reason why it is rejected.
    Archive(String, String),
    /// Another error of the system.
    Io(io::Error),
}

impl IoFailure {
    /// Reports whether the path does not exist.
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

/// Converts the absence of a file to `None`.
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
