//! One request in a chain of redirects.

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, RANGE};
use reqwest::{Client, Method, Response, StatusCode};
use url::Url;

use std::sync::Arc;

use super::HttpError;
use super::credentials::Credentials;
use super::redirect;
use helve_core::capability::{BackendError, HttpRequest, Refusal};
use helve_core::network::{Destination, Host, HostPolicy, Resolve};
use helve_core::support::text::first_chars;

/// The longest URL that is accepted, in bytes.
const MAX_URL_BYTES: usize = 16 << 10;

/// A request that is parsed, but not yet checked.
pub(super) struct Hop {
    url: Url,
    method: Method,
    headers: HeaderMap,
    body: Vec<u8>,
    /// The URL that redirected to this request.
    from: Option<Url>,
    /// The secrets that may have been in a URL.
    secrets: Arc<Credentials>,
    /// Whether the secrets are sent: no hop before has left their origin.
    sends_secrets: bool,
}

impl Hop {
    pub(super) fn from_request(request: HttpRequest) -> Result<Self, BackendError> {
        let mut hop = Self::from_url(&request.url)?;
        hop.method = method(&request.method)?;
        hop.headers = headers(&request.headers)?;
        // A part of a compressed body cannot be decoded.
        if !hop.headers.contains_key(ACCEPT_ENCODING) && !hop.headers.contains_key(RANGE) {
            let accepted = HeaderValue::from_static(helve_net::ACCEPTED);
            hop.headers.insert(ACCEPT_ENCODING, accepted);
        }
        hop.body = request.body;
        Ok(hop)
    }

    pub(super) fn from_url(url: &str) -> Result<Self, Refusal> {
        let parsed = Url::parse(url).ok().filter(|_| url.len() <= MAX_URL_BYTES);
        let why = "it is not an absolute URL; write `https://host/path`";
        Ok(Self {
            url: parsed.ok_or_else(|| refusal(url, why))?,
            method: Method::GET,
            headers: HeaderMap::new(),
            body: Vec::new(),
            from: None,
            secrets: Arc::default(),
            sends_secrets: false,
        })
    }

