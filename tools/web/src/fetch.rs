//! Requests pages, and follows redirects within a site.

use helve::capability::{HttpRequest, HttpResponse};
use helve::network::Host;
use helve::prelude::*;
use url::Url;

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
    let parsed = Url::parse(url).ok();
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

/// Returns the host of an address as the HTTP client reads it.
pub(crate) fn host(url: &Url) -> Option<Host> {
    url.host().and_then(Host::from_url_host)
}

/// Reports whether a redirect stays within a site: on the same host, with or without `www.`, and not from an encrypted
/// connection to one that is not. The rules about an address are about all that a redirect may reach from it.
pub(crate) fn is_same_site(from: &Url, to: &Url) -> bool {
    if from.scheme() == "https" && to.scheme() == "http" {
        return false;
    }
    let [from_host, to_host] = [from, to].map(|url| host(url).map(|host| without_www(&host)));
    let is_default = from.port().is_none() && to.port().is_none();
    let is_same_port = from.port_or_known_default() == to.port_or_known_default();
    from_host.is_some() && from_host == to_host && (is_same_port || is_default)
}

/// Returns a host without `www.`.
pub(crate) fn without_www(host: &Host) -> Host {
    match host {
        Host::Name(name) => {
            let name = name
                .strip_prefix("www.")
                .filter(|rest| !rest.is_empty())
                .unwrap_or(name);
            Host::Name(name.to_owned())
        }
        Host::Address(_) => host.clone(),
    }
}

/// Returns a host with `www.`; `None` for an address.
pub(crate) fn with_www(host: &Host) -> Option<Host> {
    match without_www(host) {
        Host::Name(name) => Some(Host::Name(format!("www.{name}"))),
        Host::Address(_) => None,
    }
}

/// Returns the values of all headers of a name.
pub(crate) fn headers<'a>(
    response: &'a HttpResponse,
    name: &'a str,
) -> impl Iterator<Item = &'a str> {
    let headers = response.headers.iter();
    let named = headers.filter(move |(one, _)| one.eq_ignore_ascii_case(name));
    named.map(|(_, value)| value.as_str())
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
            ("https://www.example.com/", "https://example.com./docs"),
            ("https://example.com/", "https://example.com/a"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/a"),
        ] {
            assert!(same(from, to), "{from} {to}");
        }
        for (from, to) in [
            ("https://example.com/", "http://example.com/"),
            ("https://example.com/", "https://example.org/"),
            ("https://example.com/", "https://badexample.com/"),
            ("https://docs.example.com/", "https://example.com/docs"),
            ("https://example.com/", "https://private.example.com/"),
            ("https://example.com/", "https://com/"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8081/"),
            ("http://127.0.0.1/", "http://169.254.169.254/"),
            ("https://example.com/", "https://example.com:8443/"),
        ] {
            assert!(!same(from, to), "{from} {to}");
        }
        for url in [
            "file:///etc/passwd",
            "example.com",
            "\u{a0}https://example.com/",
        ] {
            assert!(parse(url).is_err(), "{url}");
        }
    }
}
