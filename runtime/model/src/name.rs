//! The names of models: a provider, and the provider's name of the model.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A model of a provider, written `provider/model`.
///
/// ```
/// use helve::model::ModelName;
///
/// let name: ModelName = "openrouter/qwen/qwen3-coder".parse()?;
/// assert_eq!((name.provider(), name.model()), ("openrouter", "qwen/qwen3-coder"));
/// let error = "qwen3".parse::<ModelName>().unwrap_err();
/// assert_eq!(error.to_string(), "`qwen3` names no provider: write `provider/model`, such as `openai/qwen3`");
/// # Ok::<(), helve::model::InvalidModelName>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelName {
    provider: String,
    model: String,
}

/// The error of a text that is not the name of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no {missing}: write `provider/model`, such as `openai/{example}`")]
pub struct InvalidModelName {
    text: String,
    missing: &'static str,
    example: String,
}

impl ModelName {
    /// Creates a name from its two parts.
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            model: model.into(),
        }
    }

    /// Returns the provider.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Returns the model, as the provider names it.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl FromStr for ModelName {
    type Err = InvalidModelName;

    fn from_str(text: &str) -> Result<Self, InvalidModelName> {
        let invalid = |missing, example: &str| InvalidModelName {
            text: text.to_owned(),
            missing,
            example: example.to_owned(),
        };
        match text.trim().split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
                Ok(Self::new(provider, model))
            }
            Some(("", _)) | None => Err(invalid("provider", text.trim_matches('/'))),
            Some(_) => Err(invalid("model", "gpt-5")),
        }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

impl Serialize for ModelName {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ModelName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
