//! How a provider's Responses differ from OpenAI's.

use crate::ModelName;
use crate::openai::{CallIdForm, is_at, model_family};

/// How a provider's Responses differ from those of other providers, as far as a request must know.
///
/// ```
/// use helve::model::{ModelName, ResponsesDialect};
///
/// let of = |model| ResponsesDialect::for_model(&ModelName::new("openai", model), "api.openai.com");
/// assert!(of("gpt-5").encrypted_reasoning && !of("gpt-4o").encrypted_reasoning);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponsesDialect {
    /// Whether the instructions stand in a field of their own; else they are the first message.
    pub instructions: bool,
    /// Whether the model is asked for its encrypted reasoning, and gets it back. A model that does not reason refuses
    /// both.
    pub encrypted_reasoning: bool,
    /// Whether reasoning that came without anything encrypted goes back. OpenAI looks for it among what it stored, and
    /// finds nothing.
    pub plain_reasoning: bool,
    /// Whether items go back with their ids. A few gateways look them up, and find nothing.
    pub item_ids: bool,
    /// Whether it takes a `prompt_cache_key`.
    pub prompt_cache_key: bool,
    /// The ids of calls that it takes.
    pub call_ids: CallIdForm,
    /// Whether results of tools may hold images; else these follow in a message of their own.
    pub images_in_results: bool,
}

impl Default for ResponsesDialect {
    /// What a server most likely takes of which nothing is known.
    fn default() -> Self {
        Self {
            instructions: true,
            encrypted_reasoning: true,
            plain_reasoning: true,
            item_ids: true,
            prompt_cache_key: true,
            call_ids: CallIdForm::UpTo(64),
            images_in_results: true,
        }
    }
}

impl ResponsesDialect {
    /// Returns what is known of the provider of a model, at a host.
    #[must_use]
    pub fn for_model(name: &ModelName, host: &str) -> Self {
        let at = |known| is_at(host, known);
        let is_openai = at("openai.com") || at("azure.com") || at("githubcopilot.com");
        // A gateway in front of OpenAI hands everything on.
        let is_like_openai =
            is_openai || name.provider() == "openai" || model_family::is_openai_model(name.model());
        Self {
            instructions: !at("x.ai"),
            encrypted_reasoning: !is_like_openai || model_family::is_reasoning_model(name.model()),
            plain_reasoning: !is_openai,
            ..Self::default()
        }
    }
}
