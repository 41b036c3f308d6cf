//! OpenAI Chat Completions, and the providers that are compatible with it.

mod calls;
mod chunk;
mod decoder;
mod dialect;
mod extras;
mod message;
mod request;
mod stop;
mod usage;

use std::sync::Arc;

use futures_core::stream::{BoxStream, Stream};

use decoder::ChatDecoder;
pub use dialect::{ChatDialect, EffortField, MaxTokensField, OutputField, ThinkingField};

use crate::http::{self, Endpoint, ResponseHead};
use crate::openai::endpoint_path;
use crate::{Model, ModelError, ModelEvent, ModelName, ModelRequest};

/// A model that is spoken to with OpenAI Chat Completions: OpenAI's own, and those of the many providers and local
/// servers that offer the same.
///
/// How the provider differs from OpenAI is looked up by its name and the host of its endpoint.
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
    /// Creates a client of a model. The endpoint's base URL ends where `/chat/completions` begins.
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

    /// Sets how the provider differs from OpenAI, where what is known of it is wrong or not enough.
    #[must_use]
    pub fn dialect(mut self, dialect: ChatDialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets the key by which the provider finds the cache of a conversation, where the dialect has one; else it is made of
    /// the instructions, the tools and the first message.
    #[must_use]
    pub fn prompt_cache_key(mut self, key: impl Into<Arc<str>>) -> Self {
        self.prompt_cache_key = Some(key.into());
        self
    }

    /// Sets whether the model may call several tools at once; else the provider decides.
    #[must_use]
    pub fn parallel_tool_calls(mut self, parallel: bool) -> Self {
        self.parallel_tool_calls = Some(parallel);
        self
    }

    /// Returns the body of a request, which is JSON: for those who bring their own transport.
    #[must_use]
    pub fn body(&self, request: &ModelRequest) -> Vec<u8> {
        request::body(self, request)
    }

    /// Reads an answer that came by whatever way: its head, and its body in pieces of any size. Does no I/O of its own.
    pub fn decode<'a, B: AsRef<[u8]> + 'a>(
        &'a self,
        head: ResponseHead,
        body: impl Stream<Item = Result<B, ModelError>> + Send + 'a,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        http::decode(&self.endpoint, head, body, self.decoder())
    }

    fn decoder(&self) -> ChatDecoder {
        ChatDecoder::new(self.endpoint.provider(), self.name.model())
    }
}

impl Model for OpenAiChatModel {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        let path = endpoint_path(&self.endpoint, "chat/completions");
        http::post_stream(&self.endpoint, &path, self.body(request), self.decoder())
    }

    fn name(&self) -> Option<&ModelName> {
        Some(&self.name)
    }
}
