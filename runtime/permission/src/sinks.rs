//! The policy for calls after the model has read untrusted text: calls that could send data out or take effect later.

mod network_programs;
mod urls;

use serde::{Deserialize, Serialize};

pub(super) use self::network_programs::network_program;
pub use self::urls::{KnownUrls, collect_strings};

/// The calls that ask after the model has read text of an MCP server or of the web.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UntrustedPolicy {
    /// Calls that could send data out, and writes that are executed or read as instructions later.
    #[default]
    Egress,
    /// All calls that do more than read.
    Always,
    /// No additional calls.
    Never,
}

impl UntrustedPolicy {
    /// Returns the policy of this name.
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
