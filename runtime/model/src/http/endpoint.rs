//! The endpoint of a provider: its base URL, its headers and its timeouts.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};

use super::network_error;
use crate::ModelError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// The least length of a secret that is redacted: redacting shorter texts would garble messages.
const MIN_SECRET_LEN: usize = 6;

/// The default idle timeout. Models on the user's machine may process a long prompt for minutes before the first
/// token.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);

/// The endpoint of a provider: its base URL, the headers of every request, and the timeouts.
///
/// Clones share a connection pool. Proxies are configured by the environment, and are not used for this machine.
/// Debug output and errors do not contain the values of secret headers.
///
/// ```
/// use helve::model::Endpoint;
///
/// let endpoint = Endpoint::new("anthropic", "https://api.anthropic.com")?
///     .secret_header("x-api-key", "sk-ant-1234")?
///     .header("x-team", "tools")?;
/// assert!(!format!("{endpoint:?}").contains("1234"));
/// let error = Endpoint::new("local", "localhost:8080").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "invalid base URL `localhost:8080` for the provider `local`: expected an absolute URL such as `https://example.com/v1`"
/// );
/// # Ok::<(), helve::model::ModelError>(())
/// ```
#[derive(Clone)]
pub struct Endpoint {
    provider: Arc<str>,
    base_url: Url,
    pub(super) headers: HeaderMap,
    secrets: Vec<Arc<str>>,
    pub(super) key_source: Option<Arc<str>>,
    connect_timeout: Duration,
    pub(crate) idle_timeout: Duration,
    client: Arc<OnceLock<Client>>,
}

impl Endpoint {
    /// Creates an endpoint without headers.
    ///
    /// # Errors
    /// [`ModelError::NotConfigured`] if the base URL is not an absolute HTTP URL.
    pub fn new(provider: impl Into<Arc<str>>, base_url: &str) -> Result<Self, ModelError> {
        let provider = provider.into();
        let base_url = parse_base_url(&provider, base_url)?;
        Ok(Self {
            provider,
            // A password in the URL is a secret, too.
            secrets: Vec::from_iter(base_url.password().map(Arc::from)),
            base_url,
            headers: HeaderMap::new(),
            key_source: None,
            connect_timeout: CONNECT_TIMEOUT,
            idle_timeout: IDLE_TIMEOUT,
            client: Arc::default(),
        })
    }

    /// Adds a header to every request, and replaces a header with the same name.
    ///
    /// # Errors
    /// [`ModelError::NotConfigured`] if the name or the value is not valid in a header.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, ModelError> {
        let (name, value) = self.make_header(name, value)?;
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Adds a header with a secret value, such as a key, and replaces a header with the same name.
    ///
    /// # Errors
    /// [`ModelError::NotConfigured`] if the name or the value is not valid in a header.
    pub fn secret_header(mut self, name: &str, value: &str) -> Result<Self, ModelError> {
        let (name, mut header) = self.make_header(name, value)?;
        header.set_sensitive(true);
        self.headers.insert(name, header);
        let value = value.trim();
        // An error may repeat the key without its prefix.
        let secret = value.strip_prefix("Bearer ").unwrap_or(value).trim();
        if !secret.is_empty() {
            self.secrets.push(secret.into());
        }
        Ok(self)
    }

    /// Sets the origin of the key, such as the name of an environment variable, for the advice in errors.
    #[must_use]
    pub fn key_source(mut self, source: impl Into<Arc<str>>) -> Self {
        self.key_source = Some(source.into());
        self
    }

