//! An HTTP client for tools that connects only to hosts that the configured rules allow, after every redirect and for
//! every address of a name.

mod credentials;
mod error;
mod hop;
mod pins;
mod redirect;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::{Client, redirect::Policy};
use tokio::sync::OnceCell;

pub use error::HttpError;

pub use helve_core::capability::{Net, NetAddress, NetStream, OpeningStream, StreamBackend, Tls};

use credentials::Credentials;
use helve_core::capability::{
    BackendError, HttpBackend, HttpRequest, HttpResponse, HttpScope, Refusal, SecretRef,
};
use helve_core::network::{
    Destination, HostPatternError, HostPolicy, HostRules, Resolve, SystemResolver,
};
use helve_net::Encryption;
use hop::Hop;
use pins::AddressPins;

/// An HTTP client for tools that is limited by host rules.
///
/// The name of a host is checked and resolved once, each of its addresses is checked, and the connection is made to one
/// of these addresses. Redirects are checked like requests; headers that identify the caller are not sent to another
/// origin, and secrets are sent to the origin that they are bound to. Proxies from the environment are not used, because a
/// proxy would resolve the names itself. Responses in gzip and deflate are decoded, within the size limit of a response;
/// with the features of the tools for the web, HTTP/2 is spoken and brotli decoded, too.
///
/// ```
/// use helve::capability::GuardedHttp;
/// use helve::network::HostRules;
///
/// let http = GuardedHttp::new(&HostRules::from_allowed(["api.github.com", "*.crates.io"]))?;
/// # Ok::<(), helve::network::HostPatternError>(())
/// ```
#[derive(Debug)]
pub struct GuardedHttp {
    policy: HostPolicy,
    resolver: Arc<dyn Resolve>,
    pins: Arc<AddressPins>,
    client: OnceCell<Client>,
    encryption: Encryption,
    max_response_bytes: usize,
    timeout: Duration,
    granted: Vec<SecretRef>,
}

impl GuardedHttp {
    /// The greatest number of requests in a chain of redirects.
    pub const MAX_HOPS: usize = 5;

    /// The default size limit of a response: 10 MiB.
    pub const DEFAULT_RESPONSE_LIMIT: usize = 10 << 20;

    /// The default time limit of a request, including all of its redirects.
    pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(60);

    /// Creates a client that connects only to the hosts that `rules` allow.
    ///
    /// # Errors
    /// Fails if a rule cannot be parsed.
    pub fn new(rules: &HostRules) -> Result<Self, HostPatternError> {
        Ok(Self {
            policy: HostPolicy::new(rules)?,
            resolver: Arc::new(SystemResolver),
            pins: Arc::default(),
            client: OnceCell::new(),
            encryption: Encryption::default(),
            max_response_bytes: Self::DEFAULT_RESPONSE_LIMIT,
            timeout: Self::DEFAULT_TIME_LIMIT,
            granted: Vec::new(),
        })
    }

    /// Sets the resolver of host names.
    #[must_use]
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Sets the size limit of a response, in bytes.
    #[must_use]
    pub fn response_limit(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// Sets the time limit of a request, including all of its redirects.
    #[must_use]
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.timeout = time;
        self
    }

    /// Grants secrets to every tool that uses this client, beside those that a tool declares. A secret that is granted is
    /// sent to the origins of its grants alone, even where a tool declares it.
    #[must_use]
    pub fn granted_secrets(mut self, secrets: impl IntoIterator<Item = SecretRef>) -> Self {
        self.granted.extend(secrets);
        self
    }

    /// Returns the host rule that opens the origin of a URL, and nothing else; `None` if the URL is not one of HTTP.
    #[must_use]
    pub fn host_rule(url: &str) -> Option<String> {
        let url = url::Url::parse(url).ok()?;
        let is_http = matches!(url.scheme(), "http" | "https");
        let (host, port) = (url.host_str()?, url.port_or_known_default()?);
        is_http.then(|| format!("{host}:{port}"))
    }

    /// Returns the destination of a request to `url` without sending the request.
    ///
    /// # Errors
    /// Fails if the request would be refused.
    pub async fn judge(&self, url: &str) -> Result<Destination, Refusal> {
        let mut hop = Hop::from_url(url)?;
        hop.judge(&self.policy, &*self.resolver).await
    }

