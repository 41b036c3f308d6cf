//! Hosts, parsed as browsers parse them, in a normalized form.

use std::fmt;
use std::net::IpAddr;

use super::address::canonical;

/// A host, in the normalized form in which hosts are compared.
///
/// Names are lower-case ASCII without a trailing dot; international names are in punycode. All spellings of an address
/// are equal: `0x7f.1`, `2130706433`, `0177.0.0.1` and `[::ffff:127.0.0.1]` are all 127.0.0.1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl Host {
    /// Parses a host as it is written in a URL, with an IPv6 address in brackets. Returns `None` if the text is not a
    /// valid host.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // The parser decodes `%`, which no host needs and which can obscure the requested host. A zone, as in
        // `fe80::1%eth0`, names a network interface of this machine.
        if text.len() > 512 || text.contains('%') {
            return None;
        }
        Self::from_url_host(url::Host::parse(text).ok()?)
    }

    /// Converts the host of a URL that the `url` crate parsed.
    #[doc(hidden)]
    pub fn from_url_host<S: AsRef<str>>(host: url::Host<S>) -> Option<Self> {
        match host {
            url::Host::Domain(name) => {
                let name = name.as_ref();
                let name = name.strip_suffix('.').unwrap_or(name);
                let fits = name.len() <= 253;
                let whole = |label: &str| (1..=63).contains(&label.len());
                (fits && name.split('.').all(whole)).then(|| Self::Name(name.to_ascii_lowercase()))
            }
            url::Host::Ipv4(address) => Some(Self::Address(address.into())),
            url::Host::Ipv6(address) => Some(Self::Address(canonical(address.into()))),
        }
    }

    /// Parses `host:port`, as in a `CONNECT` request or a `Host` header.
    #[must_use]
    pub fn parse_authority(text: &str, default_port: Option<u16>) -> Option<(Self, u16)> {
        let (host, port) = match text.rsplit_once(':') {
            // A colon inside brackets belongs to the address.
            Some((host, port)) if !port.contains(']') => (host, Some(port)),
            _ => (text, None),
        };
        let port = match port {
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().ok()?,
            Some(_) => return None,
            None => default_port?,
        };
        if host.contains('@') || port == 0 {
            return None;
        }
        Some((Self::parse(host)?, port))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}
