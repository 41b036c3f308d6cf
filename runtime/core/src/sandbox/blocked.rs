//! Accesses of commands that the policy of their sandbox does not allow, and that a user may allow.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Access;
use crate::transcript::{CallAddress, Label};

/// An access of a command that the policy of its sandbox does not allow, and that a user may allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum BlockedAccess {
    /// A connection to a host that no rule allows.
    Host {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// The use of a folder or file that the sandbox does not show, or shows read-only.
    Folder(FolderAccess),
}

/// The use of a folder or file of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FolderAccess {
    /// The folder or file, absolute and without links.
    pub path: PathBuf,
    /// Whether commands may write there, or only read.
    pub access: Access,
}

/// How long an allowed access is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// For the command that was blocked.
    #[default]
    Once,
    /// For all commands of the session.
    Session,
}

/// A folder that a command needs and its sandbox does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FolderRequest {
    /// The call that runs the command.
    pub call: CallAddress,
    /// The folder.
    pub folder: FolderAccess,
    /// The label of the data that may have influenced the command.
    pub label: Label,
}

impl BlockedAccess {
    /// Returns the setting whose list allows such accesses.
    #[must_use]
    pub const fn setting(&self) -> &'static str {
        match self {
            Self::Host { .. } => "sandbox.hosts",
            Self::Folder(folder) => folder.setting(),
        }
    }

    /// Returns the text that allows the access in the list of the [setting](Self::setting).
    #[must_use]
    pub fn setting_value(&self) -> String {
        match self {
            Self::Host { host, port } => format!("{host}:{port}"),
            Self::Folder(folder) => folder.path.display().to_string(),
        }
    }
}

impl fmt::Display for BlockedAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host { host, port } => write!(f, "connect to `{host}:{port}`"),
            Self::Folder(folder) => folder.fmt(f),
        }
    }
}

impl FolderAccess {
    /// Creates the use of a folder or file.
    pub fn new(path: impl Into<PathBuf>, access: Access) -> Self {
        Self {
            path: path.into(),
            access,
        }
    }

    /// Returns the setting whose list allows such a use.
    #[must_use]
    pub const fn setting(&self) -> &'static str {
        match self.access {
            Access::Read => "sandbox.readable",
            Access::Write => "sandbox.writable",
        }
    }
}

impl fmt::Display for FolderAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.access {
            Access::Read => "read",
            Access::Write => "write to",
        };
        write!(f, "{verb} `{}`", self.path.display())
    }
}

impl FolderRequest {
    /// Returns the reason why approval is required.
    #[doc(hidden)]
    pub fn reason(&self) -> String {
        let folder = &self.folder;
        let reason = format!(
            "the command failed because its sandbox does not let it {folder}; if you allow it, the command runs again"
        );
        with_origin(reason, &self.label)
    }
}

/// Adds the origin of untrusted text to the reason of a question.
pub(super) fn with_origin(reason: String, label: &Label) -> String {
    match label.origin() {
        Some(origin) if label.is_untrusted() => {
            format!("{reason}, and the model has read untrusted text from {origin}")
        }
        _ => reason,
    }
}
