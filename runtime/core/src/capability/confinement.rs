//! What a call is held to while it runs.

use serde::{Deserialize, Serialize};

/// What a call is held to while it runs, because its verdict is based on it.
///
/// The tool's own check claims it, the policy judges by it, and the code that runs the call applies it: the tool cannot
/// forget it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Confinement {
    /// Nothing beyond what the tool declared and the host granted.
    #[default]
    None,
    /// Its processes only read: each is started with [`Access::Read`](crate::sandbox::Access::Read) and
    /// [`NetworkAccess::Closed`](crate::sandbox::NetworkAccess::Closed), whatever the tool asks for.
    ReadOnly,
}

impl Confinement {
    /// Returns the stricter of two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == Self::None { other } else { self }
    }
}
