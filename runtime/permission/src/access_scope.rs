//! Limits of a policy on what calls may access at all.

use serde::{Deserialize, Serialize};

use super::Rule;
use helve_core::network::HostRules;
use helve_core::toolset::ToolFilter;

/// A limit on the accesses of all calls. A call that is not provably within the limit is denied, in every mode.
///
/// A limit on files denies every tool that runs commands, whose accesses are not known beforehand, and every file tool
/// whose call does not say which paths it accesses. A limit on hosts refuses the requests of calls, and rules that cannot be
/// read refuse all. Tools of MCP servers run in their servers, and are not reached.
///
/// ```
/// use helve::permission::{AccessScope, Mode, Policy};
///
/// let mut scope = AccessScope::default();
/// scope.read = Some(vec!["src/**".into(), "docs/**".into()]);
/// scope.write = Some(vec!["docs/**".into()]);
/// let policy = Policy::new(Mode::AcceptEdits).limit_access(scope);
/// # let _ = policy;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AccessScope {
    /// The files that may be read, as patterns of [`paths`](super::paths); `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Vec<String>>,
    /// The files that may be created, changed and removed; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Vec<String>>,
    /// The hosts that tools may reach over the network of the host; `None` for all. The session decides about private networks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<HostRules>,
    /// Whether tools that run commands are denied.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_commands: bool,
    /// The rules by which a call of their tools must be covered, unless the call only reads. Other tools are not limited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<Rule>,
    /// The tools of packages and MCP servers that may be called, also when they are added later; `None` for all. Tools that a
    /// program makes at run time are not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolFilter>,
}

impl AccessScope {
    /// Returns whether nothing is limited.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether tools that run commands are denied.
    pub(super) fn denies_commands(&self) -> bool {
        self.no_commands || self.limits_files()
    }

    pub(super) fn limits_files(&self) -> bool {
        self.read.is_some() || self.write.is_some()
    }
}
