//! Requests images, and follows redirects on a host.

use helve::capability::{HttpRequest, HttpResponse};
use helve::prelude::*;
use url::Url;

/// The greatest number of requests of one call.
const MAX_REQUESTS: usize = 5;

/// What is accepted, most wanted first.
const ACCEPT: &str = "image/png, image/jpeg, image/webp, image/gif, image/*;q=0.5";

/// What a server answered.
pub(crate) enum FetchedImage {
    Body {
        bytes: Vec<u8>,
        is_svg: bool,
    },
    /// A redirect to another host, which is not followed: the host of the call is what was judged.
    Elsewhere {
        to: Url,
        status: u16,
    },
}

/// Requests an image. Each redirect is checked as the first request is.
pub(crate) async fn fetch(cx: &ToolContext, url: &Url) -> Result<FetchedImage, ToolError> {
    let mut at = url.clone();
    for _ in 0..MAX_REQUESTS {
        let mut request = HttpRequest::new("GET", at.as_str());
        request
            .headers
            .push(("accept".to_owned(), ACCEPT.to_owned()));
        request.follow_redirects = false;
        let response = cx.http().send(request).await?;
        let status = response.status;
        if let Some(to) = redirect(&at, &response)? {
            if !is_same_host(&at, &to) {
                return Ok(FetchedImage::Elsewhere { to, status });
            }
            at = to;
            continue;
        }
        if !(200..300).contains(&status) {
            return Err(ToolError::failed(format!(
                "`{at}` was answered with status {status}, and no image"
            )));
        }
        let content_type = header(&response, "content-type").unwrap_or_default();
        let is_svg = content_type
            .trim()
            .to_ascii_lowercase()
            .starts_with("image/svg");
        let is_page = content_type
            .trim()
            .to_ascii_lowercase()
            .starts_with("text/html");
        if is_page && helve::image::ImageKind::detect(&response.body).is_none() {
            return Err(ToolError::failed(format!(
                "`{at}` is a web page, and no image; give the address of the image itself"
            )));
        }
        let bytes = response.body;
        return Ok(FetchedImage::Body { bytes, is_svg });
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
    target.map(Some).ok_or_else(|| {
        ToolError::failed(format!(
            "`{at}` redirects to something that is no address of an image"
        ))
    })
}

/// Reports whether a redirect stays on the host, and does not leave an encrypted connection.
fn is_same_host(from: &Url, to: &Url) -> bool {
    let is_weaker = from.scheme() == "https" && to.scheme() == "http";
    let is_upgrade = from.scheme() == "http" && to.scheme() == "https";
    let same_port = from.port_or_known_default() == to.port_or_known_default();
    let default_ports = from.port().is_none() && to.port().is_none();
    from.host() == to.host() && !is_weaker && (same_port || is_upgrade && default_ports)
}

fn header<'a>(response: &'a HttpResponse, name: &str) -> Option<&'a str> {
    let mut headers = response.headers.iter();
    let found = headers.find(|(one, _)| one.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::is_same_host;

    #[test]
    fn hosts() {
        let same = |from: &str, to: &str| {
            is_same_host(&Url::parse(from).unwrap(), &Url::parse(to).unwrap())
        };
        assert!(same("http://example.com/a", "https://example.com/b"));
        assert!(same("http://127.0.0.1:81/a", "http://127.0.0.1:81/b"));
        for (from, to) in [
            ("https://example.com/", "http://example.com/"),
            ("https://example.com/", "https://cdn.example.com/"),
            ("http://127.0.0.1:81/", "http://127.0.0.1:82/"),
            ("http://example.com:81/", "https://example.com/"),
        ] {
            assert!(!same(from, to), "{from} {to}");
        }
    }
}