    /// Adds the secrets of the request.
    ///
    /// # Errors
    /// Fails if they are bound to another origin.
    pub(super) fn with_secrets(mut self, secrets: Arc<Credentials>) -> Result<Self, HttpError> {
        secrets.check_origin(&self.url)?;
        self.sends_secrets = true;
        self.secrets = secrets;
        Ok(self)
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Reports whether a response to the request has a body. One without may say how long the body would be.
    pub(super) fn has_body(&self, status: StatusCode) -> bool {
        has_body(&self.method, status)
    }

    /// Returns the URL without the parts that may be secret.
    pub(super) fn redacted_url(&self) -> String {
        self.redact(&self.url)
    }

    /// Returns a URL without the parts that may be secret.
    pub(super) fn redact(&self, url: &Url) -> String {
        self.secrets.mask(&redirect::redact_url(url))
    }

    /// Checks the destination of the request, and returns the addresses to connect to.
    pub(super) async fn judge(
        &mut self,
        policy: &HostPolicy,
        resolver: &dyn Resolve,
    ) -> Result<Destination, Refusal> {
        let judged = self.resolve(policy, resolver).await;
        judged.map_err(|mut refusal| {
            if let (Some(from), Some(detail)) = (&self.from, &mut refusal.detail) {
                let from = self.redact(from);
                detail.insert_str(0, &format!("a redirect from `{from}` led there; "));
            }
            refusal
        })
    }

    async fn resolve(
        &mut self,
        policy: &HostPolicy,
        resolver: &dyn Resolve,
    ) -> Result<Destination, Refusal> {
        let shown = self.redacted_url();
        let wrong = |detail: &str| Err(refusal(&shown, detail));
        if !matches!(self.url.scheme(), "http" | "https") {
            return wrong("only `http` and `https` are spoken here");
        }
        if !self.url.username().is_empty() || self.url.password().is_some() {
            return wrong("there are credentials in the URL; send them in a header");
        }
        let host = self.url.host().and_then(Host::from_url_host);
        let (Some(host), Some(port)) = (host, self.url.port_or_known_default()) else {
            return wrong("its host cannot be read");
        };
        let destination = policy.resolve(&host, port, resolver).await?;
        // The host that was checked is also the one that is resolved, sent and used for TLS.
        if self.url.set_host(Some(&host.to_string())).is_err() {
            return wrong("its host cannot be read");
        }
        Ok(destination)
    }

    pub(super) async fn send(&self, client: &Client) -> Result<Response, HttpError> {
        let (mut url, mut headers) = (self.url.clone(), self.headers.clone());
        if self.sends_secrets {
            self.secrets.add(&mut url, &mut headers)?;
        }
        let mut request = client.request(self.method.clone(), url).headers(headers);
        if !self.body.is_empty() {
            request = request.body(self.body.clone());
        }
        request.send().await.map_err(HttpError::transport)
    }

    /// Creates the request to the target of a redirect, as browsers do, without the headers and secrets that are meant only
    /// for the first origin.
    ///
    /// # Errors
    /// Fails if the target is of another origin and its URL contains a secret.
    pub(super) fn into_redirect(
        mut self,
        status: StatusCode,
        target: Url,
    ) -> Result<Self, Refusal> {
        if redirect::becomes_get(status, &self.method) {
            self.method = Method::GET;
            self.body.clear();
            self.headers = redirect::without_body(self.headers);
        }
        if self.url.origin() != target.origin() {
            if self.secrets.are_in(&target) {
                let detail = "the redirect would send a secret to another origin";
                return Err(refusal(&self.redact(&target), detail));
            }
            self.headers = redirect::for_anyone(&self.headers);
            self.sends_secrets = false;
        }
        Ok(Self {
            from: Some(self.url),
            url: target,
            ..self
        })
    }
}

fn has_body(method: &Method, status: StatusCode) -> bool {
    let is_empty = matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    *method != Method::HEAD && !is_empty
}

fn refusal(url: &str, detail: &str) -> Refusal {
    Refusal::host_not_allowed(first_chars(url, 256), detail)
}

fn method(text: &str) -> Result<Method, HttpError> {
    let method = Method::from_bytes(text.as_bytes()).ok();
    // A tunnel would bypass all checks of this module.
    let method = method.filter(|method| *method != Method::CONNECT);
    method.ok_or_else(|| HttpError::Method {
        method: first_chars(text, 40).to_owned(),
    })
}

fn headers(written: &[(String, String)]) -> Result<HeaderMap, HttpError> {
    const MAX_HEADERS: usize = 100;
    let mut headers = HeaderMap::new();
    for (name, value) in written {
        let wrong = |why| HttpError::Header {
            name: first_chars(name, 80).to_owned(),
            why,
        };
        let key = check_header_name(name)?;
        let value = HeaderValue::from_str(value)
            .map_err(|_| wrong("its value has a line break or another control character"))?;
        if headers.len() >= MAX_HEADERS {
            return Err(wrong("there are too many headers"));
        }
        headers.append(key, value);
    }
    Ok(headers)
}

/// Parses the name of a header, which must be one that the client leaves to the request.
pub(super) fn check_header_name(name: &str) -> Result<HeaderName, HttpError> {
    const OF_CONNECTION: [&str; 9] = [
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    let wrong = |why| HttpError::Header {
        name: first_chars(name, 80).to_owned(),
        why,
    };
    let key: HeaderName = name.parse().map_err(|_| wrong("its name is none"))?;
    if OF_CONNECTION.contains(&key.as_str()) {
        return Err(wrong("it is set by the client itself; leave it out"));
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP/2 gives the announced length of a body that does not come as the length of the body.
    #[test]
    fn a_length_is_that_of_a_body_only_where_there_is_one() {
        for (method, status, expected) in [
            (Method::GET, StatusCode::OK, true),
            (Method::HEAD, StatusCode::OK, false),
            (Method::HEAD, StatusCode::NOT_FOUND, false),
            (Method::GET, StatusCode::NOT_MODIFIED, false),
            (Method::POST, StatusCode::NO_CONTENT, false),
            (Method::POST, StatusCode::NOT_FOUND, true),
        ] {
            assert_eq!(has_body(&method, status), expected, "{method} {status}");
        }
    }
}
