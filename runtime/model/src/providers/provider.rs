//! A provider as a user configures it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::{Api, status::redact_url};
use helve_core::capability::Secret;

/// What a user says of a provider, as in `[providers.NAME]` of a configuration. What is not set is what is known of a
/// provider of that name; of an unknown provider, that it speaks OpenAI Chat Completions and needs no key.
///
/// Keys, headers and passwords in addresses do not print.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Provider {
    /// The protocol that it speaks.
    pub api: Option<Api>,
    /// Where it is.
    pub base_url: Option<String>,
    /// Its key; in place of the one in the environment.
    #[serde(default, deserialize_with = "secret")]
    pub key: Option<Secret>,
    /// Headers that go with every request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

impl Provider {
    /// Creates one of which nothing is said.
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

    /// Sets where it is.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Sets its key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(Secret::new(key.into()));
        self
    }

    /// Adds a header that goes with every request.
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
