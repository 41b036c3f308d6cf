//! The status of providers, for `doctor`.

use super::builtin::{BuiltinProvider, ProviderLocation};
use super::{Api, Provider, Providers};
use crate::{KnownModel, ModelError, ModelName, http};

/// The origin of a provider's key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyOrigin {
    /// The configuration.
    Configured,
    /// The environment.
    Environment {
        /// The name of the variable.
        variable: String,
    },
    /// The key that the user stored.
    Stored,
    /// No key is set, and the provider needs none.
    NotNeeded,
    /// No key is set.
    Missing {
        /// The variables of which one must contain the key.
        variables: Vec<String>,
    },
}

impl KeyOrigin {
    /// Returns what to check if the key is rejected.
    pub(super) fn source(&self, provider: &str) -> Option<String> {
        match self {
            Self::Configured => Some(format!("`key` under `[providers.{provider}]`")),
            Self::Environment { variable } => Some(variable.clone()),
            Self::Stored => Some(format!("the stored key of {provider}")),
            Self::NotNeeded | Self::Missing { .. } => None,
        }
    }
}

/// The status of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderStatus {
    /// The name.
    pub name: String,
    /// The protocol.
    pub api: Api,
    /// The base URL, without a password.
    pub base_url: String,
    /// The origin of the key.
    pub key: KeyOrigin,
    /// How a user gets a key, for a built-in provider that needs one.
    pub key_help: Option<&'static str>,
    /// Whether a user has configured the provider.
    pub is_configured: bool,
    /// Whether its client is compiled into this binary.
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
    /// Returns the status of each provider, the built-in ones first. A provider with an invalid configuration is an
    /// error.
    #[must_use]
    pub fn list(&self) -> Vec<(String, Result<ProviderStatus, ModelError>)> {
        let status = |name: &str| (name.to_owned(), self.status(name));
        self.names().into_iter().map(status).collect()
    }

    /// Returns the status of a provider.
    ///
    /// # Errors
    /// If the provider does not exist, or its configuration is invalid.
    pub fn status(&self, name: &str) -> Result<ProviderStatus, ModelError> {
        let connection = self.connection(name)?;
        Ok(ProviderStatus {
            name: name.to_owned(),
            api: connection.api,
            base_url: redact_url(&connection.base_url),
            key: connection.key_origin,
            key_help: BuiltinProvider::find(name).and_then(|known| known.key_help),
            is_configured: self.configured.contains_key(name),
            is_linked: !connection.api.needs_genai() || cfg!(feature = "genai"),
        })
    }
}

impl Providers {
    /// Returns the table's entry of a model. The price is that of the provider itself: where its base URL is another one,
    /// such as that of a local server, there is no price.
    ///
    /// ```
    /// use helve::model::Providers;
    ///
    /// let name = "openai/gpt-5".parse()?;
    /// let local = Providers::new().base_url("openai", "http://localhost:8000/v1");
    /// assert!(local.known_model(&name).is_some_and(|model| model.price.is_none()));
    /// # Ok::<(), helve::model::InvalidModelName>(())
    /// ```
    #[must_use]
    pub fn known_model(&self, name: &ModelName) -> Option<KnownModel> {
        let mut known = KnownModel::find(name)?;
        if self.is_moved(name.provider()) {
            known.price = None;
        }
        Some(known)
    }

    /// Reports whether the base URL of a provider is not its own one.
    fn is_moved(&self, provider: &str) -> bool {
        let (known, none) = (BuiltinProvider::find(provider), Provider::default());
        let configured = self.configured.get(provider).unwrap_or(&none);
        let Ok((url, is_overridden)) = self.resolve_location(provider, known, configured) else {
            return false;
        };
        let own = known.map(|known| known.location);
        let is_same = matches!(own, Some(ProviderLocation::Fixed(own)) if own == url);
        is_overridden && !is_same
    }
}

/// Removes the parts of a URL that may be a password or a key.
pub(super) fn redact_url(url: &str) -> String {
    let url = reqwest::Url::parse(url).map(http::without_secrets);
    url.map_or_else(
        |_| String::new(),
        |url| url.as_str().trim_end_matches('/').to_owned(),
    )
}
