//! The permission rules of `web_fetch`: `domain:example.com`, and `domain:*.example.com` for the hosts below it.

use helve::ToolContext;
use helve::tool::{CallPart, Check, CheckReport, Coverage};
use url::Url;

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
    covers(rule, url).into()
}

fn covers(rule: &str, url: &str) -> bool {
    let Some(wanted) = rule.strip_prefix("domain:") else {
        return rule == url;
    };
    let Some(host) = host(url) else {
        return false;
    };
    let wanted = wanted.trim().to_ascii_lowercase();
    match wanted.strip_prefix("*.") {
        Some(above) => host
            .strip_suffix(above)
            .is_some_and(|below| below.ends_with('.')),
        None => wanted == host,
    }
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
    let host = host(url);
    host.map(|host| format!("domain:{host}"))
        .into_iter()
        .collect()
}

fn host(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    Some(host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn rules_name_hosts() {
        let url = "https://docs.example.com/a?b";
        assert!(covers("domain:docs.example.com", url) && covers("domain:*.example.com", url));
        assert!(covers(url, url));
        for rule in [
            "domain:example.com",
            "domain:*.docs.example.com",
            "domain:xample.com",
            "docs.example.com",
            "",
        ] {
            assert!(!covers(rule, url), "{rule}");
        }
        assert!(!covers("domain:*.example.com", "https://badexample.com/"));
    }
}
