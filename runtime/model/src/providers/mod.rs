//! Selects a model: its provider, the provider's base URL, and the key.

mod api;
mod builtin;
mod connection;
mod embeddings;
mod error;
mod model_list;
mod provider;
mod status;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

pub use api::Api;
pub use model_list::OfferedModel;
pub use provider::Provider;
pub use status::{KeyOrigin, ProviderStatus};

use super::{FallbackModel, Model, ModelError, ModelName, RetryingModel, http};

/// The built-in providers, and those that a user has configured.
///
/// ```
/// use helve::model::{Provider, Providers};
///
/// let home = Provider::new().base_url("http://localhost:8000/v1");
/// let providers = Providers::new()
///     .environment(|name| (name == "OPENAI_API_KEY").then(|| "sk-…".to_owned()))
///     .configure("home", home);
/// let model = providers.model(&"openai/gpt-5".parse()?)?;
/// assert_eq!(model.name().map(ToString::to_string).as_deref(), Some("openai/gpt-5"));
/// providers.model(&"home/qwen3".parse()?)?;
///
/// let error = providers.model(&"antropic/claude".parse()?).err().expect("an error").to_string();
/// assert!(error.starts_with("unknown provider `antropic`; did you mean `anthropic`?"), "{error}");
/// let error = providers.model(&"anthropic/claude".parse()?).err().expect("an error").to_string();
/// assert!(error.contains("ANTHROPIC_API_KEY"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Providers {
    environment: VariableLookup,
    configured: BTreeMap<String, Provider>,
}

type VariableLookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl Default for Providers {
    fn default() -> Self {
        Self::new()
    }
}

impl Providers {
    /// Creates the built-in providers, with keys from the environment of the process.
    #[must_use]
    pub fn new() -> Self {
        Self {
            environment: Arc::new(|name| std::env::var(name).ok()),
            configured: BTreeMap::new(),
        }
    }

    /// Sets the function that reads variables, instead of the environment of the process.
    #[must_use]
    pub fn environment(
        mut self,
        lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.environment = Arc::new(lookup);
        self
    }

    /// Adds a provider, or overrides settings of a built-in one. An earlier configuration of the same name is
    /// replaced.
    #[must_use]
    pub fn configure(mut self, name: impl Into<String>, provider: Provider) -> Self {
        self.configured.insert(name.into(), provider);
        self
    }

    /// Overrides the base URL of a provider; takes precedence over an earlier configuration and
    /// over the environment.
    #[must_use]
    pub fn base_url(mut self, provider: &str, url: impl Into<String>) -> Self {
        let configured = self.configured.entry(provider.to_owned()).or_default();
        configured.base_url = Some(url.into());
        self
    }

    /// Creates the client of a model. The client does not retry; [`RetryingModel`] does.
    ///
    /// # Errors
    /// [`ModelError::NotConfigured`] if the provider does not exist, its key is missing, or its client is not
    /// compiled into this binary; the message names the remedy.
    pub fn model(&self, name: &ModelName) -> Result<Arc<dyn Model>, ModelError> {
        self.connection(name.provider())?.model(name)
    }

    /// Creates a model with retries, and with fallbacks in their order.
    ///
    /// # Errors
    /// Fails like [`model`](Self::model), for any of the models.
    pub fn model_with_fallbacks(
        &self,
        first: &ModelName,
        fallbacks: &[ModelName],
    ) -> Result<Arc<dyn Model>, ModelError> {
        let retrying = |name: &ModelName| -> Result<Arc<dyn Model>, ModelError> {
            Ok(Arc::new(RetryingModel::new(self.model(name)?)))
        };
        if fallbacks.is_empty() {
            return retrying(first);
        }
        let models = std::iter::once(first).chain(fallbacks).map(retrying);
        let models: Vec<_> = models.collect::<Result<_, _>>()?;
        Ok(Arc::new(FallbackModel::new(models)))
    }

    /// Checks whether a server responds at the base URL of a provider, with any response, and returns how long that
    /// takes. No key is sent.
    ///
    /// # Errors
    /// If the provider does not exist, or if no server responds before the deadline.
    pub async fn probe(&self, name: &str, deadline: Duration) -> Result<Duration, ModelError> {
        let connection = self.connection(name)?;
        let began = Instant::now();
        http::probe(&connection.endpoint, deadline).await?;
        Ok(began.elapsed())
    }

    fn variable(&self, name: &str) -> Option<String> {
        (self.environment)(name).filter(|value| !value.trim().is_empty())
    }
}

impl fmt::Debug for Providers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Providers")
            .field("configured", &self.configured)
            .finish_non_exhaustive()
    }
}
