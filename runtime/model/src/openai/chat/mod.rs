//! The client of OpenAI Chat Completions and of compatible providers.

mod calls;
mod chunk;
mod decoder;
mod dialect;
mod extras;
mod message;
mod request;
mod usage;

use std::sync::Arc;

use decoder::ChatDecoder;
pub use dialect::{ChatDialect, EffortField, MaxTokensField, OutputField, ThinkingField};

use crate::openai::openai_client;
use crate::{Endpoint, ModelName};

/// A model behind OpenAI Chat Completions: of OpenAI, or of one of the many providers and local servers that are
/// compatible.
///
/// The differences between the provider and OpenAI are determined by the provider's name and the host of its
/// endpoint.
///
/// ```
/// use helve::model::{Endpoint, Model as _, ModelName, OpenAiChatModel};
///
/// let endpoint = Endpoint::new("ollama", "http://localhost:11434/v1")?;
/// let model = OpenAiChatModel::new(ModelName::new("ollama", "qwen3"), endpoint);
/// assert_eq!(model.name().map(ToString::to_string).as_deref(), Some("ollama/qwen3"));
/// # Ok::<(), helve::model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct OpenAiChatModel {
    name: ModelName,
    endpoint: Endpoint,
    dialect: ChatDialect,
    prompt_cache_key: Option<Arc<str>>,
    parallel_tool_calls: Option<bool>,
}

impl OpenAiChatModel {
    /// Creates a client of a model. The endpoint's base URL must not include `/chat/completions`.
    #[must_use]
    pub fn new(name: ModelName, endpoint: Endpoint) -> Self {
        Self {
            dialect: ChatDialect::for_model(&name, &endpoint.host()),
            name,
            endpoint,
            prompt_cache_key: None,
            parallel_tool_calls: None,
        }
    }
}

openai_client!(
    OpenAiChatModel,
    ChatDialect,
    ChatDecoder,
    "chat/completions"
);
