//! The configuration of a provider.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::{Api, status::redact_url};
use helve_core::capability::Secret;

/// The configuration of a provider, as in `[providers.NAME]`. Settings that are not set have the values of the
/// built-in provider with that name. An unknown provider uses OpenAI Chat Completions and needs no key.
///
/// The debug output does not contain keys, headers and passwords in URLs.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Provider {
    /// The protocol.
    pub api: Option<Api>,
    /// The base URL.
    pub base_url: Option<String>,
    /// The key, which takes precedence over the environment.
    #[serde(default, deserialize_with = "secret")]
    pub key: Option<Secret>,
    /// The key that is used if neither this configuration nor the environment has one.
    #[serde(skip)]
    pub stored_key: Option<Secret>,
    /// The headers of every request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

impl Provider {
    /// Creates a configuration of which nothing is set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the protocol.
    #[must_use]
    pub fn api(mut self, api: Api) -> Self {
        self.api = Some(api);
        self
    }

    /// Sets the base URL.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Sets the key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(Secret::new(key.into()));
        self
    }

    /// Sets the key that is used if neither this configuration nor the environment has one.
    #[must_use]
    pub fn stored_key(mut self, key: impl Into<String>) -> Self {
        self.stored_key = Some(Secret::new(key.into()));
        self
    }

    /// Adds a header to every request.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("api", &self.api)
            .field("base_url", &self.base_url.as_deref().map(redact_url))
            .field("key", &self.key)
            .field("headers", &self.headers.keys())
            .finish()
    }
}

fn secret<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Secret>, D::Error> {
    Option::<String>::deserialize(from).map(|key| key.map(Secret::new))
}
