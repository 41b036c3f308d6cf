//! The rules that a person writes down.

use serde::{Deserialize, Serialize};

/// Which hosts may be reached; none without rules, and what is denied is denied whatever is allowed.
///
/// A rule is a name (`crates.io`), everything below one (`*.crates.io`), everything (`*`), or an address (`192.0.2.1`,
/// `[2001:db8::1]`). An allowing rule opens the ports 80 and 443; it may name another one (`crates.io:8443`) or all
/// (`crates.io:*`). A denying rule without a port denies all of them, and one about everything below a name denies the name
/// as well.
///
/// Loopback, link-local and metadata addresses are never reached by `*` or a name, whatever name leads there. A rule that
/// spells out an address opens it, unless it is a link-local or metadata address; the rule `localhost` opens loopback for
/// that name.
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
    /// Which of the hosts that may be reached are reached without a question even after untrusted text was read. They are
    /// written as rules are, and open nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub even_tainted: Vec<String>,
}

impl HostRules {
    /// Allows these hosts; the fields are open for the rest.
    pub fn from_allowed<R: Into<String>>(rules: impl IntoIterator<Item = R>) -> Self {
        Self {
            allow: rules.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }
}
