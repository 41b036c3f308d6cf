//! The server that a login is for.

use std::error::Error;

use rmcp::transport::auth::AuthError;
use url::{Host, Url};

use super::OAuthError;
use super::error::{Cause, one_line};
use crate::{ServerAuth, ServerConfig, Transport};

/// The greatest length of an authorization server's URL.
const LONGEST_ENDPOINT: usize = 2_048;

/// The parts of a server's configuration that its tokens depend on.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) url: Url,
    pub(super) auth: ServerAuth,
}

impl Target {
    /// Creates the target of a server's configuration.
    ///
    /// # Errors
    /// Fails if the server is not reached over HTTP.
    pub(super) fn new(config: &ServerConfig) -> Result<Self, OAuthError> {
        let name = config.name().as_str().to_owned();
        let (Transport::Http { url, .. } | Transport::Sse { url, .. }) = config.transport() else {
            return Err(OAuthError::NotHttp { server: name });
        };
        let Some(mut url) = Url::parse(url).ok().filter(is_http) else {
            return Err(OAuthError::NotHttp { server: name });
        };
        url.set_fragment(None);
        Ok(Self {
            name,
            url,
            auth: config.auth().clone(),
        })
    }

    pub(super) fn discovery_error(&self, error: &AuthError) -> OAuthError {
        let (server, source) = (self.name.clone(), Cause::from_source(error));
        OAuthError::Discovery { server, source }
    }

    pub(super) fn exchange_error(&self, error: &(dyn Error + 'static)) -> OAuthError {
        let (server, source) = (self.name.clone(), Cause::from_source(error));
        OAuthError::Exchange { server, source }
    }

    /// Returns whether the program requests its tokens without the user.
    pub(super) fn is_by_itself(&self) -> bool {
        !self.auth.login && self.auth.client_id.is_some() && self.auth.client_secret.is_some()
    }

    /// Checks that the connection to the server is encrypted, or stays on this machine or in a private network.
    pub(super) fn check_protected(&self) -> Result<(), OAuthError> {
        if self.url.scheme() == "https" || is_loopback(&self.url) || self.auth.private_network {
            return Ok(());
        }
        Err(OAuthError::Unprotected {
            server: self.name.clone(),
        })
    }

    /// Checks an endpoint in the metadata of the authorization server.
    pub(super) fn check_endpoint(&self, endpoint: &str) -> Result<(), OAuthError> {
        let fits = |url: &Url| {
            // A server that is itself reached over plain HTTP may use such an authorization server, too.
            let protected = url.scheme() == "https"
                || self.url.scheme() == "http"
                    && (is_loopback(url) == is_loopback(&self.url) || self.auth.private_network);
            is_http(url) && protected && url.username().is_empty() && url.password().is_none()
        };
        let parsed = Url::parse(endpoint).ok();
        if endpoint.len() <= LONGEST_ENDPOINT && parsed.as_ref().is_some_and(fits) {
            return Ok(());
        }
        Err(OAuthError::Endpoint {
            server: self.name.clone(),
            endpoint: one_line(endpoint, 120),
        })
    }
}

fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

/// Reports whether a URL has a loopback address.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
