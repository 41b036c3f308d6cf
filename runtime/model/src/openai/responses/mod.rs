//! The client of OpenAI Responses.

mod decoder;
mod dialect;
mod event;
mod input;
mod item;
mod items;
mod reply;
mod request;

use std::sync::Arc;

use decoder::ResponsesDecoder;
pub use dialect::ResponsesDialect;

use crate::openai::openai_client;
use crate::{Endpoint, ModelName};

/// A model behind OpenAI Responses: of OpenAI, or of a compatible provider.
///
/// Nothing is stored at the provider: its state, such as encrypted reasoning, is sent back with each request.
///
/// ```
/// use helve::model::{Endpoint, Model as _, ModelName, OpenAiResponsesModel};
///
/// let endpoint = Endpoint::new("openai", "https://api.openai.com/v1")?
///     .secret_header("authorization", "Bearer sk-1234")?;
/// let model = OpenAiResponsesModel::new(ModelName::new("openai", "gpt-5"), endpoint);
/// assert_eq!(model.name().map(ToString::to_string).as_deref(), Some("openai/gpt-5"));
/// # Ok::<(), helve::model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct OpenAiResponsesModel {
    name: ModelName,
    endpoint: Endpoint,
    dialect: ResponsesDialect,
    prompt_cache_key: Option<Arc<str>>,
    parallel_tool_calls: Option<bool>,
    reasoning_summary: Option<bool>,
}

impl OpenAiResponsesModel {
    /// Creates a client of a model. The endpoint's base URL must not include `/responses`.
    #[must_use]
    pub fn new(name: ModelName, endpoint: Endpoint) -> Self {
        Self {
            dialect: ResponsesDialect::for_model(&name, &endpoint.host()),
            name,
            endpoint,
            prompt_cache_key: None,
            parallel_tool_calls: None,
            reasoning_summary: None,
        }
    }

    /// Sets whether a summary of the reasoning is requested, which is the only visible form of the reasoning. By
    /// default it is requested if an effort is set. OpenAI requires a verified organization.
    #[must_use]
    pub fn reasoning_summary(mut self, summary: bool) -> Self {
        self.reasoning_summary = Some(summary);
        self
    }
}

openai_client!(
    OpenAiResponsesModel,
    ResponsesDialect,
    ResponsesDecoder,
    "responses"
);
