//! What asks after untrusted text was read: not every call, but what could carry data out or act later because of it.

mod network_programs;
mod urls;

use serde::{Deserialize, Serialize};

pub(super) use self::network_programs::network_program;
pub use self::urls::{KnownUrls, collect_strings};

/// What asks after text of an MCP server or of the web was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UntrustedPolicy {
    /// What could carry data out, or is run or read as instructions later.
    #[default]
    Egress,
    /// Everything that does more than read.
    Always,
    /// Nothing more than before.
    Never,
}

impl UntrustedPolicy {
    /// Looks up a policy by its name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let mut all = [Self::Egress, Self::Always, Self::Never].into_iter();
        all.find(|policy| policy.name() == name)
    }

    /// Returns the name of the policy.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Egress => "egress",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}
