//! The rules that a person writes down.

use serde::{Deserialize, Serialize};

/// Which hosts may be reached; none without rules, and what is denied is denied whatever is allowed.
///
/// A rule is a name (`crates.io`), everything below one (`*.crates.io`), or everything (`*`). Loopback, link-local and
/// metadata addresses are never reached by `*`, whatever name leads there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct HostRules {
    /// What may be reached.
    pub allow: Vec<String>,
    /// What may not be reached, whatever is allowed.
    pub deny: Vec<String>,
    /// Whether private address ranges may be reached, too.
    pub private: bool,
}
