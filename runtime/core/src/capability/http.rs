//! The capability to send HTTP requests.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::handle::CapabilityHandle;
#[cfg(feature = "network")]
use super::net::{NetAddress, OpeningStream};
use super::secrets::covers;
use super::{BackendError, Capability, CapabilityError, Credential, Requires, SecretsBackend};

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
    /// The secrets that the client adds, which no other part of the request contains.
    pub credentials: Vec<Credential>,
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
            credentials: Vec::new(),
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

/// What the tool that sends a request declared, and where its secrets are.
#[derive(Debug, Clone, Copy, Default)]
pub struct HttpScope<'a> {
    /// The hosts, in the syntax of [`HostRules`](crate::network::HostRules). If there are any, no other host is reached,
    /// not even by a redirect.
    pub hosts: &'a [&'a str],
    /// The names of the secrets. A backend may grant the tool further ones.
    pub secrets: &'a [&'a str],
    /// The secrets of the app.
    pub store: Option<&'a dyn SecretsBackend>,
}

impl HttpScope<'_> {
    /// Reports whether the tool declared a secret.
    #[must_use]
    pub fn declares_secret(&self, name: &str) -> bool {
        self.secrets.iter().any(|declared| covers(declared, name))
    }
}

/// Sends HTTP requests for tools to the hosts that the host program allows.
pub trait HttpBackend: Send + Sync + std::fmt::Debug {
    /// Sends a request and returns the complete response. A [`Refusal`](super::Refusal) in the boxed error
    /// remains a refusal. A backend that sends credentials masks them in the response.
    ///
    /// # Errors
    /// When the host is not allowed, or there is no response.
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        scope: HttpScope<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, BackendError>>;

    /// Opens a connection for [`Net`](super::Net). A backend that does not implement this opens none.
    #[cfg(feature = "network")]
    fn connect<'a>(&'a self, _: NetAddress<'a>, _: HttpScope<'a>) -> OpeningStream<'a> {
        super::net::refuse()
    }
}

/// The network, as far as a tool may use it.
#[derive(Debug, Clone)]
pub struct Http {
    handle: CapabilityHandle<dyn HttpBackend>,
    requires: Requires,
    secrets: Option<Arc<dyn SecretsBackend>>,
}

impl Http {
    /// Combines the declaration of a tool with the grant of the host.
    pub fn new(requires: &Requires, backend: Option<Arc<dyn HttpBackend>>) -> Self {
        Self {
            handle: CapabilityHandle::new(Capability::Net, requires.net, backend),
            requires: *requires,
            secrets: None,
        }
    }

    /// Adds the secrets that requests may refer to.
    #[must_use]
    pub fn with_secrets(mut self, backend: Option<Arc<dyn SecretsBackend>>) -> Self {
        self.secrets = backend;
        self
    }

    /// Sends a request and returns the complete response, whatever its status.
    ///
    /// # Errors
    /// When the tool did not declare `requires(net)` or declared other hosts, the host granted no network or not this host,
    /// or there is no response.
    pub async fn send(&self, request: HttpRequest) -> Result<HttpResponse, CapabilityError> {
        let scope = HttpScope {
            hosts: self.requires.hosts,
            secrets: self.requires.secrets,
            store: self.secrets.as_deref(),
        };
        let sent = self.handle.backend()?.send(request, scope).await;
        sent.map_err(CapabilityError::failed(Capability::Net))
    }
}
