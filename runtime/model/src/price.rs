//! The cost of model calls.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ModelName, Reply};
use helve_core::transcript::{Cost, ReplySource, Usage};

/// The prices of a model per million tokens. Categories without a price have the price of input.
///
/// ```
/// use helve::model::Price;
/// use helve::transcript::{Cost, Usage};
///
/// // $3 for a million input tokens, $15 for a million output tokens.
/// let price = Price::new(Cost::from_micros(3_000_000), Cost::from_micros(15_000_000));
/// assert_eq!(price.cost(&Usage::new(1_000, 200)), Cost::from_micros(6_000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Price {
    /// The price of input tokens that are not cached.
    pub input: Cost,
    /// The price of input tokens that are read from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<Cost>,
    /// The price of input tokens that are written to the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Cost>,
    /// The price of output tokens, including reasoning.
    pub output: Cost,
}

const MILLION: u128 = 1_000_000;

impl Price {
    /// Creates a price of input and output, per million tokens.
    #[must_use]
    pub const fn new(input: Cost, output: Cost) -> Self {
        Self {
            input,
            cached_input: None,
            cache_write: None,
            output,
        }
    }

    /// Sets the price of tokens that are read from the cache, per million.
    #[must_use]
    pub const fn cached_input(mut self, price: Cost) -> Self {
        self.cached_input = Some(price);
        self
    }

    /// Sets the price of tokens that are written to the cache, per million.
    #[must_use]
    pub const fn cache_write(mut self, price: Cost) -> Self {
        self.cache_write = Some(price);
        self
    }

    /// Returns the cost of a usage, rounded up once at the end, so that a limit on cost is exact.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Cost {
        let (cached, written) = (
            usage.cache_read_input_tokens,
            usage.cache_creation_input_tokens,
        );
        let plain = usage
            .input_tokens
            .saturating_sub(cached)
            .saturating_sub(written);
        let charges = [
            (plain, self.input),
            (cached, self.cached_input.unwrap_or(self.input)),
            (written, self.cache_write.unwrap_or(self.input)),
            (usage.output_tokens, self.output),
        ];
        let sum = charges.iter().fold(0_u128, |sum, (tokens, price)| {
            sum.saturating_add(u128::from(*tokens) * u128::from(price.micros()))
        });
        Cost::from_micros(u64::try_from(sum.div_ceil(MILLION)).unwrap_or(u64::MAX))
    }
}

/// A table of prices by model id. It is empty at first: [`KnownModel`](super::KnownModel) has the prices of well-known
/// models.
///
/// ```
/// use helve::model::Prices;
/// use helve::transcript::{Cost, Usage};
///
/// let prices: Prices = serde_json::from_str(r#"{"small-1": {"input": 250000, "output": 2000000}}"#)?;
/// assert_eq!(prices.cost("small-1", &Usage::new(1_000_000, 0)), Some(Cost::from_micros(250_000)));
/// assert_eq!(prices.cost("large-1", &Usage::new(1_000_000, 0)), None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// Creates an empty table.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Sets the price of a model.
    #[must_use]
    pub fn model(mut self, id: impl Into<String>, price: Price) -> Self {
        self.0.insert(id.into(), price);
        self
    }

    /// Returns the price of a model.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Price> {
        self.0.get(id)
    }

    /// Returns the price of the model that gave a reply, where ids have the form `provider/model`.
    ///
    /// Providers report `sonnet-4` as `sonnet-4-20250514`: of the ids that are prefixes of the reported name, the
    /// longest one applies.
    #[must_use]
    pub fn for_reply(&self, source: &ReplySource) -> Option<&Price> {
        let begins = |id: &str| {
            let (provider, model) = id.split_once('/')?;
            let is_it = provider == source.provider && source.model.starts_with(model);
            is_it.then_some(model.len())
        };
        let known = self.0.iter();
        let fitting = known.filter_map(|(id, price)| Some((begins(id)?, price)));
        fitting
            .max_by_key(|(length, _)| *length)
            .map(|(_, price)| price)
    }

    /// Returns the cost of a reply: at the listed price of its model, or else at that of the main model if the reply is of
    /// the same provider.
    #[doc(hidden)]
    #[must_use]
    pub fn reply_cost(&self, own: Option<&Price>, main: Option<&ModelName>, reply: &Reply) -> Cost {
        let source = reply.message.source.as_deref();
        let listed = source.and_then(|source| self.for_reply(source));
        let is_ours = match (source, main) {
            (Some(source), Some(name)) => source.provider == name.provider(),
            _ => true,
        };
        let price = listed.or(own.filter(|_| is_ours));
        price.map_or(Cost::ZERO, |price| price.cost(&reply.usage))
    }

    /// Returns the cost of a usage of a model, if its price is known.
    #[must_use]
    pub fn cost(&self, id: &str, usage: &Usage) -> Option<Cost> {
        self.get(id).map(|price| price.cost(usage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn dollars(dollars: u64) -> Cost {
        Cost::from_micros(dollars * 1_000_000)
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let price = Price::new(dollars(10), dollars(50))
            .cached_input(dollars(1))
            .cache_write(dollars(12));
        let mut usage = Usage::new(1_000_000, 100_000);
        usage.cache_read_input_tokens = 500_000;
        usage.cache_creation_input_tokens = 250_000;
        // 0.25 × 10 + 0.5 × 1 + 0.25 × 12 + 0.1 × 50
        assert_eq!(price.cost(&usage), dollars(11));
        let plain = Price::new(dollars(10), dollars(50));
        assert_eq!(plain.cost(&usage), dollars(15), "what is not said is input");
    }

    #[test]
    fn a_reply_has_the_price_of_the_model_that_gave_it() {
        let [small, large] = [1, 9].map(|input| Price::new(dollars(input), dollars(5)));
        let prices = Prices::new().model("a/m", small).model("a/m-large", large);
        let of = |provider: &str, model: &str| {
            prices.for_reply(&ReplySource::new("api", provider, model))
        };
        assert_eq!(of("a", "m"), Some(&small));
        assert_eq!(of("a", "m-2026-11-22"), Some(&small));
        assert_eq!(of("a", "m-large-2026-11-22"), Some(&large));
        assert_eq!(of("b", "m"), None);
        assert_eq!(of("a", "other"), None);
    }

    #[test]
    fn a_part_of_a_millionth_is_a_millionth_and_too_much_is_the_most() {
        let price = Price::new(Cost::from_micros(1), dollars(1));
        assert_eq!(price.cost(&Usage::new(1, 0)), Cost::from_micros(1));
        assert_eq!(price.cost(&Usage::default()), Cost::ZERO);
        let usage = Usage::new(u64::MAX, u64::MAX);
        let most = Price::new(Cost::from_micros(u64::MAX), dollars(1));
        assert_eq!(most.cost(&usage).micros(), u64::MAX);
    }
}
