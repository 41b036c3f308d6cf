//! The connections and folders that commands of a turn asked for.

use serde::{Deserialize, Serialize};

use helve_core::sandbox::FolderAccess;
use helve_core::transcript::CallKey;

use crate::journal::is_default;

/// A connection that a command of a turn requested after untrusted text was read, or to a host that no rule allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AskedConnection {
    /// The call that had started a command most recently when the question was asked.
    pub call: CallKey,
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Whether the connection is allowed; `None` until the answer. It stays `None` after a crash before the answer,
    /// because the command no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<bool>,
    /// Whether no rule of the sandbox allows the host: the answer applies to one command.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unlisted: bool,
}

/// A folder that a command of a turn needs, and that its sandbox does not allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AskedFolder {
    /// The call that runs the command.
    pub call: CallKey,
    /// The folder.
    pub folder: FolderAccess,
    /// Whether the folder is allowed; `None` until the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<bool>,
}

/// The connections and folders that were asked about, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AskedAccesses {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) connections: Vec<AskedConnection>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) folders: Vec<AskedFolder>,
}
