//! The model that the settings choose, and the providers that they configure.

#[cfg(feature = "models")]
mod configured;
#[cfg(feature = "models")]
mod silence;
#[cfg(feature = "models")]
mod stored_keys;
mod tiers;

use std::path::PathBuf;
#[cfg(not(feature = "models"))]
use std::sync::Arc;

#[cfg(feature = "models")]
use configured::tier_model;
#[cfg(feature = "models")]
pub(super) use configured::{
    all_providers, build_providers, chosen_model, chosen_name, key_hint, known_model, model_names,
    providers_with,
};
#[cfg(feature = "models")]
pub(super) use stored_keys::StoredKeys;

use super::config::ConfigError;
#[cfg(feature = "models")]
use super::config::SettingOrigin;
#[cfg(not(feature = "models"))]
use super::config::{Config, Setting};
use helve_model::ModelTier;
#[cfg(not(feature = "models"))]
use helve_model::{KnownModel, Model, ModelName};
use helve_model::{ModelError, RecordingError};
pub(super) use tiers::{TierModels, tier_names};

#[derive(Debug, thiserror::Error)]
pub(super) enum ModelChoiceError {
    #[error("{0}")]
    NoModel(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The model of a tier cannot be used.
    #[cfg(feature = "models")]
    #[error("`models.{tier}` ({origin}): {error}")]
    Tier {
        tier: ModelTier,
        origin: SettingOrigin,
        error: ModelError,
    },
    #[error("{}: {why}", file.display())]
    Replay { file: PathBuf, why: RecordingError },
}

/// Refuses a model of the settings: this program has no providers.
#[cfg(not(feature = "models"))]
pub(super) fn chosen_model(config: &Config) -> Result<Option<Arc<dyn Model>>, ModelChoiceError> {
    let model = config.text(&["model"])?;
    match model {
        Some(model) => Err(no_providers(&model)),
        None => Ok(None),
    }
}

/// Refuses the models of the settings beside the main one.
#[cfg(not(feature = "models"))]
fn tier_model(
    _: &Config,
    _: ModelTier,
    name: &Setting<ModelName>,
) -> Result<Arc<dyn Model>, ModelChoiceError> {
    Err(no_providers(name))
}

#[cfg(not(feature = "models"))]
fn no_providers<T: std::fmt::Display>(model: &Setting<T>) -> ModelChoiceError {
    let Setting { value, origin } = model;
    ModelChoiceError::NoModel(format!(
        "the model `{value}` (from {origin}) needs the `models` feature of helve, which is not enabled in this program"
    ))
}

/// Returns the table's entry of a model.
#[cfg(not(feature = "models"))]
pub(super) fn known_model(_: &Config, name: &ModelName) -> Option<KnownModel> {
    KnownModel::find(name)
}
