//! The prices and context sizes of well-known models.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{ModelName, Price, image_support};

/// A well-known model, by the price list of its provider on the [date](KnownModel::date) of the table.
///
/// The table has models whose price does not depend on the length of the request; a request is charged by the list of
/// the provider at its time, so that a cost is an estimate.
///
/// ```
/// use helve::model::KnownModel;
///
/// let model = KnownModel::find(&"anthropic/claude-sonnet-4-5".parse()?).expect("a well-known model");
/// assert_eq!(model.context_window, 200_000);
/// # Ok::<(), helve::model::InvalidModelName>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct KnownModel {
    /// The price; `None` where it depends on the length of the request.
    pub price: Option<Price>,
    /// The size of the context window in tokens.
    pub context_window: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownModels {
    date: String,
    known: Vec<Entry>,
}

/// The models of one price.
#[derive(Deserialize)]
struct Entry {
    models: Vec<String>,
    providers: Vec<String>,
    #[serde(flatten)]
    facts: KnownModel,
}

static KNOWN: LazyLock<Option<KnownModels>> =
    LazyLock::new(|| serde_json::from_str(include_str!("known_models.json")).ok());

impl KnownModel {
    /// Returns the date of the table.
    #[must_use]
    pub fn date() -> &'static str {
        KNOWN.as_ref().map_or("", |known| &known.date)
    }

    /// Returns a model by its name, with or without the date of its release: `gpt-5` and `gpt-5-2025-08-07`.
    #[must_use]
    pub fn find(name: &ModelName) -> Option<Self> {
        let is_it = |entry: &&Entry| {
            entry.providers.iter().any(|known| known == name.provider())
                && entry
                    .models
                    .iter()
                    .any(|known| is_release(name.model(), known))
        };
        let known = KNOWN.as_ref()?;
        known.known.iter().find(is_it).map(|entry| entry.facts)
    }

    /// Reports whether a model reads images, by the family that its name is of; `None` where that is not known.
    ///
    /// ```
    /// use helve::model::KnownModel;
    ///
    /// let reads_images = |name: &str| Some(KnownModel::reads_images(&name.parse().ok()?));
    /// assert_eq!(reads_images("openai/gpt-4o"), Some(Some(true)));
    /// assert_eq!(reads_images("openai/gpt-3.5-turbo"), Some(Some(false)));
    /// ```
    #[must_use]
    pub fn reads_images(name: &ModelName) -> Option<bool> {
        image_support::reads_images(name)
    }
}

/// Reports whether a name is that of a model, or that of one of its releases.
fn is_release(name: &str, model: &str) -> bool {
    let Some(rest) = name.strip_prefix(model) else {
        return false;
    };
    let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
    let is_date = rest.starts_with('-')
        && digits.len() == 8
        && rest.chars().all(|c| c.is_ascii_digit() || c == '-');
    rest.is_empty() || is_date
}

#[cfg(test)]
mod tests {
    use super::*;
    use helve_core::transcript::{Cost, Usage};

    fn find(name: &str) -> Option<KnownModel> {
        KnownModel::find(&name.parse().expect("a name"))
    }

    #[test]
    fn the_table_is_read() {
        let known = KNOWN.as_ref().expect("a table");
        assert_eq!(KnownModel::date().len(), "2025-11-24".len());
        assert!(known.known.len() > 10);
        let mut names: Vec<&String> = known.known.iter().flat_map(|entry| &entry.models).collect();
        names.sort();
        assert!(names.windows(2).all(|two| two[0] != two[1]), "{names:?}");
        for entry in &known.known {
            let price = entry.facts.price;
            assert!(price.is_none_or(
                |price| price.input < price.output && price.cached_input <= Some(price.input)
            ));
        }
    }

    #[test]
    fn a_release_is_the_model_and_a_variant_is_not() {
        let usage = Usage::new(1_000_000, 1_000_000);
        let cost = |name: &str| find(name)?.price.map(|price| price.cost(&usage));
        let dollars = |cents: u64| Some(Cost::from_micros(cents * 10_000));
        assert_eq!(cost("openai/gpt-5"), dollars(1_125));
        assert_eq!(cost("openai-chat/gpt-5-2025-08-07"), dollars(1_125));
        assert_eq!(cost("openai/gpt-5-mini"), dollars(225));
        assert_eq!(cost("anthropic/claude-sonnet-4-5-20250929"), dollars(1_800));
        for other in [
            "openai/gpt-5-pro",
            "openai/gpt-5.6",
            "openai/gpt-50",
            "acme/gpt-5",
            "openai/gpt-5-chat-latest",
        ] {
            assert_eq!(find(other), None, "{other}");
        }
        let pro = find("gemini/gemini-2.5-pro").expect("a known model");
        assert_eq!((pro.price, pro.context_window), (None, 1_048_576));
    }
}
