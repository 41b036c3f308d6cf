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

    /// Whether the rule allows a request, and whether it denies it.
    fn covers(rule: &str, method: HttpMethod, url: &str) -> (bool, bool) {
        let coverage = coverage(rule, method, &Url::parse(url).unwrap());
        (coverage.covers_all(), coverage.restricted() == [true])
    }

    #[test]
    fn rules_cover_what_they_say() {
        let get = HttpMethod::Get;
        for (rule, url, allows, denies) in [
            (
                "GET api.example.com/**",
                "https://api.example.com/a/b",
                true,
                true,
            ),
            (
                "POST api.example.com/**",
                "https://api.example.com/a",
                false,
                false,
            ),
            (
                "* api.example.com/**",
                "https://api.example.com/a",
                true,
                true,
            ),
            ("api.example.com", "https://api.example.com/a", true, true),
            (
                "GET api.example.com/v1/*",
                "https://api.example.com/v1/a",
                true,
                true,
            ),
            (
                "GET api.example.com/v1/*",
                "https://api.example.com/v1/a?x=y",
                true,
                true,
            ),
            (
                "GET api.example.com/v1/*",
                "https://api.example.com/v2/a",
                false,
                false,
            ),
            // Servers differ in what these paths are.
            (
                "GET api.example.com/v1/*",
                "https://api.example.com/v1/..%2fadmin",
                false,
                true,
            ),
            (
                "GET api.example.com/admin",
                "https://api.example.com/v1/..%2fadmin",
                false,
                true,
            ),
            (
                "GET api.example.com/admin/*",
                "https://api.example.com/admin/..%2fx",
                false,
                true,
            ),
            (
                "GET api.example.com/%61dmin",
                "https://api.example.com/admin",
                false,
                true,
            ),
            (
                "GET api.example.com/a?b=*",
                "https://api.example.com/a",
                false,
                true,
            ),
            // Without a scheme and a port, a rule allows HTTPS on its port, and denies everything.
            (
                "GET api.example.com/**",
                "http://api.example.com/a",
                false,
                true,
            ),
            (
                "GET http://api.example.com/**",
                "http://api.example.com/a",
                true,
                true,
            ),
            (
                "GET https://api.example.com/**",
                "http://api.example.com/a",
                false,
                false,
            ),
            (
                "GET api.example.com/**",
                "https://api.example.com:8443/a",
                false,
                true,
            ),
            (
                "GET api.example.com/**",
                "https://api.example.com:80/a",
                false,
                true,
            ),
            (
                "GET api.example.com:8443/**",
                "https://api.example.com:8443/a",
                true,
                true,
            ),
            (
                "GET api.example.com:8443/**",
                "https://api.example.com/a",
                false,
                false,
            ),
            (
                "GET api.example.com:*/**",
                "https://api.example.com:8443/a",
                true,
                true,
            ),
            (
                "GET *.example.com/**",
                "https://api.example.com/a",
                true,
                true,
            ),
            ("GET *.example.com/**", "https://example.com/a", false, true),
            (
                "GET *.example.com/**",
                "https://badexample.com/a",
                false,
                false,
            ),
            (
                "GET *.Example.COM/**",
                "https://api.example.com./a",
                true,
                true,
            ),
            ("GET http://[::1]:80/**", "http://[::1]/a", true, true),
            (
                "GET bücher.example/**",
                "https://xn--bcher-kva.example/a",
                true,
                true,
            ),
            (
                "GET http://127.0.0.1:*/**",
                "http://[::ffff:127.0.0.1]:8080/",
                true,
                true,
            ),
            ("GET http://0x7f.1/**", "http://127.0.0.1/", true, true),
            ("* */**", "https://api.example.com/", true, true),
            ("GET", "https://api.example.com/", false, false),
            // Whoever wrote these wanted to stop something.
            ("", "https://api.example.com/", false, true),
            (
                "FETCH api.example.com",
                "https://api.example.com/",
                false,
                true,
            ),
            ("GET api.*.com", "https://api.example.com/", false, true),
            (
                "GET ftp://api.example.com",
                "https://api.example.com/",
                false,
                true,
            ),
        ] {
            assert_eq!(covers(rule, get, url), (allows, denies), "{rule}: {url}");
        }
    }
}
