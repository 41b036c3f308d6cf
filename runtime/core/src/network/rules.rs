//! The host rules that the user writes.

use serde::{Deserialize, Serialize};

/// The hosts that may be reached. Without rules no host is reached, and denying rules take precedence over allowing
/// rules.
///
/// A rule is a name (`crates.io`), all subdomains of a name (`*.crates.io`), all hosts (`*`), or an address
/// (`192.0.2.1`, `[2001:db8::1]`). An allowing rule opens the ports 80 and 443, unless it names another port
/// (`crates.io:8443`) or all ports (`crates.io:*`). A denying rule without a port denies all ports, and a denying rule
/// for all subdomains of a name denies the name as well.
///
/// Loopback, link-local and metadata addresses are never reached by `*` or a name, whichever name resolves to them. A
/// rule that names an address allows it, unless it is a link-local or metadata address; the rule `localhost` allows
/// loopback for that name.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::network::HostRules;
///
/// let mut rules = HostRules::from_allowed(["*.example.org"]);
/// rules.deny.push("internal.example.org".into());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct HostRules {
    /// The rules for hosts that may be reached.
    pub allow: Vec<String>,
    /// The rules for hosts that may not be reached, even if `allow` matches them.
    pub deny: Vec<String>,
    /// Whether private address ranges may be reached, too.
    pub private: bool,
    /// The rules for allowed hosts that are reached without a question even after untrusted text was read. They have
    /// the syntax of the other rules, and allow no further host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub even_tainted: Vec<String>,
}

impl HostRules {
    /// Creates rules that allow these hosts; the other fields are public.
    pub fn from_allowed<R: Into<String>>(rules: impl IntoIterator<Item = R>) -> Self {
        Self {
            allow: rules.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }
}
