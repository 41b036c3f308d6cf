//! A single host rule.

use std::fmt;

use super::Host;
use crate::support::text::first_chars;

/// A host rule, in the syntax of [`HostRules`](super::HostRules).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    hosts: HostMatcher,
    ports: PortMatcher,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostMatcher {
    All,
    One(Host),
    /// All subdomains of a name, without the name itself.
    Subdomains(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PortMatcher {
    /// The rule names no port.
    Default,
    One(u16),
    All,
}

/// A host rule that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a valid host rule, because {reason}; write `example.com`, `*.example.com`, `*` or an address, each with \
     `:PORT` where it is not 80 or 443", pattern.escape_debug()
)]
#[non_exhaustive]
pub struct HostPatternError {
    /// The rule, shortened.
    pub pattern: String,
    /// Why the rule is invalid.
    pub reason: &'static str,
}

impl HostPattern {
    /// Parses a rule.
    ///
    /// # Errors
    ///
    /// When the rule does not follow the syntax of [`HostRules`](super::HostRules).
    pub fn parse(written: &str) -> Result<Self, HostPatternError> {
        let wrong = |why| HostPatternError {
            pattern: first_chars(written, 80).to_owned(),
            reason: why,
        };
        let (hosts, ports) = split(written).map_err(wrong)?;
        let hosts = match hosts {
            "" => return Err(wrong("it is empty")),
            "*" => HostMatcher::All,
            _ => match hosts.strip_prefix("*.") {
                Some(name) => match host(name).map_err(wrong)? {
                    Host::Name(name) => HostMatcher::Subdomains(name),
                    Host::Address(_) => return Err(wrong("nothing is below an address")),
                },
                None => HostMatcher::One(host(hosts).map_err(wrong)?),
            },
        };
        Ok(Self {
            hosts,
            ports,
            text: written.to_owned(),
        })
    }

    /// Creates the rule for all hosts and all ports.
    pub(super) fn all() -> Self {
        Self {
            hosts: HostMatcher::All,
            ports: PortMatcher::All,
            text: "*:*".to_owned(),
        }
    }

    /// Returns the rule for the same hosts on all ports.
    pub(super) fn with_all_ports(&self) -> Self {
        Self {
            ports: PortMatcher::All,
            ..self.clone()
        }
    }

    /// Reports whether the rule matches a host, whatever the port.
    #[must_use]
    pub fn matches_host(&self, host: &Host) -> bool {
        match (&self.hosts, host) {
            (HostMatcher::All, _) => true,
            (HostMatcher::One(one), host) => one == host,
            (HostMatcher::Subdomains(above), Host::Name(name)) => name
                .strip_suffix(above.as_str())
                .is_some_and(|below| below.len() > 1 && below.ends_with('.')),
            (HostMatcher::Subdomains(_), Host::Address(_)) => false,
        }
    }

    /// Reports whether the rule, as a denying rule, matches a host, whatever the port. A denying rule for all
    /// subdomains of a name matches the name as well.
    #[must_use]
    pub fn denies_host(&self, host: &Host) -> bool {
        let is_apex = matches!((&self.hosts, host), (HostMatcher::Subdomains(above), Host::Name(name)) if above == name);
        is_apex || self.matches_host(host)
    }

    /// Reports whether the rule allows a port; a rule without a port allows the ports of the web, 80 and 443.
    #[must_use]
    pub fn allows_port(&self, port: u16) -> bool {
        match self.ports {
            PortMatcher::Default => matches!(port, 80 | 443),
            PortMatcher::One(one) => one == port,
            PortMatcher::All => true,
        }
    }

    /// Reports whether the rule, as an allowing rule, matches a host and its port.
    pub(super) fn opens(&self, host: &Host, port: u16) -> bool {
        self.matches_host(host) && self.allows_port(port)
    }

    /// Reports whether the rule denies a port; a rule without a port denies all ports.
    #[must_use]
    pub fn denies_port(&self, port: u16) -> bool {
        match self.ports {
            PortMatcher::Default | PortMatcher::All => true,
            PortMatcher::One(one) => one == port,
        }
    }

    /// Reports whether the rule names exactly this host.
    #[must_use]
    pub fn names(&self, host: &Host) -> bool {
        matches!(&self.hosts, HostMatcher::One(one) if one == host)
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Splits a rule into the host and the port.
fn split(written: &str) -> Result<(&str, PortMatcher), &'static str> {
    if written.len() > 512 {
        return Err("it is too long");
    }
    if written.contains("://") {
        return Err("it is a URL; leave out the scheme and the path");
    }
    if written.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("it contains a space");
    }
    if written.contains(['/', '@', '?', '#', '%', '\\']) {
        return Err("it names more than a host and a port");
    }
    let bare_v6 = !written.starts_with('[') && written.matches(':').count() > 1;
    match written.rsplit_once(':') {
        Some((hosts, "*")) if !bare_v6 => Ok((hosts, PortMatcher::All)),
        Some((hosts, port)) if !bare_v6 && !port.contains(']') => {
            let digits = Some(port).filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
            let port = digits.and_then(|digits| digits.parse().ok());
            let port = port.filter(|port| *port > 0).ok_or("its port is none")?;
            Ok((hosts, PortMatcher::One(port)))
        }
        _ => Ok((written, PortMatcher::Default)),
    }
}

fn host(text: &str) -> Result<Host, &'static str> {
    if text.contains('*') {
        return Err("`*` must stand alone or replace the first label, as in `*.example.com`");
    }
    let bracketed;
    let text = if text.contains(':') && !text.starts_with('[') {
        bracketed = format!("[{text}]");
        &*bracketed
    } else {
        text
    };
    Host::parse(text).ok_or("its host is none")
}
