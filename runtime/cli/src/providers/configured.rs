//! The providers of models, as the settings have them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as NoWord, StrDeserializer};

use super::ModelChoiceError;
use super::silence::SilenceReporter;
use super::stored_keys::StoredKeys;
use crate::config::{Config, ConfigError, Setting};
use helve_model::ModelTier;
use helve_model::{
    Api, FallbackModel, KeyOrigin, KnownModel, Model, ModelError, ModelName, Provider,
    ProviderStatus, Providers, RetryPolicy, RetryingModel,
};
use helve_terminal::output;

/// Creates the known providers with their settings. The settings of a provider are ignored if they use a variable that
/// is not set.
pub(crate) fn all_providers(config: &Config) -> Providers {
    let stored = stored_keys();
    let mut names = config.table_keys(&["providers"]);
    names.extend(stored.keys().map(String::as_str));
    names.sort_unstable();
    names.dedup();
    let configured = names.into_iter();
    let configured =
        configured.filter_map(|name| Some((name, provider(config, &stored, name).ok()?)));
    configured.fold(Providers::new(), |all, (name, provider)| {
        all.configure(name, provider)
    })
}

/// Reads the stored keys. A file that cannot be read is reported, and has no keys.
fn stored_keys() -> BTreeMap<String, String> {
    let Some(keys) = StoredKeys::for_user() else {
        return BTreeMap::new();
    };
    keys.read().unwrap_or_else(|error| {
        let path = keys.path().display();
        output::remark(&format!(
            "failed to read the stored keys in `{path}`: {error}"
        ));
        BTreeMap::new()
    })
}

/// Creates the known providers with the settings of the providers that the models need. The variables of the other
/// providers may be unset.
fn providers_for(config: &Config, models: &[ModelName]) -> Result<Providers, ConfigError> {
    let stored = stored_keys();
    let configured = config.table_keys(&["providers"]);
    let mut providers = Providers::new();
    for name in models.iter().map(ModelName::provider) {
        if configured.contains(&name) || stored.contains_key(name) {
            providers = providers.configure(name, provider(config, &stored, name)?);
        }
    }
    Ok(providers)
}

fn provider(
    config: &Config,
    stored: &BTreeMap<String, String>,
    name: &str,
) -> Result<Provider, ConfigError> {
    let said = |key| config.text(&["providers", name, key]);
    let mut provider = Provider::new();
    // Invalid protocols are errors when the file is read.
    if let Some(api) = said("api")?.and_then(|api| parse_api(&api.value)) {
        provider = provider.api(api);
    }
    if let Some(url) = said("base_url")? {
        provider = provider.base_url(url.value);
    }
    if let Some(key) = said("key")? {
        provider = provider.key(key.value);
    }
    if let Some(key) = stored.get(name) {
        provider = provider.stored_key(key);
    }
    for header in config.table_keys(&["providers", name, "headers"]) {
        if let Some(value) = config.text(&["providers", name, "headers", header])? {
            provider = provider.header(header, value.value);
        }
    }
    Ok(provider)
}

fn parse_api(word: &str) -> Option<Api> {
    let word: StrDeserializer<'_, NoWord> = word.into_deserializer();
    Api::deserialize(word).ok()
}

/// The model that was chosen, and where.
pub(crate) fn chosen_name(config: &Config) -> Result<Option<Setting<ModelName>>, ConfigError> {
    let Some(Setting { value, origin }) = config.text(&["model"])? else {
        return Ok(None);
    };
    // Invalid names are errors when the settings are read.
    let value = value.parse().ok();
    Ok(value.map(|value| Setting { value, origin }))
}

/// Creates the providers of a model and of its fallback models. `--base-url` applies to the provider of the model.
pub(crate) fn build_providers(
    config: &Config,
    models: &[ModelName],
) -> Result<Providers, ConfigError> {
    let providers = providers_for(config, models)?;
    Ok(match (config.text(&["base_url"])?, models.first()) {
        (Some(url), Some(model)) => providers.base_url(model.provider(), url.value),
        _ => providers,
    })
}

/// Creates the providers of the selected models and of other models. `--base-url` applies to the provider of the model.
pub(crate) fn providers_with(
    config: &Config,
    others: &[ModelName],
) -> Result<Providers, ConfigError> {
    let mut names = model_names(config)?;
    if names.is_empty() {
        return providers_for(config, others);
    }
    names.extend_from_slice(others);
    build_providers(config, &names)
}

