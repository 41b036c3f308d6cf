//! The permission rules: `GET api.example.com/v1/**`.

use helve::network::{Host, HostPattern};
use helve::tool::Coverage;
use url::Url;

use crate::method::HttpMethod;
use crate::path_pattern;

/// A rule: a method or `*`, and the host with a path.
struct RequestRule<'r> {
    method: &'r str,
    /// The scheme; without one the rule allows HTTPS alone, and denies both.
    scheme: Option<&'r str>,
    hosts: HostPattern,
    path: &'r str,
}

/// Returns whether a rule covers a request: where it denies or asks, in doubt more than where it allows.
pub(crate) fn coverage(rule: &str, method: HttpMethod, url: &Url) -> Coverage {
    let (host, port) = (
        url.host().and_then(Host::from_url_host),
        url.port_or_known_default(),
    );
    let (Some(rule), Some(host), Some(port)) = (RequestRule::parse(rule), host, port) else {
        // Whoever wrote the rule wanted to stop some requests.
        return Coverage::from(false).with_restricted([true]);
    };
    let allows = rule.allows(method, url, &host, port);
    Coverage::from(allows).with_restricted([rule.denies(method, url, &host, port)])
}

impl<'r> RequestRule<'r> {
    /// Parses a rule; `None` if it has an unknown method or scheme, no host, or a query.
    fn parse(rule: &'r str) -> Option<Self> {
        let rule = rule.trim();
        let (method, target) = rule.split_once(char::is_whitespace).unwrap_or(("*", rule));
        let target = target.trim();
        let (scheme, rest) = match target.split_once("://") {
            Some((scheme, rest)) if !scheme.contains('/') => (Some(scheme), rest),
            _ => (None, target),
        };
        let (hosts, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, "/**"),
        };
        let is_method = HttpMethod::ALL.iter().any(|one| one.is_named(method));
        let is_http = scheme.is_none_or(|scheme| {
            ["http", "https"]
                .iter()
                .any(|one| scheme.eq_ignore_ascii_case(one))
        });
        let is_path = !path.contains(['?', '#']);
        (is_method && is_http && is_path).then_some(())?;
        Some(Self {
            method,
            scheme,
            hosts: HostPattern::parse(hosts).ok()?,
            path,
        })
    }

    fn allows(&self, method: HttpMethod, url: &Url, host: &Host, port: u16) -> bool {
        let scheme = self.scheme.unwrap_or("https");
        let is_port = if self.names_a_port() {
            self.hosts.allows_port(port)
        } else {
            url.port().is_none()
        };
        method.is_named(self.method)
            && scheme.eq_ignore_ascii_case(url.scheme())
            && self.hosts.matches_host(host)
            && is_port
            && path_pattern::matches(self.path, url)
    }

    fn denies(&self, method: HttpMethod, url: &Url, host: &Host, port: u16) -> bool {
        let is_scheme = |scheme: &str| scheme.eq_ignore_ascii_case(url.scheme());
        method.is_named(self.method)
            && self.scheme.is_none_or(is_scheme)
            && self.hosts.denies_host(host)
            && self.hosts.denies_port(port)
            && path_pattern::may_match(self.path, url)
    }

    /// A pattern without a port denies every port, and allows those of the web.
    fn names_a_port(&self) -> bool {
        self.hosts.allows_port(1) || !self.hosts.denies_port(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a rule does with a request: it `allows` it (and denies it in another list), only `denies` it, or does `none`.
    const CASES: &str = r"
        allows | GET api.example.com/** | https://api.example.com/a/b
        none | POST api.example.com/** | https://api.example.com/a
        allows | * api.example.com/** | https://api.example.com/a
        allows | api.example.com | https://api.example.com/a
        allows | GET api.example.com/v1/* | https://api.example.com/v1/a
        allows | GET api.example.com/v1/* | https://api.example.com/v1/a?x=y
        none | GET api.example.com/v1/* | https://api.example.com/v2/a
        denies | GET api.example.com/v1/* | https://api.example.com/v1/..%2fadmin
        denies | GET api.example.com/admin | https://api.example.com/v1/..%2fadmin
        denies | GET api.example.com/admin/* | https://api.example.com/admin/..%2fx
        denies | GET api.example.com/%61dmin | https://api.example.com/admin
        denies | GET api.example.com/a?b=* | https://api.example.com/a
        denies | GET api.example.com/** | http://api.example.com/a
        allows | GET http://api.example.com/** | http://api.example.com/a
        none | GET https://api.example.com/** | http://api.example.com/a
        denies | GET api.example.com/** | https://api.example.com:8443/a
        denies | GET api.example.com/** | https://api.example.com:80/a
        allows | GET api.example.com:8443/** | https://api.example.com:8443/a
        none | GET api.example.com:8443/** | https://api.example.com/a
        allows | GET api.example.com:*/** | https://api.example.com:8443/a
        allows | GET *.example.com/** | https://api.example.com/a
        denies | GET *.example.com/** | https://example.com/a
        none | GET *.example.com/** | https://badexample.com/a
        allows | GET *.Example.COM/** | https://api.example.com./a
        allows | GET http://[::1]:80/** | http://[::1]/a
        allows | GET bücher.example/** | https://xn--bcher-kva.example/a
        allows | GET http://127.0.0.1:*/** | http://[::ffff:127.0.0.1]:8080/
        allows | GET http://0x7f.1/** | http://127.0.0.1/
        allows | * */** | https://api.example.com/
        none | GET | https://api.example.com/
        denies |  | https://api.example.com/
        denies | FETCH api.example.com | https://api.example.com/
        denies | GET api.*.com | https://api.example.com/
        denies | GET ftp://api.example.com | https://api.example.com/
    ";

    #[test]
    fn rules_cover_what_they_say() {
        for line in CASES.lines().filter(|line| line.contains('|')) {
            let parts: Vec<&str> = line.split('|').map(str::trim).collect();
            let [expected, rule, url] = parts[..] else {
                panic!("{line}");
            };
            let coverage = coverage(rule, HttpMethod::Get, &Url::parse(url).unwrap());
            let found = match (coverage.covers_all(), coverage.restricted()) {
                (true, [true]) => "allows",
                (false, [true]) => "denies",
                (false, [false]) => "none",
                _ => "allows without denying",
            };
            assert_eq!(found, expected, "{line}");
        }
    }
}
