//! HTTP for tools, guarded: no request reaches what the host did not allow, whatever a URL, a name or a redirect says.

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

use helve_core::capability::{BackendError, HttpBackend, HttpRequest, HttpResponse, Refusal};
use helve_core::network::{
    Destination, HostPatternError, HostPolicy, HostRules, Resolve, SystemResolver,
};
use hop::Hop;
use pins::AddressPins;

/// The network for tools, as far as rules allow it.
///
/// A host is judged by name, looked up once, judged by every address, and dialled at those very addresses. Redirects are
/// judged like requests; what identifies the caller does not cross from one origin to another. Proxies of the environment are
/// not used, because they would look the names up themselves.
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
    max_response_bytes: usize,
    timeout: Duration,
}

impl GuardedHttp {
    /// How many requests one may become by redirects.
    pub const MAX_HOPS: usize = 5;

    /// The default limit of the bytes of a response: 10 MiB.
    pub const DEFAULT_RESPONSE_LIMIT: usize = 10 << 20;

    /// The default limit of the time of a request with all its redirects.
    pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(60);

    /// Opens the network as far as rules allow it.
    ///
    /// # Errors
    /// When a rule cannot be read.
    pub fn new(rules: &HostRules) -> Result<Self, HostPatternError> {
        Ok(Self {
            policy: HostPolicy::new(rules)?,
            resolver: Arc::new(SystemResolver),
            pins: Arc::default(),
            client: OnceCell::new(),
            max_response_bytes: Self::DEFAULT_RESPONSE_LIMIT,
            timeout: Self::DEFAULT_TIME_LIMIT,
        })
    }

    /// Sets who looks up names.
    #[must_use]
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Sets how many bytes a response has at most.
    #[must_use]
    pub fn response_limit(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// Sets how long a request may take with all its redirects.
    #[must_use]
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.timeout = time;
        self
    }

    /// Returns where a request to a URL would go, without sending it: for a check before it is sent.
    ///
    /// # Errors
    /// When it would be refused.
    pub async fn judge(&self, url: &str) -> Result<Destination, Refusal> {
        let mut hop = Hop::from_url(url)?;
        hop.judge(&self.policy, &*self.resolver).await
    }

    /// Returns the client, which reads the system's certificates when it is made.
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
        request: HttpRequest,
        declared: &[&str],
    ) -> Result<HttpResponse, BackendError> {
        let policy = self.policy.with_declared(declared)?;
        let mut hop = Hop::from_request(request)?;
        for _ in 0..Self::MAX_HOPS {
            let destination = hop.judge(&policy, &*self.resolver).await?;
            // For as long as the guard lives, the client finds these addresses under the name, and nothing else.
            let _pinned = self.pins.pin(&destination);
            let response = hop.send(self.client().await?).await?;
            match redirect::target(&response, &hop)? {
                Some(target) => hop = hop.into_redirect(response.status(), target),
                None => return Ok(self.read_response(response).await?),
            }
        }
        let (limit, url) = (Self::MAX_HOPS, hop.redacted_url());
        Err(HttpError::Redirects { limit, url }.into())
    }

    /// Reads the whole response; one that is too long is an error.
    async fn read_response(
        &self,
        mut response: reqwest::Response,
    ) -> Result<HttpResponse, HttpError> {
        let too_large = HttpError::TooLarge {
            limit: self.max_response_bytes,
        };
        let announced = response.content_length().unwrap_or_default();
        if usize::try_from(announced).map_or(true, |length| length > self.max_response_bytes) {
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
        Ok(taken)
    }
}

impl HttpBackend for GuardedHttp {
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        declared: &'a [&'a str],
    ) -> BoxFuture<'a, Result<HttpResponse, BackendError>> {
        Box::pin(async move {
            let limit = self.timeout;
            let sent = tokio::time::timeout(limit, self.exchange(request, declared)).await;
            sent.unwrap_or_else(|_| Err(HttpError::TimedOut { limit }.into()))
        })
    }
}

fn client(pins: Arc<AddressPins>) -> Result<Client, reqwest::Error> {
    Client::builder()
        .dns_resolver(pins)
        .redirect(Policy::none())
        .referer(false)
        .no_proxy()
        .connect_timeout(Duration::from_secs(10))
        .http2_max_header_list_size(64 << 10)
        // A small response could unpack to a huge one. Features that other crates enable must not turn this on.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .user_agent(concat!("helve/", env!("CARGO_PKG_VERSION")))
        .build()
}
