//! The capability to send HTTP requests.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::handle::CapabilityHandle;
use super::{BackendError, Capability, CapabilityError, Requires};

/// An HTTP request.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::capability::HttpRequest;
/// use helve::prelude::*;
///
/// /// Fetches the list of stations.
/// #[tool(read_only, requires(net("api.example.org")))]
/// async fn list_stations(context: &ToolContext) -> Result<String, ToolError> {
///     let mut request = HttpRequest::new("GET", "https://api.example.org/stations");
///     request.headers.push(("accept".into(), "application/json".into()));
///     let response = context.http().send(request).await?;
///     Ok(String::from_utf8_lossy(&response.body).into_owned())
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpRequest {
    /// The method, such as `GET`.
    pub method: String,
    /// The absolute URL.
    pub url: String,
    /// The names and values of the headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body; empty if there is none.
    pub body: Vec<u8>,
    /// Whether redirects are followed; otherwise the response is the redirect.
    pub follow_redirects: bool,
}

impl HttpRequest {
    /// Creates a request without headers and body, which follows redirects; its fields are public.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
            follow_redirects: true,
        }
    }
}

/// A complete HTTP response; the backend limits its size.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::capability::HttpResponse;
///
/// let response = HttpResponse::new(200, "ok");
/// assert_eq!(response.body, b"ok");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpResponse {
    /// The status code, such as 200.
    pub status: u16,
    /// The names and values of the headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// Creates a response without headers; its fields are public.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }
}

/// Sends HTTP requests for tools to the hosts that the host program allows.
pub trait HttpBackend: Send + Sync + std::fmt::Debug {
    /// Sends a request and returns the complete response. A [`Refusal`](super::Refusal) in the boxed error
    /// remains a refusal.
    ///
    /// `declared` are the hosts that the tool declared, in the syntax of
    /// [`HostRules`](crate::network::HostRules). If it is not empty, no other host is reached, not even by a
    /// redirect.
    ///
    /// # Errors
    /// When the host is not allowed, or there is no response.
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        declared: &'a [&'a str],
    ) -> BoxFuture<'a, Result<HttpResponse, BackendError>>;
}

/// The network, as far as a tool may use it.
#[derive(Debug, Clone)]
pub struct Http {
    handle: CapabilityHandle<dyn HttpBackend>,
    hosts: &'static [&'static str],
}

impl Http {
    /// Combines the declaration of a tool with the grant of the host.
    pub fn new(requires: &Requires, backend: Option<Arc<dyn HttpBackend>>) -> Self {
        Self {
            handle: CapabilityHandle::new(Capability::Net, requires.net, backend),
            hosts: requires.hosts,
        }
    }

    /// Sends a request and returns the complete response, whatever its status.
    ///
    /// # Errors
    /// When the tool did not declare `requires(net)` or declared other hosts, the host granted no network or not this host,
    /// or there is no response.
    pub async fn send(&self, request: HttpRequest) -> Result<HttpResponse, CapabilityError> {
        let sent = self.handle.backend()?.send(request, self.hosts).await;
        sent.map_err(CapabilityError::failed(Capability::Net))
    }
}
