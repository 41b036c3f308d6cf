//! Which requests ask, and the rules on them: `GET api.example.com/v1/**`.

use helve::ToolContext;
use helve::tool::{Check, CheckReport, Coverage, FileAccess};
use url::Url;

use crate::body::RequestBody;
use crate::method::HttpMethod;
use crate::path_pattern;
use crate::plan::{RequestArguments, RequestPlan};

/// Judges a call, and makes its request. A mistake in the arguments needs no question, since nothing is sent.
pub(crate) fn judge(
    cx: &ToolContext,
    arguments: RequestArguments<'_>,
    save_to: Option<&str>,
) -> CheckReport {
    let plan = match RequestPlan::new(cx, arguments) {
        Ok(plan) => plan,
        Err(why) => {
            return CheckReport::from(Check::ReadOnly).with_value(Err::<RequestPlan, String>(why));
        }
    };
    let check = match (plan.method.only_reads(), save_to) {
        (true, None) => Check::ReadOnly,
        (true, Some(path)) => Check::ask(format!("sends {}, and writes `{path}`", plan.describe())),
        (false, _) => Check::ask(format!("sends {}", plan.describe())),
    };
    let read = match &plan.body {
        RequestBody::File(path) => Some(FileAccess::read(path.as_str())),
        _ => None,
    };
    let accesses = read.into_iter().chain(save_to.map(FileAccess::write));
    let (method, url) = (plan.method, plan.url.clone());
    let report = match (plan.method.only_reads(), save_to) {
        (true, None) => CheckReport::from(check),
        _ => check.with_dry_run_diff(),
    };
    report
        .with_accesses(accesses)
        .with_suggested_rules(suggest(&plan))
        .with_rule_matcher(move |_, rule| Coverage::from(covers(rule, method, &url)))
        .with_value(Ok::<RequestPlan, String>(plan))
}

/// Suggests the rule for this path, and that for the whole host.
fn suggest(plan: &RequestPlan) -> Vec<String> {
    let (method, host) = (plan.method.as_str(), plan.host());
    let scheme = if plan.url.scheme() == "http" {
        "http://"
    } else {
        ""
    };
    // A rule cannot say a path in which its signs stand for themselves.
    let path = Some(plan.url.path()).filter(|path| !path.contains(['*', '%', ')']));
    let exact = path.map(|path| format!("{method} {scheme}{host}{path}"));
    exact
        .into_iter()
        .chain([format!("{method} {scheme}{host}/**")])
        .collect()
}

/// Reports whether a rule covers a request. A rule has a method or `*`, and the host with a path; without a scheme it is
/// for HTTPS.
fn covers(rule: &str, method: HttpMethod, url: &Url) -> bool {
    let rule = rule.trim();
    let (own, target) = rule.split_once(char::is_whitespace).unwrap_or(("*", rule));
    if own != "*" && !method.is_named(own) {
        return false;
    }
    let target = target.trim();
    let (scheme, rest) = target.split_once("://").unwrap_or(("https", target));
    let (host, path) = match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, "/**"),
    };
    scheme.eq_ignore_ascii_case(url.scheme())
        && is_host(host, url)
        && path_pattern::matches(path, url)
}

fn is_host(pattern: &str, url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    // The colons of an address in brackets are no port.
    let split = pattern
        .rsplit_once(':')
        .filter(|(_, port)| !port.contains(']'));
    let (name, port) = split.map_or((pattern, None), |(name, port)| (name, Some(port)));
    let is_port = match (port, url.port()) {
        (Some("*"), _) | (None, None) => true,
        (Some(port), _) => port.parse().ok() == url.port_or_known_default(),
        (None, Some(_)) => false,
    };
    let is_name = match name.strip_prefix("*.") {
        Some(above) => host
            .strip_suffix(above)
            .is_some_and(|below| below.len() > 1 && below.ends_with('.')),
        None => name.eq_ignore_ascii_case(host) || name == "*",
    };
    is_port && is_name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_cover_what_they_say() {
        for (rule, method, url, expected) in [
            (
                "GET api.example.com/**",
                HttpMethod::Get,
                "https://api.example.com/a/b",
                true,
            ),
            (
                "GET api.example.com/**",
                HttpMethod::Post,
                "https://api.example.com/a",
                false,
            ),
            (
                "* api.example.com/**",
                HttpMethod::Delete,
                "https://api.example.com/a",
                true,
            ),
            (
                "api.example.com",
                HttpMethod::Put,
                "https://api.example.com/a",
                true,
            ),
            (
                "POST api.example.com/v1/*",
                HttpMethod::Post,
                "https://api.example.com/v1/a",
                true,
            ),
            (
                "POST api.example.com/v1/*",
                HttpMethod::Post,
                "https://api.example.com/v1/..%2fadmin",
                false,
            ),
            (
                "POST api.example.com/v1/*",
                HttpMethod::Post,
                "https://api.example.com/v1/a?x=y",
                true,
            ),
            (
                "POST api.example.com/**",
                HttpMethod::Post,
                "http://api.example.com/a",
                false,
            ),
            (
                "POST http://api.example.com/**",
                HttpMethod::Post,
                "http://api.example.com/a",
                true,
            ),
            (
                "POST api.example.com/**",
                HttpMethod::Post,
                "https://api.example.com:8443/a",
                false,
            ),
            (
                "POST api.example.com:8443/**",
                HttpMethod::Post,
                "https://api.example.com:8443/a",
                true,
            ),
            (
                "POST *.example.com/**",
                HttpMethod::Post,
                "https://api.example.com/a",
                true,
            ),
            (
                "POST *.example.com/**",
                HttpMethod::Post,
                "https://example.com/a",
                false,
            ),
            (
                "POST *.example.com/**",
                HttpMethod::Post,
                "https://badexample.com/a",
                false,
            ),
            (
                "POST http://[::1]:80/**",
                HttpMethod::Post,
                "http://[::1]/a",
                true,
            ),
            ("POST", HttpMethod::Post, "https://api.example.com/", false),
        ] {
            let covered = covers(rule, method, &Url::parse(url).unwrap());
            assert_eq!(covered, expected, "{rule}: {url}");
        }
    }
}
