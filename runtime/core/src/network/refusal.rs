//! The reasons why a host may not be reached, as text for the model.

use std::net::IpAddr;

use super::{AddressClass, Host};
use crate::support::text::first_chars;

/// The refusal of a host; repeating the request does not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` may not be reached: {reason}", host.escape_debug())]
#[non_exhaustive]
pub struct HostRefusal {
    /// The host as it was requested, shortened.
    pub host: String,
    /// The reason, and what to do instead.
    pub reason: HostRefusalReason,
}

impl HostRefusal {
    pub(super) fn from_host(host: &Host, reason: HostRefusalReason) -> Self {
        Self::new(&host.to_string(), reason)
    }

    /// Creates the refusal of a host.
    #[doc(hidden)]
    pub fn new(host: &str, reason: HostRefusalReason) -> Self {
        Self {
            host: first_chars(host, 256).to_owned(),
            reason,
        }
    }
}

/// Why a host may not be reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostRefusalReason {
    /// The text is not a valid host name.
    #[error("this is not a valid host name; check the spelling")]
    InvalidHost,
    /// No rule allows the host.
    #[error("{}", render_not_listed(allowed))]
    NotListed {
        /// The allowing rules.
        allowed: Vec<String>,
    },
    /// A rule denies the host.
    #[error("the rule `{rule}` denies this host; do not use it")]
    Denied {
        /// The rule.
        rule: String,
    },
    /// The tool did not declare the host.
    #[error(
        "this tool declared that it reaches {} and no other host; declare it in `requires(net(\"…\"))` on the tool",
        join_rules(declared, "and")
    )]
    NotDeclared {
        /// The hosts that the tool declared.
        declared: Vec<String>,
    },
    /// No rule allows this port of the host.
    #[error(
        "port {port} is not allowed for this host; use port 443 or 80, or ask the user to allow `{rule}`"
    )]
    Port {
        /// The port.
        port: u16,
        /// A rule that would allow the port.
        rule: String,
    },
    /// The host is the name of a metadata service.
    #[error("cloud metadata services are never reachable")]
    Metadata,
    /// The host is a name that networks use internally.
    #[error(
        "names of the local network need a rule that names them exactly; ask the user to allow this host"
    )]
    LocalName,
    /// The host resolves to an address that no rule may allow.
    #[error("{}", leads_to(*address, *class))]
    Address {
        /// The address.
        address: IpAddr,
        /// The class of the address.
        class: AddressClass,
    },
    /// The host cannot be resolved.
    #[error("the name cannot be resolved ({why}); check the spelling")]
    Unresolved {
        /// The cause.
        why: String,
    },
}

fn render_not_listed(allowed: &[String]) -> String {
    match allowed {
        [] => {
            "no host is allowed; do not use the network, or ask the user to allow this host".into()
        }
        allowed => format!(
            "the allowed hosts are {}; use one of them, or ask the user to allow this host",
            join_rules(allowed, "and")
        ),
    }
}

fn leads_to(address: IpAddr, class: AddressClass) -> String {
    let do_what = match class {
        AddressClass::Private | AddressClass::Shared => {
            "use a public host, or ask the user to allow private addresses"
        }
        AddressClass::Loopback | AddressClass::ThisMachine => {
            "use a public host, or ask the user to allow that address"
        }
        _ => "use a public host",
    };
    format!("the host resolves to {address}, which is {class}; {do_what}")
}

/// Joins rules as `a`, `b` and `c`; of a long list, only the first rules.
fn join_rules(rules: &[String], and: &str) -> String {
    const MAX_LISTED: usize = 12;
    match rules {
        [] => "nothing".to_owned(),
        [only] => format!("`{only}`"),
        [first @ .., last] if rules.len() <= MAX_LISTED => {
            format!("`{}` {and} `{last}`", first.join("`, `"))
        }
        many => format!(
            "`{}` {and} {} more",
            many[..MAX_LISTED].join("`, `"),
            many.len() - MAX_LISTED
        ),
    }
}
