//! The permission rules of `view_image`: paths as the file tools have them, and `domain:example.com` for images on the web.

use helve::ToolContext;
use helve::capability::Confinement;
use helve::permission::paths;
use helve::tool::{CallPart, Check, CheckReport, Coverage, FileAccess};
use url::Url;

use crate::region::ImageRegion;
use crate::source::ImageSource;

/// Returns what a call reads: a file, without the network, or an address, which is all that it sends.
pub(crate) fn check(
    _: &ToolContext,
    source: &str,
    _: Option<&str>,
    _: &Option<ImageRegion>,
    _: &u32,
) -> CheckReport {
    match ImageSource::parse(source) {
        Ok(ImageSource::File(path)) => Check::Pass
            .with_accesses([FileAccess::read(path)])
            .with_confinement(Confinement::ReadOnly),
        // The address in the spelling of the call, as the user or a page wrote it.
        Ok(ImageSource::Url(_)) => Check::Pass.with_parts([CallPart::new(source)]),
        Ok(ImageSource::Attachment(_)) | Err(_) => {
            CheckReport::from(Check::ReadOnly).with_confinement(Confinement::ReadOnly)
        }
    }
}

/// Matches a rule against the file or the host.
pub(crate) fn match_rule(
    cx: &ToolContext,
    rule: &str,
    source: &str,
    _: Option<&str>,
    _: &Option<ImageRegion>,
    _: &u32,
) -> Coverage {
    match (ImageSource::parse(source), rule.strip_prefix("domain:")) {
        (Ok(ImageSource::File(path)), None) => paths::covers(cx, rule, &path),
        (Ok(ImageSource::Url(url)), Some(domain)) => covers_host(domain, &url).into(),
        _ => (rule == source).into(),
    }
}

/// Suggests a rule for the folder of the file, or for the host.
pub(crate) fn suggest(
    source: &str,
    _: Option<&str>,
    _: &Option<ImageRegion>,
    _: &u32,
) -> Vec<String> {
    let rule = match ImageSource::parse(source) {
        Ok(ImageSource::File(path)) => paths::suggest(&path),
        Ok(ImageSource::Url(url)) => host(&url).map(|host| format!("domain:{host}")),
        _ => None,
    };
    rule.into_iter().collect()
}

/// Reports whether a domain of a rule, or `*.` with one, is that of an address.
fn covers_host(domain: &str, url: &Url) -> bool {
    let Some(host) = host(url) else {
        return false;
    };
    let wanted = domain.trim().to_ascii_lowercase();
    match wanted.strip_prefix("*.") {
        Some(above) => host
            .strip_suffix(above)
            .is_some_and(|below| below.ends_with('.')),
        None => wanted == host,
    }
}

fn host(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::covers_host;

    #[test]
    fn rules_name_hosts() {
        let url = Url::parse("https://img.example.com/a.png").unwrap();
        assert!(covers_host("img.example.com", &url) && covers_host("*.example.com", &url));
        for domain in ["example.com", "*.img.example.com", "*.mg.example.com", ""] {
            assert!(!covers_host(domain, &url), "{domain}");
        }
    }
}
