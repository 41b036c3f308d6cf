//! Downloads over HTTPS, from the hosts of a source alone.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve_core::capability::{Http, HttpBackend, HttpRequest, HttpResponse, HttpScope};
use url::Url;

use crate::error::InstallError;
use crate::source::{check_url, host_of};

/// The greatest number of redirects of a download.
const MAX_REDIRECTS: usize = 5;

/// What sends the requests of an installation.
pub trait HttpClient: Send + Sync + fmt::Debug {
    /// Sends a request to one of these hosts, each with its port, and does not follow redirects.
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        hosts: &'a [String],
    ) -> BoxFuture<'a, Result<HttpResponse, String>>;
}

/// A backend that the host program grants.
impl HttpClient for Arc<dyn HttpBackend> {
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        hosts: &'a [String],
    ) -> BoxFuture<'a, Result<HttpResponse, String>> {
        Box::pin(async move {
            let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
            let scope = HttpScope {
                hosts: &hosts,
                ..HttpScope::default()
            };
            let sent = HttpBackend::send(&**self, request, scope).await;
            sent.map_err(|error| helve_core::tool::chain_text(&*error))
        })
    }
}

/// The network of a tool, whose rules decide which hosts it reaches.
impl HttpClient for Http {
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        _: &'a [String],
    ) -> BoxFuture<'a, Result<HttpResponse, String>> {
        Box::pin(async move {
            let sent = Self::send(self, request).await;
            sent.map_err(|error| helve_core::tool::chain_text(&error))
        })
    }
}

/// Downloads for one source.
#[derive(Debug)]
pub(crate) struct Downloader<'d> {
    pub(crate) client: &'d dyn HttpClient,
    /// The hosts that the source uses, each with its port.
    pub(crate) hosts: Vec<String>,
    /// The token for the first of the hosts.
    pub(crate) token: Option<&'d str>,
}

impl Downloader<'_> {
    /// Downloads a body; an answer other than success is an error.
    pub(crate) async fn get(
        &self,
        url: &Url,
        accept: &str,
        limit: usize,
    ) -> Result<Vec<u8>, InstallError> {
        let response = self.request(url, accept).await?;
        if !(200..300).contains(&response.status) {
            return Err(InstallError::fetch(url, describe_status(response.status)));
        }
        if response.body.len() > limit {
            let reason = format!("it has more than {limit} bytes");
            return Err(InstallError::fetch(url, reason));
        }
        Ok(response.body)
    }

    /// Sends a request, and follows redirects to the hosts of the source.
    pub(crate) async fn request(
        &self,
        url: &Url,
        accept: &str,
    ) -> Result<HttpResponse, InstallError> {
        let mut target = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let host = host_of(&target);
            check_url(&target).map_err(|reason| InstallError::fetch(&target, reason))?;
            if !self.hosts.contains(&host) {
                let reason =
                    format!("it leads to another host, `{host}`, which the source does not name");
                return Err(InstallError::fetch(url, reason));
            }
            let mut request = HttpRequest::new("GET", target.as_str());
            request.follow_redirects = false;
            request
                .headers
                .push(("accept".to_owned(), accept.to_owned()));
            if let Some(token) = self.token
                && self.hosts.first() == Some(&host)
            {
                request
                    .headers
                    .push(("authorization".to_owned(), format!("Bearer {token}")));
            }
            let sent = self.client.send(request, &self.hosts).await;
            let response = sent.map_err(|reason| InstallError::fetch(&target, reason))?;
            if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
                return Ok(response);
            }
            let mut headers = response.headers.iter();
            let location = headers.find(|(name, _)| name.eq_ignore_ascii_case("location"));
            let next = location.and_then(|(_, location)| target.join(location).ok());
            target =
                next.ok_or_else(|| InstallError::fetch(&target, "a redirect has no target"))?;
        }
        let reason = format!("it was redirected more than {MAX_REDIRECTS} times");
        Err(InstallError::fetch(url, reason))
    }
}

pub(crate) fn describe_status(status: u16) -> String {
    match status {
        401 => {
            "it needs a login (401); set `GITHUB_TOKEN` if it is a private repository".to_owned()
        }
        403 | 429 => format!(
            "it was refused ({status}), or there were too many requests; set `GITHUB_TOKEN` for GitHub, or wait"
        ),
        404 => "it does not exist (404)".to_owned(),
        status => format!("the server answered {status}"),
    }
}
