//! A connection that a command of a turn asked for.

use serde::{Deserialize, Serialize};

use helve_core::transcript::CallKey;

/// A connection that a command of a turn requested after untrusted text was read.
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
}

/// The connections that were asked about, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct AskedConnections(pub(super) Vec<AskedConnection>);
