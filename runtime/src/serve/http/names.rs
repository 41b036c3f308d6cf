//! Under which names the server is reached, and which pages of a browser may ask it.
//!
//! A page of anybody can let its own name point at this machine. What it cannot do is send another `Host` or `Origin`
//! than its own.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Uri};

use crate::network::Host;

/// Whom the server answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    hosts: Vec<(Host, Option<u16>)>,
    origins: Vec<String>,
}

/// Says why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameRefusal {
    #[error("a request needs one `Host` header, which says how the server is reached")]
    Malformed,
    #[error(
        "this server does not answer to the name in the `Host` header; whoever runs it can allow that host"
    )]
    Host,
    #[error(
        "this server does not answer pages of the site in the `Origin` header; whoever runs it can allow that origin"
    )]
    Origin,
}

impl Names {
    /// Adds a host, with or without a port. `false` where it is none.
    pub(super) fn add_host(&mut self, text: &str) -> bool {
        let host = authority(text);
        let is_host = host.is_some();
        self.hosts.extend(host);
        is_host
    }

    /// Adds an origin, as browsers write it. `false` where it is none.
    pub(super) fn add_origin(&mut self, text: &str) -> bool {
        let origin = text.trim_end_matches('/').to_ascii_lowercase();
        let is_origin = origin.split_once("://").is_some_and(|(scheme, host)| {
            let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
            is_scheme && !scheme.is_empty() && authority(host).is_some()
        });
        if is_origin {
            self.origins.push(origin);
        }
        is_origin
    }

    /// Judges how a request names the server, which was reached at an address. Returns the origin of the page that asks,
    /// where one does.
    pub(super) fn judge<'a>(
        &self,
        uri: &Uri,
        headers: &'a HeaderMap,
        reached_at: IpAddr,
    ) -> Result<Option<&'a str>, NameRefusal> {
        let host = single(headers, &HOST)?.ok_or(NameRefusal::Malformed)?;
        let written = uri.authority().map(Authority::as_str);
        for name in [Some(host), written].into_iter().flatten() {
            let (name, port) = authority(name).ok_or(NameRefusal::Malformed)?;
            if !self.is_own(&name, port, reached_at) {
                return Err(NameRefusal::Host);
            }
        }
        let Some(origin) = single(headers, &ORIGIN).map_err(|_| NameRefusal::Origin)? else {
            return Ok(None);
        };
        let lower = origin.to_ascii_lowercase();
        let is_same = lower
            .split_once("://")
            .is_some_and(|(_, its)| its.eq_ignore_ascii_case(host));
        match is_same || self.origins.contains(&lower) {
            true => Ok(Some(origin)),
            false => Err(NameRefusal::Origin),
        }
    }

    fn is_own(&self, host: &Host, port: Option<u16>, reached_at: IpAddr) -> bool {
        let is_told =
            |(own, its): &(Host, Option<u16>)| own == host && (its.is_none() || *its == port);
        match host {
            // No name server is asked for this one.
            Host::Name(name) if name == "localhost" => true,
            // An address is nobody's name.
            Host::Address(address)
                if address.is_loopback() || *address == reached_at.to_canonical() =>
            {
                true
            }
            _ => self.hosts.iter().any(is_told),
        }
    }
}

/// Reads a host with the port that is written behind it.
fn authority(text: &str) -> Option<(Host, Option<u16>)> {
    match Host::parse_authority(text, None) {
        Some((host, port)) => Some((host, Some(port))),
        // Any port will do to read what has none.
        None => Host::parse_authority(text, Some(1)).map(|(host, _)| (host, None)),
    }
}

/// Returns what a header says that may be there once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, NameRefusal> {
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
