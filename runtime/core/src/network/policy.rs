//! The evaluation of host rules.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use super::address::{canonical, is_local_name, is_metadata_name};
use super::{
    AddressClass, Host, HostPattern, HostPatternError, HostRefusal, HostRefusalReason as Reason,
    HostRules, Resolve,
};
use crate::support::text::first_chars;

/// The parsed form of [`HostRules`], together with the hosts that a tool declared, if any.
#[derive(Debug, Clone, Default)]
pub struct HostPolicy {
    allow: Vec<HostPattern>,
    deny: Vec<HostPattern>,
    allow_private: bool,
    /// The hosts that are reached without a question even after untrusted text was read.
    even_tainted: Vec<HostPattern>,
    /// The hosts that a tool declared; the declaration only restricts, and never allows a host.
    declared: Option<Vec<HostPattern>>,
}

/// A host that may be reached, with the only addresses to dial, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Destination {
    /// The host.
    pub host: Host,
    /// The port.
    pub port: u16,
    /// The addresses of the host; at least one.
    pub addresses: Vec<SocketAddr>,
}

/// The time limit of a name lookup.
const LOOK_UP: Duration = Duration::from_secs(10);

/// The maximum number of addresses of one name to dial.
const MAX_ADDRESSES: usize = 8;

impl HostPolicy {
    /// Parses rules.
    ///
    /// # Errors
    ///
    /// When a rule cannot be parsed. Invalid rules are never skipped, because skipping a denying rule would allow what
    /// it denies.
    pub fn new(rules: &HostRules) -> Result<Self, HostPatternError> {
        Ok(Self {
            allow: patterns(&rules.allow)?,
            deny: patterns(&rules.deny)?,
            allow_private: rules.private,
            even_tainted: patterns(&rules.even_tainted)?,
            declared: None,
        })
    }

    /// Restricts the policy to the hosts that a tool declared; an empty declaration leaves the policy unchanged.
    ///
    /// # Errors
    ///
    /// When a declared host cannot be parsed.
    pub fn with_declared(&self, declared: &[&str]) -> Result<Self, HostPatternError> {
        let mut narrowed = self.clone();
        if !declared.is_empty() {
            narrowed.declared = Some(patterns(declared)?);
        }
        Ok(narrowed)
    }

    /// Returns the policy of the hosts that may be offered to the user: all public hosts on all ports, and the hosts of the
    /// allowing rules on other ports. Denied hosts, metadata services, and private addresses that no rule opens are refused
    /// as before.
    #[doc(hidden)]
    #[must_use]
    pub fn offering(&self) -> Self {
        let allow = self.allow.iter().map(HostPattern::with_all_ports);
        Self {
            allow: allow.chain([HostPattern::all()]).collect(),
            ..self.clone()
        }
    }

    /// Reports whether a rule lets a host be reached without a question even after untrusted text was read.
    #[must_use]
    pub fn is_even_tainted(&self, host: &Host, port: u16) -> bool {
        self.even_tainted.iter().any(|rule| rule.opens(host, port))
    }

    /// Checks a host by its name, without looking the name up.
    ///
    /// # Errors
    ///
    /// When the host may not be reached, whatever its addresses are.
    pub fn judge(&self, host: &Host, port: u16) -> Result<(), HostRefusal> {
        let refuse = |reason| Err(HostRefusal::from_host(host, reason));
        let is_metadata = match host {
            Host::Name(name) => is_metadata_name(name),
            Host::Address(address) => AddressClass::classify(*address) == AddressClass::Metadata,
        };
        if is_metadata {
            return refuse(Reason::Metadata);
        }
        let denies = |rule: &&HostPattern| rule.denies_host(host) && rule.denies_port(port);
        if let Some(rule) = self.deny.iter().find(denies) {
            let rule = rule.to_string();
            return refuse(Reason::Denied { rule });
        }
        let about = |rules: &[HostPattern]| rules.iter().any(|rule| rule.matches_host(host));
        let opens = |rules: &[HostPattern]| rules.iter().any(|rule| rule.opens(host, port));
        let shown = |rules: &[HostPattern]| rules.iter().map(ToString::to_string).collect();
        if !about(&self.allow) {
            let allowed = shown(&self.allow);
            return refuse(Reason::NotListed { allowed });
        }
        if let Some(declared) = &self.declared
            && !opens(declared)
        {
            let declared = shown(declared);
            return refuse(Reason::NotDeclared { declared });
        }
        if !opens(&self.allow) {
            let rule = format!("{host}:{port}");
            return refuse(Reason::Port { port, rule });
        }
        match host {
            Host::Name(name)
                if is_local_name(name) && !self.allow_private && !self.is_named(host) =>
            {
                refuse(Reason::LocalName)
            }
            Host::Address(address) => self.judge_address(host, *address, port),
            Host::Name(_) => Ok(()),
        }
    }

