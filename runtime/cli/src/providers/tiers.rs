//! The models of the settings beside the main one: `models.small`, `models.vision` and `models.embed`.

use std::sync::Arc;

use super::{ModelChoiceError, tier_model};
use crate::config::{Config, ConfigError, Setting};
use helve_agent::Agent;
use helve_model::ModelTier;
use helve_model::{Model, ModelName};

/// The models beside the main one, ready to be called.
#[derive(Clone, Default)]
pub(crate) struct TierModels {
    small: Option<Arc<dyn Model>>,
    vision: Option<Arc<dyn Model>>,
    embed: Option<ModelName>,
}

impl TierModels {
    /// Creates the models that the settings name.
    pub(crate) fn read(config: &Config) -> Result<Self, ModelChoiceError> {
        let mut models = Self::default();
        for (tier, name) in tier_names(config)? {
            let model = tier_model(config, tier, &name)?;
            match tier {
                ModelTier::Small => models.small = Some(model),
                ModelTier::Vision => models.vision = Some(model),
                _ => models.embed = Some(name.value),
            }
        }
        Ok(models)
    }

    /// Lists the models that write texts.
    pub(crate) fn writers(&self) -> impl Iterator<Item = &ModelName> {
        let models = [&self.small, &self.vision].into_iter().flatten();
        models.filter_map(|model| model.name())
    }

    /// Returns the small model.
    #[cfg(feature = "agents")]
    pub(crate) fn small(&self) -> Option<Arc<dyn Model>> {
        self.small.clone()
    }

    /// Gives the models to an agent.
    pub(crate) fn add_to(&self, mut agent: Agent) -> Agent {
        if let Some(small) = &self.small {
            agent = agent.small_model(Arc::clone(small));
        }
        if let Some(vision) = &self.vision {
            agent = agent.vision_model(Arc::clone(vision));
        }
        match &self.embed {
            Some(embed) => agent.embedding_model(embed.clone()),
            None => agent,
        }
    }
}

/// Returns the models that the settings name, by tier.
pub(crate) fn tier_names(
    config: &Config,
) -> Result<Vec<(ModelTier, Setting<ModelName>)>, ConfigError> {
    let mut names = Vec::new();
    for tier in ModelTier::ALL {
        // Invalid names are errors when the settings are read.
        if let Some(Setting { value, origin }) = config.text(&["models", tier.name()])?
            && let Ok(value) = value.parse()
        {
            names.push((tier, Setting { value, origin }));
        }
    }
    Ok(names)
}
