//! Connections that commands of a turn asked for.

use serde::{Deserialize, Serialize};

use helve_core::transcript::CallKey;

/// A connection that a command of a turn wanted to make after untrusted text was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AskedConnection {
    /// The last call that had started a command when the connection was asked about.
    pub call: CallKey,
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Whether the connection is allowed; `None` before the answer, and forever after a crash before the answer, since the
    /// command is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<bool>,
}

/// The connections that were asked about. A turn boxes them, since few turns have any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct AskedConnections(pub(super) Vec<AskedConnection>);
