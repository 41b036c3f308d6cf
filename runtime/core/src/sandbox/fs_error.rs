//! The errors of file operations, as text for the model.

use std::io;
use std::path::Path;

use super::FileKind;
use crate::refusal::{Refusal, RefusalCode};

/// A file operation that failed: the problem, the path, and what to do instead.
///
/// `path` is always the path as the caller wrote it, with control characters escaped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FsError {
    /// The path does not exist.
    #[error("{}", not_found_message(path, missing, suggestions))]
    NotFound {
        /// The path.
        path: String,
        /// The first part of the path that does not exist; equal to `path` if only the last name does not exist.
        missing: String,
        /// Paths beside `missing` with a similar name, the most similar first.
        suggestions: Vec<String>,
    },
    /// The path leads out of the roots.
    #[error("{}", outside_message(path, roots))]
    Outside {
        /// The path.
        path: String,
        /// The roots.
        roots: Vec<String>,
    },
    /// The path contains a link that is never followed.
    #[error(
        "`{path}` runs through a link that is not followed (links in a circle, or a link of the kernel as in `/proc`); \
         give the path of the file itself"
    )]
    Link {
        /// The path.
        path: String,
    },
    /// The path is neither a regular file nor a directory.
    #[error("`{path}` is {kind}; only regular files can be used")]
    NotAFile {
        /// The path.
        path: String,
        /// The kind of the file.
        kind: FileKind,
    },
    /// The path is a directory where a file is needed.
    #[error("`{path}` is a directory; list it, or give the path of a file in it")]
    IsADirectory {
        /// The path.
        path: String,
    },
    /// The path, or a part of it, is a file where a directory is needed.
    #[error("`{path}` is not a directory, or a part of it is not; list the folder above it")]
    NotADirectory {
        /// The path.
        path: String,
    },
    /// The file exceeds the size limit.
    #[error(
        "`{path}` has {size} bytes, but at most {limit} bytes can be read at once; read it in parts"
    )]
    TooLarge {
        /// The path.
        path: String,
        /// The size of the file, in bytes.
        size: u64,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The file has changed since it was read, so writing would lose a change.
    #[error("`{path}` has changed since it was read; read it again, then repeat the change")]
    Changed {
        /// The path.
        path: String,
    },
    /// The location of the path differs from when the call was judged.
    #[error(
        "`{path}` leads to another place than when the call was judged, because a folder or a link on its way was \
         changed meanwhile; nothing was done there, so make the call again"
    )]
    Diverted {
        /// The path.
        path: String,
    },
    /// The folder is not empty, so it cannot be removed.
    #[error("`{path}` is a folder that is not empty; remove what is in it first")]
    NotEmpty {
        /// The path.
        path: String,
    },
    /// The path exists where it must not.
    #[error("`{path}` already exists; read it before you write it, or choose another path")]
    Exists {
        /// The path.
        path: String,
    },
    /// The host denies the path to every tool, whatever is approved.
    #[error("access to `{path}` is denied: {why}; use another file")]
    Forbidden {
        /// The path.
        path: String,
        /// The rule that denies the path.
        why: String,
    },
    /// The file system is read-only.
    #[error("`{path}` cannot be written: the sandbox is read-only")]
    ReadOnly {
        /// The path.
        path: String,
    },
    /// The disk is full or a quota is exceeded; the previous contents are kept.
    #[error("no space left to write `{path}`: the disk or the quota is full; nothing was changed")]
    NoSpace {
        /// The path.
        path: String,
    },
    /// An archive contains an entry that would leave its folder, or that is no file.
    #[error("the archive was refused: `{entry}` {why}")]
    Archive {
        /// The entry.
        entry: String,
        /// The reason.
        why: String,
    },
    /// The operating system denies the access.
    #[error(
        "the operating system does not permit this program to use `{path}`; use another file, or ask the user"
    )]
    PermissionDenied {
        /// The path.
        path: String,
    },
    /// The path is not a valid path.
    #[error("`{path}` is not a usable path: {reason}")]
    InvalidPath {
        /// The path, shortened.
        path: String,
        /// The reason.
        reason: &'static str,
    },
    /// This system cannot confine paths to a root, so nothing is opened.
    #[error(
        "no file can be used here: this system cannot confine paths to a folder (`openat2` of Linux 5.6 is missing or blocked)"
    )]
    Unsupported {
        /// The error of the kernel.
        source: io::Error,
    },
    /// The sandbox that contains the files cannot be opened.
    #[error("files are not available: the sandbox cannot be opened")]
    Sandbox {
        /// The reason.
        source: super::SandboxError,
    },
    /// The tool did not declare files, or the host did not grant them.
    #[error("refused")]
    Refused(#[from] Refusal),
    /// Any other error of the operating system.
    #[error("`{path}` cannot be used")]
    Io {
        /// The path.
        path: String,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl FsError {
    /// Returns the code of the refusal if the path may not be used, whether or not it exists.
    #[must_use]
    pub fn code(&self) -> Option<RefusalCode> {
        match self {
            Self::Outside { .. } | Self::Link { .. } | Self::Forbidden { .. } => {
                Some(RefusalCode::PathNotReachable)
            }
            Self::Refused(refusal) => Some(refusal.code),
            _ => None,
        }
    }

    /// Reports whether the path does not exist.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, Self::NotFound { .. } | Self::NotADirectory { .. })
    }

    pub(super) fn lost_reply(path: &Path) -> Self {
        Self::Io {
            path: display_path(path),
            source: io::Error::other("the file was written, but the reply has no metadata"),
        }
    }

    /// A blocking task ends early only if it panics or the runtime shuts down.
    #[doc(hidden)]
    pub fn lost_job(path: &Path, error: tokio::task::JoinError) -> Self {
        Self::Io {
            path: display_path(path),
            source: io::Error::other(error),
        }
    }

    pub(super) fn too_large(path: &Path, size: u64, limit: usize) -> Self {
        let path = display_path(path);
        Self::TooLarge { path, size, limit }
    }
}

/// Renders a path on one line: a file name may contain line breaks, which must not look to the model like text of
/// helve.
pub fn display_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

fn outside_message(path: &str, roots: &[String]) -> String {
    let roots = match roots {
        [] => "no folder is accessible".to_owned(),
        roots => format!("give a path in {}", join_names(roots)),
    };
    format!("`{path}` is outside of the accessible folders; {roots}")
}

fn not_found_message(path: &str, missing: &str, suggestions: &[String]) -> String {
    let found = (path != missing).then(|| format!(": `{missing}` was not found"));
    let found = found.unwrap_or_default();
    let advice = match suggestions {
        [] => "list the folder above it to see what there is".to_owned(),
        suggestions => format!("did you mean {}?", join_names(suggestions)),
    };
    format!("`{path}` does not exist{found}; {advice}")
}

/// Joins names as `a`, `b` or `c`.
fn join_names(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [first @ .., last] => format!("`{}` or `{last}`", first.join("`, `")),
    }
}