    /// Returns the HTTP client; the first call creates the client, which reads the certificates of the system.
    async fn client(&self) -> Result<&Client, HttpError> {
        let make = || async {
            let pins = Arc::clone(&self.pins);
            let made = tokio::task::spawn_blocking(move || client(pins)).await;
            made.map_err(|_| HttpError::Stopped)?
                .map_err(HttpError::Client)
        };
        self.client.get_or_try_init(make).await
    }

    async fn exchange(
        &self,
        mut request: HttpRequest,
        scope: HttpScope<'_>,
    ) -> Result<HttpResponse, BackendError> {
        let policy = self.policy.with_declared(scope.hosts)?;
        let follows = request.follow_redirects;
        let credentials = std::mem::take(&mut request.credentials);
        let secrets = Credentials::resolve(credentials, &scope, &self.granted).await?;
        let secrets = Arc::new(secrets);
        let mut hop = Hop::from_request(request)?.with_secrets(Arc::clone(&secrets))?;
        for _ in 0..Self::MAX_HOPS {
            let destination = hop.judge(&policy, &*self.resolver).await?;
            // While the guard lives, the client resolves the name to these addresses only.
            let _pinned = self.pins.pin(&destination);
            let response = hop.send(self.client().await?).await?;
            let target = match follows {
                true => redirect::target(&response, &hop)?,
                false => None,
            };
            let Some(target) = target else {
                let response = self.read_response(response, &hop).await?;
                // Megabytes of a server's choice: other work goes on, and the time limit holds.
                let masking = tokio::task::spawn_blocking(move || secrets.masked(response));
                return Ok(masking.await.map_err(|_| HttpError::Stopped)?);
            };
            hop = hop.into_redirect(response.status(), target)?;
        }
        let (limit, url) = (Self::MAX_HOPS, hop.redacted_url());
        Err(HttpError::Redirects { limit, url }.into())
    }

    /// Reads the whole response; a response that exceeds the size limit is an error.
    async fn read_response(
        &self,
        mut response: reqwest::Response,
        hop: &Hop,
    ) -> Result<HttpResponse, HttpError> {
        let too_large = HttpError::TooLarge {
            limit: self.max_response_bytes,
        };
        let announced = response.content_length().unwrap_or_default();
        let is_too_large =
            usize::try_from(announced).map_or(true, |length| length > self.max_response_bytes);
        if is_too_large && hop.has_body(response.status()) {
            return Err(too_large);
        }
        let mut taken = HttpResponse::new(response.status().as_u16(), Vec::new());
        for (name, value) in response.headers() {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            taken.headers.push((name.to_string(), value));
        }
        while let Some(chunk) = response.chunk().await.map_err(HttpError::transport)? {
            if taken.body.len() + chunk.len() > self.max_response_bytes {
                return Err(too_large);
            }
            taken.body.extend_from_slice(&chunk);
        }
        helve_net::decode(&mut taken, self.max_response_bytes).await?;
        Ok(taken)
    }
}

impl HttpBackend for GuardedHttp {
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        scope: HttpScope<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, BackendError>> {
        Box::pin(async move {
            let limit = self.timeout;
            let sent = tokio::time::timeout(limit, self.exchange(request, scope)).await;
            sent.unwrap_or_else(|_| Err(HttpError::TimedOut { limit }.into()))
        })
    }

    fn connect<'a>(&'a self, to: NetAddress<'a>, scope: HttpScope<'a>) -> OpeningStream<'a> {
        Box::pin(async move {
            let policy = self.policy.with_declared(scope.hosts)?;
            let (resolver, limit) = (&*self.resolver, self.timeout);
            self.encryption.open(to, &policy, resolver, limit).await
        })
    }
}

fn client(pins: Arc<AddressPins>) -> Result<Client, reqwest::Error> {
    helve_core::network::install_tls_provider();
    let client = Client::builder();
    #[cfg(feature = "http-full")]
    let client = client.http2_max_header_list_size(64 << 10);
    client
        .dns_resolver(pins)
        .redirect(Policy::none())
        .referer(false)
        .no_proxy()
        .connect_timeout(Duration::from_secs(10))
        // A small response could decompress to a huge one, so that responses are decoded here, within a limit. Features
        // that other crates enable must not turn decompression on.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .user_agent(concat!("helve/", env!("CARGO_PKG_VERSION")))
        .build()
}