    /// Sets the timeout for establishing a connection. The default is 20 seconds.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self.client = Arc::default();
        self
    }

    /// Sets how long the provider may be silent, before and during its response. The default is five minutes.
    #[must_use]
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// Returns the provider's name.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Returns the host, with the port if it is not the default port.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.base_url.host_str().unwrap_or_default();
        match self.base_url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// Reports whether a header with this name is set.
    #[must_use]
    pub fn has_header(&self, name: &str) -> bool {
        self.headers.contains_key(name)
    }

    /// Sets a header, unless the user has set it.
    pub(crate) fn default_header(mut self, name: &'static str, value: &'static str) -> Self {
        let value = HeaderValue::from_static(value);
        self.headers.entry(name).or_insert(value);
        self
    }

    /// Returns the path of the base URL, without a trailing slash.
    pub(crate) fn base_path(&self) -> &str {
        self.base_url.path().trim_end_matches('/')
    }

    /// Returns the URL of a path below the base URL, with the query of the base URL.
    pub(super) fn url(&self, path: &str) -> Url {
        let (base, path) = (self.base_path(), path.trim_start_matches('/'));
        let mut url = self.base_url.clone();
        url.set_path(&format!("{base}/{path}"));
        url
    }

    /// Returns the base URL, with a trailing slash.
    #[cfg(feature = "genai")]
    pub(crate) fn base_url(&self) -> String {
        self.url("").into()
    }

    /// Returns the headers whose values are text.
    #[cfg(feature = "genai")]
    pub(crate) fn header_values(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.headers.iter();
        texts.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }

    pub(crate) fn redact(&self, text: &mut String) {
        for secret in &self.secrets {
            if secret.len() < MIN_SECRET_LEN {
                continue;
            }
            if text.contains(&**secret) {
                *text = text.replace(&**secret, "…");
            }
            trim_partial_secret(text, secret);
        }
    }

    /// Returns the HTTP client, which is created on first use, because loading the system's certificates takes a
    /// while.
    fn client(&self) -> Result<&Client, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        helve_core::network::install_tls_provider();
        let mut builder = Client::builder()
            .user_agent(concat!("helve/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.connect_timeout)
            // A redirect would send the conversation and the key to a server that is not configured.
            .redirect(Policy::none())
            // Compression delays events. It is disabled explicitly, because other crates may enable the feature of
            // reqwest.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate();
        if self.is_loopback() {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|error| network_error::client_error(&self.provider, &error))?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Returns the HTTP client, and creates it on a thread for blocking work.
    pub(crate) async fn prepared_client(&self) -> Result<&Client, ModelError> {
        if self.client.get().is_none() {
            let endpoint = self.clone();
            let made = tokio::task::spawn_blocking(move || endpoint.client().map(drop));
            made.await.map_err(ModelError::provider)??;
        }
        self.client()
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.base_url.scheme() == "https"
    }

    pub(super) fn is_loopback(&self) -> bool {
        let host = self.base_url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        let address = address.parse::<IpAddr>();
        host == "localhost"
            || host.ends_with(".localhost")
            || address.is_ok_and(|address| address.is_loopback())
    }

    fn make_header(
        &self,
        name: &str,
        value: &str,
    ) -> Result<(HeaderName, HeaderValue), ModelError> {
        let provider = &self.provider;
        let header = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| {
            ModelError::not_configured(format!(
                "`{name}` is not a valid header name (provider `{provider}`)"
            ))
        })?;
        // A key that was read from a file may end with a newline.
        let value = HeaderValue::from_str(value.trim()).map_err(|_| {
            let source = self.key_source.as_deref();
            let source = source.map_or(String::new(), |source| format!(" (from {source})"));
            ModelError::not_configured(format!(
                "the header `{header}` of the provider `{provider}`{source} holds a line break or another character that \
                 no header can carry: set it anew"
            ))
        })?;
        Ok((header, value))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base_url = without_secrets(self.base_url.clone());
        f.debug_struct("Endpoint")
            .field("provider", &self.provider)
            .field("base_url", &base_url.as_str())
            .field("headers", &self.headers)
            .field("connect_timeout", &self.connect_timeout)
            .field("idle_timeout", &self.idle_timeout)
            .finish_non_exhaustive()
    }
}

/// Removes the parts of a URL that may be a password or a key.
pub(crate) fn without_secrets(mut url: Url) -> Url {
    // These calls cannot fail for a URL with a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url
}

/// Removes a prefix of a secret from the end of a text that was truncated within the secret.
fn trim_partial_secret(text: &mut String, secret: &str) {
    let Some(kept) = text.strip_suffix('…') else {
        return;
    };
    let begun = (MIN_SECRET_LEN..secret.len())
        .rev()
        .filter_map(|length| secret.get(..length))
        .find_map(|begun| kept.strip_suffix(begun));
    if let Some(length) = begun.map(str::len) {
        text.truncate(length);
        text.push('…');
    }
}

fn parse_base_url(provider: &str, text: &str) -> Result<Url, ModelError> {
    let url = Url::parse(text.trim()).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| {
        // The part before an `@` may be a password.
        let shown = text.trim().rsplit('@').next().unwrap_or_default();
        ModelError::not_configured(format!(
            "invalid base URL `{shown}` for the provider `{provider}`: expected an absolute URL such as \
             `https://example.com/v1`"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_in_no_text() {
        let endpoint = Endpoint::new("a", "https://me:password1@example.com/v1?key=hidden")
            .and_then(|endpoint| endpoint.secret_header("authorization", "Bearer sk-12345678\n"))
            .and_then(|endpoint| endpoint.header("x-team", "tools"))
            .unwrap();
        let debug = format!("{endpoint:?}");
        for secret in ["password1", "hidden", "12345678"] {
            assert!(!debug.contains(secret), "{debug}");
        }
        assert!(
            debug.contains("tools") && debug.contains("example.com/v1"),
            "{debug}"
        );
        let mut text = "the key sk-12345678 is wrong, password1".to_owned();
        endpoint.redact(&mut text);
        assert_eq!(text, "the key … is wrong, …");
        let error = endpoint.secret_header("x-api-key", "sk-1\nsk-2");
        let error = error.unwrap_err().to_string();
        assert!(
            !error.contains("sk-1") && error.contains("line break"),
            "{error}"
        );
    }

    #[test]
    fn paths_go_below_the_base_and_before_its_query() {
        for (base, url) in [
            ("http://h/v1", "http://h/v1/chat/completions"),
            ("http://h/v1/", "http://h/v1/chat/completions"),
            ("http://h", "http://h/chat/completions"),
            ("http://h/v1?a=2", "http://h/v1/chat/completions?a=2"),
        ] {
            let endpoint = Endpoint::new("a", base).unwrap();
            assert_eq!(endpoint.url("chat/completions").as_str(), url);
        }
        for nonsense in ["", "h", "ftp://h", "http://", "/v1"] {
            assert!(Endpoint::new("a", nonsense).is_err(), "{nonsense}");
        }
    }

    #[test]
    fn this_machine_is_known() {
        let on = |base: &str| Endpoint::new("a", base).unwrap().is_loopback();
        assert!(on("http://localhost:1") && on("http://127.0.0.1:1/v1") && on("http://[::1]:1"));
        assert!(!on("http://example.com") && !on("http://10.0.0.1"));
    }
}
