//! Settings that become parts of the agent.

use std::time::Duration;

use crate::config::{Config, ConfigError, KeyPath};
use crate::providers;
use helve_agent::turn::Bounds;
use helve_core::tool::{ProgressSettings, ToolContext};
use helve_core::transcript::{Cost, ReplySource};
use helve_model::{Effort, ModelName, ModelOptions, Price, Prices};
use helve_permission::{DenyAll, TimeLimitedApprover};

const DEFAULT_MODEL_CALLS: u32 = 50;

/// The number of characters that `results.tokens` counts as a token.
const CHARACTERS_PER_TOKEN: u64 = 4;

const MAX_COST: [&str; 2] = ["limits", "cost_usd"];

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

/// Returns the prices of the settings.
pub(crate) fn own_prices(config: &Config) -> Result<Prices, ConfigError> {
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

/// Returns the prices of the settings, and the known prices of the models that the settings name.
pub(super) fn prices(config: &Config, chosen: &ModelName) -> Result<Prices, ConfigError> {
    let mut prices = own_prices(config)?;
    let fallback = config.list(&["fallback"])?;
    let fallback = fallback.iter().filter_map(|name| name.parse().ok());
    let tiers = providers::tier_names(config)?.into_iter();
    let tiers = tiers.map(|(_, name)| name.value);
    for model in fallback.chain(tiers).chain([chosen.clone()]) {
        let known = providers::known_model(config, &model).and_then(|known| known.price);
        if let Some(price) = known
            && !has_price(&prices, &model)
        {
            prices = prices.model(model.to_string(), price);
        }
    }
    Ok(prices)
}

fn has_price(prices: &Prices, model: &ModelName) -> bool {
    let source = ReplySource::new("", model.provider(), model.model());
    prices.for_reply(&source).is_some()
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

/// Returns the bounds of a turn.
pub(crate) fn bounds(config: &Config) -> Bounds {
    let count = |place: &[&str]| {
        let most = config.integer(place)?;
        Some(u32::try_from(most).unwrap_or(u32::MAX))
    };
    let minutes = config.number(&["limits", "minutes"]);
    Bounds::new(count(&["max_turns"]).unwrap_or(DEFAULT_MODEL_CALLS))
        .tool_calls(count(&["limits", "tool_calls"]))
        .tokens(config.integer(&["limits", "tokens"]))
        .cost(config.number(&MAX_COST).map(dollars))
        .wall_time(minutes.map(|minutes| Duration::from_secs_f64(minutes * 60.0)))
}

/// Returns an error if the cost is limited and the price of the model is unknown: the limit would have no effect.
pub(super) fn check_cost_limit(
    config: &Config,
    prices: &Prices,
    model: &ModelName,
) -> Result<(), ConfigError> {
    if config.number(&MAX_COST).is_none() || has_price(prices, model) {
        return Ok(());
    }
    let what = format!(
        "the cost cannot be limited, because the price of `{model}` is unknown; set `prices.\"{model}\".input` and `prices.\"{model}\".output`"
    );
    Err(config.table_error(&KeyPath::new(MAX_COST), what))
}

/// Returns the maximum number of characters of the results of one round.
pub(super) fn result_budget(config: &Config) -> usize {
    let most = |key, characters: u64| {
        let most = config.integer(&["results", key])?;
        usize::try_from(most.saturating_mul(characters)).ok()
    };
    let chars = most("chars", 1).unwrap_or(ToolContext::DEFAULT_RESULT_BUDGET);
    most("tokens", CHARACTERS_PER_TOKEN).map_or(chars, |tokens| tokens.min(chars))
}

/// Returns the time limit of a question about a call.
pub(super) fn approval_timeout(config: &Config) -> Option<Duration> {
    let limit = config.time_limit(&["approval", "timeout"]);
    limit.unwrap_or(Some(TimeLimitedApprover::<DenyAll>::DEFAULT))
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
