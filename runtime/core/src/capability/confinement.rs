//! The restrictions on a call while the call runs.

use serde::{Deserialize, Serialize};

/// The restrictions on a call while the call runs, on which its verdict is based.
///
/// The tool's own check claims a confinement, the policy judges by it, and the code that runs the call
/// enforces it, so that the tool cannot omit it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Confinement {
    /// No restrictions beyond what the tool declared and the host granted.
    #[default]
    None,
    /// The call sends no HTTP requests, and its processes only read: each process is started with
    /// [`Access::Read`](crate::sandbox::Access::Read) and
    /// [`NetworkAccess::Closed`](crate::sandbox::NetworkAccess::Closed), whatever the tool requests.
    ReadOnly,
}

impl Confinement {
    /// Returns the stricter of two confinements.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == Self::None { other } else { self }
    }
}
