//! Requests pages, and follows redirects within a site.

use helve::capability::{HttpRequest, HttpResponse};
use helve::prelude::*;
use url::{Host, Url};

/// The greatest number of requests of one call.
const MAX_REQUESTS: usize = 5;

/// What is accepted, most wanted first.
const ACCEPT: &str = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.9, text/plain;q=0.8, */*;q=0.1";

/// A response that is no redirect.
#[derive(Debug, Clone)]
pub(crate) struct Fetched {
    /// The address that answered.
    pub(crate) url: Url,
    pub(crate) response: HttpResponse,
}

/// What became of a request.
#[derive(Debug)]
pub(crate) enum FetchOutcome {
    Fetched(Fetched),
    /// The server sent a redirect to another site, which is not followed.
    Elsewhere {
        from: Url,
        to: Url,
        status: u16,
    },
}

/// Parses an address.
///
/// # Errors
/// When it is no absolute address of the web.
pub(crate) fn parse(url: &str) -> Result<Url, ToolError> {
    let parsed = Url::parse(url.trim()).ok();
    let parsed = parsed.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let mut url = parsed.ok_or_else(|| {
        let shown: String = url.chars().take(200).collect();
        ToolError::failed(format!(
            "`{shown}` is no address of a web page; give a whole URL, such as https://example.com/page"
        ))
    })?;
    url.set_fragment(None);
    Ok(url)
}

/// Returns an address without the parts that may be secret.
pub(crate) fn display(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    // It fails only for addresses that have no user.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.to_string()
}

/// Says which request a call would send.
pub(crate) fn describe(url: &Url) -> String {
    format!(
        "dry run, nothing is sent: would send this, and follow redirects within the site\n\nGET {url}\naccept: {ACCEPT}"
    )
}

/// Requests a page. Each redirect is checked as the first request is.
pub(crate) async fn fetch(cx: &ToolContext, url: Url) -> Result<FetchOutcome, ToolError> {
    let mut at = url;
    for _ in 0..MAX_REQUESTS {
        let mut request = HttpRequest::new("GET", at.as_str());
        request
            .headers
            .push(("accept".to_owned(), ACCEPT.to_owned()));
        request.follow_redirects = false;
        let response = cx.http().send(request).await?;
        let Some(to) = redirect(&at, &response)? else {
            return Ok(FetchOutcome::Fetched(Fetched { url: at, response }));
        };
        if !is_same_site(&at, &to) {
            let status = response.status;
            return Ok(FetchOutcome::Elsewhere {
                from: at,
                to,
                status,
            });
        }
        at = to;
    }
    Err(ToolError::failed(format!(
        "gave up after {MAX_REQUESTS} requests, each redirected to the next, at last to `{at}`"
    )))
}

/// Returns the target of a redirect.
fn redirect(at: &Url, response: &HttpResponse) -> Result<Option<Url>, ToolError> {
    if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = header(response, "location") else {
        return Ok(None);
    };
    let target = at.join(location).ok();
    let target = target.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let mut target = target.ok_or_else(|| {
        ToolError::failed(format!(
            "`{at}` redirects to something that is no address of a web page"
        ))
    })?;
    target.set_fragment(None);
    Ok(Some(target))
}

/// Reports whether a redirect stays within a site: on the same host, on a host below or above it, and not from an encrypted
/// connection to one that is not.
fn is_same_site(from: &Url, to: &Url) -> bool {
    if from.scheme() == "https" && to.scheme() == "http" {
        return false;
    }
    let is_default = |url: &Url| url.port().is_none();
    let same_port = from.port_or_known_default() == to.port_or_known_default();
    match (from.host(), to.host()) {
        (Some(Host::Domain(from_name)), Some(Host::Domain(to_name))) => {
            let without = |name: &str| name.strip_prefix("www.").unwrap_or(name).to_owned();
            let (from_name, to_name) = (without(from_name), without(to_name));
            let is_below = |name: &str, above: &str| {
                above.contains('.')
                    && name
                        .strip_suffix(above)
                        .is_some_and(|rest| rest.ends_with('.'))
            };
            let same_host = from_name == to_name;
            let related =
                same_host || is_below(&from_name, &to_name) || is_below(&to_name, &from_name);
            related && (same_port || (is_default(from) && is_default(to)))
        }
        (from_host, to_host) => from_host == to_host && same_port,
    }
}

/// Returns a header of a response.
pub(crate) fn header<'a>(response: &'a HttpResponse, name: &str) -> Option<&'a str> {
    let mut headers = response.headers.iter();
    let found = headers.find(|(one, _)| one.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::{is_same_site, parse};

    #[test]
    fn sites() {
        let same = |from: &str, to: &str| is_same_site(&parse(from).unwrap(), &parse(to).unwrap());
        for (from, to) in [
            ("http://example.com/", "https://www.example.com/a"),
            ("https://docs.example.com/", "https://example.com/docs"),
            ("https://example.com/", "https://example.com/a"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/a"),
        ] {
            assert!(same(from, to), "{from} {to}");
        }
        for (from, to) in [
            ("https://example.com/", "http://example.com/"),
            ("https://example.com/", "https://example.org/"),
            ("https://example.com/", "https://badexample.com/"),
            ("https://example.com/", "https://com/"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8081/"),
            ("http://127.0.0.1/", "http://169.254.169.254/"),
            ("https://example.com/", "https://example.com:8443/"),
        ] {
            assert!(!same(from, to), "{from} {to}");
        }
        assert!(parse("file:///etc/passwd").is_err() && parse("example.com").is_err());
    }
}