    /// Checks a host, looks it up once, checks all addresses of the result, and returns the addresses to dial.
    ///
    /// A name that resolves to both forbidden and allowed addresses is refused, because such a name may be an attack.
    ///
    /// # Errors
    ///
    /// When the host may not be reached, or cannot be looked up.
    pub async fn resolve(
        &self,
        host: &Host,
        port: u16,
        resolver: &dyn Resolve,
    ) -> Result<Destination, HostRefusal> {
        self.judge(host, port)?;
        let mut addresses = match host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => look_up(host, name, resolver).await?,
        };
        for address in &addresses {
            // The embedded address is checked, and the original is dialled: in a network with NAT64 there is no other
            // way.
            let address = canonical(*address);
            self.judge_address(host, address, port)?;
            if resolver.is_own(address) && !self.opens_own(host, address) {
                let class = AddressClass::ThisMachine;
                return Err(HostRefusal::from_host(
                    host,
                    Reason::Address { address, class },
                ));
            }
        }
        addresses.truncate(MAX_ADDRESSES);
        let addresses = addresses.into_iter();
        Ok(Destination {
            host: host.clone(),
            port,
            addresses: addresses
                .map(|address| SocketAddr::new(address, port))
                .collect(),
        })
    }

    /// Checks an address that a host resolves to.
    fn judge_address(&self, host: &Host, address: IpAddr, port: u16) -> Result<(), HostRefusal> {
        let denies =
            |rule: &&HostPattern| rule.names(&Host::Address(address)) && rule.denies_port(port);
        if let Some(rule) = self.deny.iter().find(denies) {
            let rule = rule.to_string();
            return Err(HostRefusal::from_host(host, Reason::Denied { rule }));
        }
        let class = AddressClass::classify(address);
        let open = match class {
            AddressClass::Public => true,
            AddressClass::Private | AddressClass::Shared => {
                self.allow_private || self.is_literal_address(host)
            }
            AddressClass::Loopback => {
                self.is_literal_address(host) || self.is_named_localhost(host)
            }
            AddressClass::Documentation | AddressClass::Reserved => self.is_literal_address(host),
            AddressClass::Unspecified
            | AddressClass::LinkLocal
            | AddressClass::Metadata
            | AddressClass::Multicast
            | AddressClass::ThisMachine => false,
        };
        if open {
            return Ok(());
        }
        Err(HostRefusal::from_host(
            host,
            Reason::Address { address, class },
        ))
    }

    fn opens_own(&self, host: &Host, address: IpAddr) -> bool {
        let loopback = AddressClass::classify(address) == AddressClass::Loopback;
        self.is_literal_address(host) || (loopback && self.is_named_localhost(host))
    }

    /// Reports whether an allowing rule names exactly this host.
    fn is_named(&self, host: &Host) -> bool {
        self.allow.iter().any(|rule| rule.names(host))
    }

    /// Reports whether the host is an address that an allowing rule names.
    fn is_literal_address(&self, host: &Host) -> bool {
        matches!(host, Host::Address(_)) && self.is_named(host)
    }

    fn is_named_localhost(&self, host: &Host) -> bool {
        matches!(host, Host::Name(name) if name == "localhost") && self.is_named(host)
    }
}

async fn look_up(
    host: &Host,
    name: &str,
    resolver: &dyn Resolve,
) -> Result<Vec<IpAddr>, HostRefusal> {
    let unresolved = |why: String| {
        let why = first_chars(&why, 200).to_owned();
        HostRefusal::from_host(host, Reason::Unresolved { why })
    };
    let found = tokio::time::timeout(LOOK_UP, resolver.resolve(name)).await;
    let found = found.map_err(|_| unresolved("the lookup timed out".into()))?;
    let found = found.map_err(|error| unresolved(error.to_string()))?;
    if found.is_empty() {
        return Err(unresolved("it has no address".into()));
    }
    Ok(found)
}

fn patterns<S: AsRef<str>>(rules: &[S]) -> Result<Vec<HostPattern>, HostPatternError> {
    let parsed = rules.iter().map(|rule| HostPattern::parse(rule.as_ref()));
    parsed.collect()
}
