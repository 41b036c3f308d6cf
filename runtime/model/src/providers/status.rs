//! What there is of each provider, for `doctor`.

use super::{Api, Providers};
use crate::{ModelError, http};

/// Where the key of a provider comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyOrigin {
    /// From the configuration.
    Configured,
    /// From the environment.
    Environment {
        /// The variable.
        variable: String,
    },
    /// There is none, and it goes without.
    NotNeeded,
    /// There is none.
    Missing {
        /// The variables of which one would have to hold it.
        variables: Vec<String>,
    },
}

impl KeyOrigin {
    /// Returns what to look at when the key is not accepted.
    pub(super) fn source(&self, provider: &str) -> Option<String> {
        match self {
            Self::Configured => Some(format!("`key` under `[providers.{provider}]`")),
            Self::Environment { variable } => Some(variable.clone()),
            Self::NotNeeded | Self::Missing { .. } => None,
        }
    }
}

/// What there is of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderStatus {
    /// Its name.
    pub name: String,
    /// The protocol that it speaks.
    pub api: Api,
    /// Where it is, without a password.
    pub base_url: String,
    /// Where its key comes from.
    pub key: KeyOrigin,
    /// Whether a user configured it, or said more of it.
    pub is_configured: bool,
    /// Whether its client is in this binary.
    pub is_linked: bool,
}

impl ProviderStatus {
    /// Reports whether the configuration is complete. The connection is not tested.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_linked && !matches!(self.key, KeyOrigin::Missing { .. })
    }
}

impl Providers {
    /// Returns what there is of each provider, the known ones first. One whose configuration is wrong is an error.
    #[must_use]
    pub fn list(&self) -> Vec<(String, Result<ProviderStatus, ModelError>)> {
        let status = |name: &str| (name.to_owned(), self.status(name));
        self.names().into_iter().map(status).collect()
    }

    /// Returns what there is of a provider.
    ///
    /// # Errors
    /// If there is no such provider, or its configuration is wrong.
    pub fn status(&self, name: &str) -> Result<ProviderStatus, ModelError> {
        let connection = self.connection(name)?;
        Ok(ProviderStatus {
            name: name.to_owned(),
            api: connection.api,
            base_url: redact_url(&connection.base_url),
            key: connection.key_origin,
            is_configured: self.configured.contains_key(name),
            is_linked: !connection.api.needs_genai() || cfg!(feature = "genai"),
        })
    }
}

/// Leaves out what may be a password or a key.
pub(super) fn redact_url(url: &str) -> String {
    let url = reqwest::Url::parse(url).map(http::without_secrets);
    url.map_or_else(
        |_| String::new(),
        |url| url.as_str().trim_end_matches('/').to_owned(),
    )
}
