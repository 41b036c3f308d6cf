//! The model that the settings choose, and the providers that they configure.

#[cfg(feature = "models")]
mod configured;
#[cfg(feature = "models")]
mod silence;
#[cfg(feature = "models")]
mod stored_keys;

use std::path::PathBuf;
#[cfg(not(feature = "models"))]
use std::sync::Arc;

#[cfg(feature = "models")]
pub(super) use configured::{
    all_providers, build_providers, chosen_model, chosen_name, key_hint, model_names,
};
#[cfg(feature = "models")]
pub(super) use stored_keys::StoredKeys;

#[cfg(not(feature = "models"))]
use super::config::Config;
use super::config::ConfigError;
#[cfg(not(feature = "models"))]
use helve_model::Model;
use helve_model::{ModelError, RecordingError};

#[derive(Debug, thiserror::Error)]
pub(super) enum ModelChoiceError {
    #[error("{0}")]
    NoModel(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("{}: {why}", file.display())]
    Replay { file: PathBuf, why: RecordingError },
}

/// Refuses a model of the settings: this program has no providers.
#[cfg(not(feature = "models"))]
pub(super) fn chosen_model(config: &Config) -> Result<Option<Arc<dyn Model>>, ModelChoiceError> {
    let Some(model) = config.text(&["model"])? else {
        return Ok(None);
    };
    Err(ModelChoiceError::NoModel(format!(
        "the model `{}` (from {}) needs the `models` feature of helve, which is not enabled in this program",
        model.value, model.origin
    )))
}
