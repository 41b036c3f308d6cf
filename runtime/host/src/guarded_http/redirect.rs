//! The target of a redirect, and the request headers that are kept.

use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, Response, StatusCode};
use url::Url;

use super::hop::Hop;
use helve_core::capability::{BackendError, Refusal};
use helve_core::support::text::first_chars;

/// Returns the target of a redirect; `None` if the response is not a redirect.
pub(super) fn target(response: &Response, hop: &Hop) -> Result<Option<Url>, BackendError> {
    let redirects = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let Some(location) = response.headers().get(LOCATION).filter(|_| redirects) else {
        return Ok(None);
    };
    let read = location.to_str().ok();
    let read = read.and_then(|location| hop.url().join(location).ok());
    let Some(mut url) = read else {
        let detail = "it redirects to something that is no URL";
        return Err(Refusal::host_not_allowed(hop.redacted_url(), detail).into());
    };
    if url.fragment().is_none() {
        url.set_fragment(hop.url().fragment());
    }
    Ok(Some(url))
}

/// Reports whether a redirect changes the method to GET, as in browsers.
pub(super) fn becomes_get(status: StatusCode, method: &Method) -> bool {
    match status.as_u16() {
        301 | 302 => *method == Method::POST,
        303 => *method != Method::GET && *method != Method::HEAD,
        _ => false,
    }
}

/// Removes the headers that describe a body, for a request without a body.
pub(super) fn without_body(mut headers: HeaderMap) -> HeaderMap {
    for name in [
        "content-type",
        "content-encoding",
        "content-language",
        "content-location",
        "digest",
    ] {
        headers.remove(name);
    }
    headers
}

/// Returns the headers that do not identify the caller.
///
/// This is an allowlist, because a list of secret headers would miss the next `x-…-key`.
pub(super) fn for_anyone(headers: &HeaderMap) -> HeaderMap {
    const HARMLESS: [&str; 12] = [
        "accept",
        "accept-charset",
        "accept-encoding",
        "accept-language",
        "cache-control",
        "content-encoding",
        "content-language",
        "content-type",
        "if-modified-since",
        "pragma",
        "range",
        "user-agent",
    ];
    let kept = headers.iter();
    kept.filter(|(name, _)| HARMLESS.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Returns a URL without user, query and fragment, which may be secret; a long URL is truncated.
pub(super) fn redact_url(url: &Url) -> String {
    let mut url = url.clone();
    // Both calls fail only for URLs that cannot have a user or a password.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    first_chars(url.as_str(), 256).to_owned()
}