/// Creates the model of a tier with its retry policy.
pub(super) fn tier_model(
    config: &Config,
    tier: ModelTier,
    name: &Setting<ModelName>,
) -> Result<Arc<dyn Model>, ModelChoiceError> {
    let providers = providers_with(config, std::slice::from_ref(&name.value))?;
    let model = providers.model(&name.value);
    let model = model.map_err(|error| ModelChoiceError::Tier {
        tier,
        origin: name.origin.clone(),
        error,
    })?;
    Ok(Arc::new(
        RetryingModel::new(model).policy(retry_policy(config)),
    ))
}

/// Returns the table's entry of a model, without a price where its provider has another base URL.
pub(crate) fn known_model(config: &Config, name: &ModelName) -> Option<KnownModel> {
    let providers = providers_with(config, std::slice::from_ref(name)).ok()?;
    providers.known_model(name)
}

/// Returns the selected models in the order in which they are tried; empty if no model is selected.
pub(crate) fn model_names(config: &Config) -> Result<Vec<ModelName>, ConfigError> {
    let Some(first) = chosen_name(config)? else {
        return Ok(Vec::new());
    };
    let fallback = config.list(&["fallback"])?;
    let fallback = fallback.iter().filter_map(|name| name.parse().ok());
    Ok(std::iter::once(first.value).chain(fallback).collect())
}

/// Creates the selected model with its retry policy and its fallback models.
pub(crate) fn chosen_model(config: &Config) -> Result<Option<Arc<dyn Model>>, ModelChoiceError> {
    let names = model_names(config)?;
    if names.is_empty() {
        return match config.text(&["base_url"])? {
            Some(url) => Err(ModelChoiceError::NoModel(format!(
                "{} sets a base URL, but no model is selected\nhelp: add `--model PROVIDER/MODEL`",
                url.origin
            ))),
            None => Ok(None),
        };
    }
    let providers = build_providers(config, &names)?;
    let policy = retry_policy(config);
    let client = |name: &ModelName| -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(
            RetryingModel::new(SilenceReporter::new(providers.model(name)?)).policy(policy),
        ))
    };
    let mut models = names.iter().map(client).collect::<Result<Vec<_>, _>>()?;
    Ok(Some(match models.len() {
        1 => models.remove(0),
        _ => Arc::new(FallbackModel::new(models)),
    }))
}

fn retry_policy(config: &Config) -> RetryPolicy {
    let mut policy = RetryPolicy::new();
    if let Some(attempts) = config.integer(&["retry", "attempts"]) {
        policy = policy.attempts(u32::try_from(attempts).unwrap_or(u32::MAX));
    }
    if let Some(wait) = config.seconds(&["retry", "longest_wait"]) {
        policy = policy
            .max_delay(wait)
            .initial_delay(policy.first_wait.min(wait));
    }
    if let Some(wait) = config.seconds(&["retry", "longest_retry_after"]) {
        policy = policy.max_retry_after(wait);
    }
    policy
}

/// Returns a hint about the available API keys, for users who have not selected a model.
pub(crate) fn key_hint(config: &Config) -> String {
    let providers = all_providers(config);
    let statuses = providers.list().into_iter();
    let statuses: Vec<_> = statuses.filter_map(|(_, status)| status.ok()).collect();
    let with_key = |status: &ProviderStatus| match &status.key {
        KeyOrigin::Environment { variable } => Some((status.name.clone(), variable.clone())),
        KeyOrigin::Configured => Some((status.name.clone(), "configured".to_owned())),
        KeyOrigin::Stored => Some((status.name.clone(), "stored".to_owned())),
        _ => None,
    };
    let mut keys: Vec<(String, String)> = statuses.iter().filter_map(with_key).collect();
    // Several providers may take one key.
    keys.dedup_by(|later, earlier| later.1 == earlier.1 && later.1.contains('_'));
    if let [(name, _), ..] = &keys[..] {
        let shown = keys.iter().map(|(name, from)| format!("{name} ({from})"));
        let shown: Vec<String> = shown.collect();
        return format!(
            "an API key is available for {}: use `--model {name}/MODEL`",
            shown.join(", ")
        );
    }
    let missing = statuses
        .iter()
        .take(3)
        .filter_map(|status| match &status.key {
            KeyOrigin::Missing { variables } => {
                Some(format!("{} ({})", status.name, variables.join(" or ")))
            }
            _ => None,
        });
    let missing: Vec<String> = missing.take(2).collect();
    format!(
        "no API key was found: set the key of your provider, for example {}; local models need no key \
         (`--model ollama/MODEL`)",
        missing.join(", ")
    )
}
