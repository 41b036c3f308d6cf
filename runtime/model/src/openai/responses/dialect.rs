//! The differences between providers of OpenAI Responses.

use crate::ModelName;
use crate::openai::{CallIdForm, is_at, model_family};

/// The differences of a provider's Responses that requests must take into account.
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
    /// Whether the instructions have a field of their own; otherwise they are the first message.
    pub instructions: bool,
    /// Whether encrypted reasoning is requested and sent back. A model without reasoning rejects both.
    pub encrypted_reasoning: bool,
    /// Whether reasoning without encrypted content is sent back. OpenAI looks it up in its storage, and fails.
    pub plain_reasoning: bool,
    /// Whether items are sent back with their ids. A few gateways look the ids up, and fail.
    pub item_ids: bool,
    /// Whether the provider supports `prompt_cache_key`.
    pub prompt_cache_key: bool,
    /// The form of call ids that the provider accepts.
    pub call_ids: CallIdForm,
    /// Whether tool results may contain images; otherwise images follow in a separate message.
    pub images_in_results: bool,
}

impl Default for ResponsesDialect {
    /// Returns the dialect that an unknown server most likely supports.
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
    /// Returns the dialect of a model's provider at a host.
    #[must_use]
    pub fn for_model(name: &ModelName, host: &str) -> Self {
        let at = |known| is_at(host, known);
        let is_openai = at("openai.com") || at("azure.com") || at("githubcopilot.com");
        // A gateway in front of OpenAI forwards all fields.
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
