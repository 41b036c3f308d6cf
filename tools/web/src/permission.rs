//! The permission rules of `web_fetch`: `domain:example.com`, and `domain:*.example.com` for the hosts below it.

use helve::ToolContext;
use helve::network::HostPattern;
use helve::tool::{CallPart, Check, CheckReport, Coverage};
use url::Url;

use crate::fetch;
use crate::web_fetch::PageFormat;

type Text<'a> = Option<&'a str>;

/// Returns what a call sends: its address alone. What it searches for and asks stays here.
#[expect(clippy::too_many_arguments, reason = "the arguments of the tool")]
pub(crate) fn check(
    _: &ToolContext,
    url: &str,
    _: Text<'_>,
    _: Text<'_>,
    _: Text<'_>,
    _: &PageFormat,
    _: &usize,
    _: &Option<usize>,
) -> CheckReport {
    Check::Pass.with_parts([CallPart::new(url)])
}

/// Matches a rule against the host of the address.
#[expect(clippy::too_many_arguments, reason = "the arguments of the tool")]
pub(crate) fn match_rule(
    _: &ToolContext,
    rule: &str,
    url: &str,
    _: Text<'_>,
    _: Text<'_>,
    _: Text<'_>,
    _: &PageFormat,
    _: &usize,
    _: &Option<usize>,
) -> Coverage {
    coverage(rule, url)
}

/// Returns whether a rule covers an address. Where it denies or asks, it covers all addresses that a fetch may reach by
/// redirects: those of the host with and without `www.`, on the usual ports of both schemes.
fn coverage(rule: &str, url: &str) -> Coverage {
    let Ok(url) = fetch::parse(url) else {
        // Nothing is requested.
        return Coverage::from(false);
    };
    let pattern = rule.strip_prefix("domain:");
    let Some(pattern) = pattern.and_then(|pattern| HostPattern::parse(pattern.trim()).ok()) else {
        return address_coverage(rule, &url);
    };
    let Some(host) = fetch::host(&url) else {
        return Coverage::from(false);
    };
    let port = url.port_or_known_default().unwrap_or_default();
    let names_no_port = pattern.denies_port(1) && !pattern.allows_port(1);
    let allows = pattern.matches_host(&host) && (names_no_port || pattern.allows_port(port));
    let is_port = match url.port() {
        Some(port) => pattern.denies_port(port),
        None => pattern.denies_port(80) || pattern.denies_port(443),
    };
    let reached = [Some(fetch::without_www(&host)), fetch::with_www(&host)];
    let mut reached = reached.iter().flatten();
    let denies = is_port && reached.any(|host| pattern.denies_host(host));
    Coverage::from(allows).with_restricted([denies])
}

/// Matches a rule that is a whole address. Where it denies, it covers the host, since every page of that may lead there; what
/// is no address covers everything.
fn address_coverage(rule: &str, url: &Url) -> Coverage {
    let Ok(wanted) = fetch::parse(rule) else {
        return Coverage::from(false).with_restricted([true]);
    };
    let is_reached = fetch::is_same_site(&wanted, url) || fetch::is_same_site(url, &wanted);
    Coverage::from(wanted == *url).with_restricted([is_reached])
}

/// Suggests a rule for the host of the address.
pub(crate) fn suggest(
    url: &str,
    _: Text<'_>,
    _: Text<'_>,
    _: Text<'_>,
    _: &PageFormat,
    _: &usize,
    _: &Option<usize>,
) -> Vec<String> {
    let url = fetch::parse(url).ok();
    let host = url.and_then(|url| fetch::host(&url));
    host.map(|host| format!("domain:{host}"))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::coverage;

    /// What a rule does with a fetch: it `allows` it (and denies it in another list), only `denies` it, or does `none`.
    const CASES: &str = r"
        allows | domain:docs.example.com | https://docs.example.com/a?b
        allows | domain:*.example.com | https://docs.example.com/a?b
        allows | domain:*.Example.COM | https://docs.example.com/a?b
        none | domain:example.com | https://docs.example.com/a?b
        none | domain:xample.com | https://docs.example.com/a?b
        none | domain:*.example.com | https://badexample.com/
        denies | domain:*.example.com | https://example.com/
        denies | domain:*.docs.example.com | https://docs.example.com/a?b
        denies | domain:www.docs.example.com | https://docs.example.com/a?b
        denies | domain:docs.example.com | https://www.docs.example.com/
        denies | domain:docs.example.com:443 | http://docs.example.com/
        none | domain:docs.example.com:8443 | https://docs.example.com/a?b
        allows | domain:docs.example.com | https://docs.example.com:8443/
        allows | domain:docs.example.com | HTTPS:\\DOCS.example.com.:443
        allows | domain:bücher.example | https://xn--bcher-kva.example/
        allows | domain:127.0.0.1 | http://[::ffff:7f00:1]/
        allows | domain:127.0.0.1 | http://0x7f.1/
        allows | https://docs.example.com/a?b | https://docs.example.com/a?b
        allows | https://DOCS.example.com:443/a?b#c | https://docs.example.com/a?b
        denies | https://docs.example.com/other | https://docs.example.com/a?b
        none | https://example.com/a?b | https://docs.example.com/a?b
        denies | docs.example.com | https://docs.example.com/a?b
        denies | domain:docs.*.com | https://docs.example.com/a?b
        denies |  | https://docs.example.com/a?b
    ";

    #[test]
    fn rules_name_hosts() {
        for line in CASES.lines().filter(|line| line.contains('|')) {
            let parts: Vec<&str> = line.split('|').map(str::trim).collect();
            let [expected, rule, url] = parts[..] else {
                panic!("{line}");
            };
            let coverage = coverage(rule, url);
            let found = match (coverage.covers_all(), coverage.restricted()) {
                (true, [true]) => "allows",
                (false, [true]) => "denies",
                (false, [false]) => "none",
                _ => "allows without denying",
            };
            assert_eq!(found, expected, "{line}");
        }
        // Nothing is requested.
        let coverage = coverage(
            "domain:docs.example.com",
            "\u{3000}https://docs.example.com/",
        );
        assert_eq!(coverage, false.into());
    }
}
