//! The embedding model of the settings, for what is found by its meaning.

use super::config::Config;
use super::providers::providers_with;
#[cfg(feature = "text-index")]
use helve_core::tool::State;
use helve_model::{ModelName, Providers};
#[cfg(feature = "text-index")]
use helve_text_index::Embeddings;
use helve_text_index::{EmbedFuture, TextEmbedder};

/// How long a request waits for the vectors, after which texts are searched by words alone.
const EMBEDDING_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);

/// The embedding model of the settings.
#[derive(Debug)]
pub(super) struct ProviderEmbedder {
    providers: Providers,
    model: ModelName,
    name: String,
}

impl TextEmbedder for ProviderEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a> {
        let vectors = self.providers.embed(&self.model, texts, EMBEDDING_TIMEOUT);
        Box::pin(async { Ok(vectors.await?) })
    }
}

/// Returns the embedding model that the settings name.
pub(super) fn from_settings(config: &Config) -> Option<ProviderEmbedder> {
    let name = config.text(&["models", "embed"]).ok()??.value;
    let model: ModelName = name.parse().ok()?;
    let providers = providers_with(config, std::slice::from_ref(&model)).ok()?;
    Some(ProviderEmbedder {
        providers,
        model,
        name,
    })
}

/// Adds the embedding model to the state of an app, for the tools that take it, unless the app has one.
#[cfg(feature = "text-index")]
pub(super) fn add_embeddings(config: &Config, state: &mut State) {
    if !state.contains(std::any::TypeId::of::<Embeddings>())
        && let Some(embedder) = from_settings(config)
    {
        state.insert(Embeddings::new(embedder));
    }
}
