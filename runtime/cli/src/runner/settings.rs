//! Settings that become parts of the agent.

use crate::config::{Config, ConfigError};
use helve_core::tool::ProgressSettings;
use helve_core::transcript::Cost;
use helve_model::{Effort, ModelOptions, Price, Prices};

pub(super) fn model_options(config: &Config) -> Result<ModelOptions, ConfigError> {
    let mut options = ModelOptions::new();
    if let Some(tokens) = config.integer(&["max_output_tokens"]) {
        options = options.max_output_tokens(u32::try_from(tokens).unwrap_or(u32::MAX));
    }
    if let Some(temperature) = config.number(&["temperature"]) {
        #[expect(clippy::cast_possible_truncation, reason = "it is between 0 and 2")]
        let temperature = temperature as f32;
        options = options.temperature(temperature);
    }
    options.effort = config
        .text(&["effort"])?
        .and_then(|effort| match effort.value.as_str() {
            "none" => Some(Effort::None),
            "low" => Some(Effort::Low),
            "medium" => Some(Effort::Medium),
            "high" => Some(Effort::High),
            _ => None,
        });
    Ok(options)
}

pub(crate) fn prices(config: &Config) -> Result<Prices, ConfigError> {
    let mut prices = Prices::new();
    for model in config.table_keys(&["prices"]) {
        let said = |key| config.number(&["prices", model, key]).map(dollars);
        let mut price = match (said("input"), said("output")) {
            (Some(input), Some(output)) => Price::new(input, output),
            (input, _) => {
                let missing = if input.is_some() { "output" } else { "input" };
                return Err(config.missing_key_error(&["prices", model], missing));
            }
        };
        price.cached_input = said("cached_input");
        price.cache_write = said("cache_write");
        prices = prices.model(model, price);
    }
    Ok(prices)
}

fn dollars(dollars: f64) -> Cost {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and a million"
    )]
    let micros = (dollars * 1e6).round() as u64;
    Cost::from_micros(micros)
}

/// Returns the maximum number of model calls per prompt.
pub(super) fn max_turns(config: &Config) -> Option<u32> {
    let most = config.integer(&["max_turns"])?;
    Some(u32::try_from(most).unwrap_or(u32::MAX))
}

/// Whether reducers make results shorter.
pub(crate) fn reduces_results(config: &Config) -> bool {
    config.boolean(&["reduce_results"]).unwrap_or(true)
}

pub(super) fn progress(config: &Config) -> ProgressSettings {
    let mut settings = ProgressSettings::default();
    if let Some(enabled) = config.boolean(&["progress", "enabled"]) {
        settings.enabled = enabled;
    }
    if let Some(interval) = config.integer(&["progress", "flush_interval_ms"]) {
        settings.flush_interval_ms = interval;
    }
    if let Some(bytes) = config.integer(&["progress", "max_bytes"]) {
        settings.max_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    settings
}
