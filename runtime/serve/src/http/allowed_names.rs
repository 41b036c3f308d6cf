//! Checks the `Host` and `Origin` headers, as a protection against DNS rebinding.
//!
//! The page of an attacker can make its own domain resolve to this machine, but cannot send a `Host` or `Origin` other
//! than its own.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Uri};

use helve_core::network::Host;

/// The hosts and origins whose requests the server accepts.
#[derive(Debug, Clone, Default)]
pub(super) struct AllowedNames {
    hosts: Vec<(Host, Option<u16>)>,
    origins: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameRefusal {
    #[error("a request needs one `Host` header, which says how the server is reached")]
    Malformed,
    #[error(
        "the host in the `Host` header is not allowed; the administrator of this server can allow it"
    )]
    Host,
    #[error(
        "the origin in the `Origin` header is not allowed; the administrator of this server can allow it"
    )]
    Origin,
}

impl AllowedNames {
    /// Adds a host, with or without a port; returns `false` if the text is not a host.
    pub(super) fn add_host(&mut self, text: &str) -> bool {
        let host = parse_authority(text);
        let is_host = host.is_some();
        self.hosts.extend(host);
        is_host
    }

    /// Adds an origin, as browsers write it; returns `false` if the text is not an origin.
    pub(super) fn add_origin(&mut self, text: &str) -> bool {
        let origin = text.trim_end_matches('/').to_ascii_lowercase();
        let is_origin = origin.split_once("://").is_some_and(|(scheme, host)| {
            let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
            is_scheme && !scheme.is_empty() && parse_authority(host).is_some()
        });
        if is_origin {
            self.origins.push(origin);
        }
        is_origin
    }

    /// Checks the headers of a request that was sent to a local address. Returns the origin of the page that sent the
    /// request, if it was sent by a page.
    pub(super) fn check<'a>(
        &self,
        uri: &Uri,
        headers: &'a HeaderMap,
        local_address: IpAddr,
    ) -> Result<Option<&'a str>, NameRefusal> {
        let host = single_value(headers, &HOST)?.ok_or(NameRefusal::Malformed)?;
        let in_uri = uri.authority().map(Authority::as_str);
        for name in [Some(host), in_uri].into_iter().flatten() {
            let (name, port) = parse_authority(name).ok_or(NameRefusal::Malformed)?;
            if !self.is_allowed_host(&name, port, local_address) {
                return Err(NameRefusal::Host);
            }
        }
        let Some(origin) = single_value(headers, &ORIGIN).map_err(|_| NameRefusal::Origin)? else {
            return Ok(None);
        };
        let lower = origin.to_ascii_lowercase();
        let is_same = lower
            .split_once("://")
            .is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host));
        if is_same || self.origins.contains(&lower) {
            Ok(Some(origin))
        } else {
            Err(NameRefusal::Origin)
        }
    }

    fn is_allowed_host(&self, host: &Host, port: Option<u16>, local_address: IpAddr) -> bool {
        let matches = |(allowed, allowed_port): &(Host, Option<u16>)| {
            allowed == host && (allowed_port.is_none() || *allowed_port == port)
        };
        match host {
            // `localhost` is not resolved by a name server.
            Host::Name(name) if name == "localhost" => true,
            // An address is not a domain that an attacker could register.
            Host::Address(address)
                if address.is_loopback() || *address == local_address.to_canonical() =>
            {
                true
            }
            _ => self.hosts.iter().any(matches),
        }
    }
}

fn parse_authority(text: &str) -> Option<(Host, Option<u16>)> {
    match Host::parse_authority(text, None) {
        Some((host, port)) => Some((host, Some(port))),
        // The default port is arbitrary: it is only needed to parse a host without a port.
        None => Host::parse_authority(text, Some(1)).map(|(host, _)| (host, None)),
    }
}

/// Returns the value of a header that may occur once.
fn single_value<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, NameRefusal> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let text = value.to_str().map_err(|_| NameRefusal::Malformed)?;
    match values.next() {
        None => Ok(Some(text)),
        Some(_) => Err(NameRefusal::Malformed),
    }
}
