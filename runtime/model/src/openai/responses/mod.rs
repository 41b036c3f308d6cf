//! OpenAI Responses.

mod decoder;
mod dialect;
mod event;
mod input;
mod item;
mod items;
mod reply;
mod request;

use std::sync::Arc;

use futures_core::stream::{BoxStream, Stream};

use decoder::ResponsesDecoder;
pub use dialect::ResponsesDialect;

use crate::http::{self, Endpoint, ResponseHead};
use crate::openai::endpoint_path;
use crate::{Model, ModelError, ModelEvent, ModelName, ModelRequest};

/// A model that is spoken to with OpenAI Responses: OpenAI's own, and those of providers that offer the same.
///
/// Nothing is stored at the provider: what it must remember, such as its encrypted reasoning, goes back with each
/// request.
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
    /// Creates a client of a model. The endpoint's base URL ends where `/responses` begins.
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

    /// Sets how the provider differs from OpenAI, where what is known of it is wrong or not enough.
    #[must_use]
    pub fn dialect(mut self, dialect: ResponsesDialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets the key by which the provider finds the cache of a conversation; else it is made of the instructions, the tools
    /// and the first message.
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

    /// Sets whether the provider is asked for a summary of the reasoning, which is all that it shows of it; else it is where
    /// an effort is asked for. OpenAI requires the organization to be verified first.
    #[must_use]
    pub fn reasoning_summary(mut self, summary: bool) -> Self {
        self.reasoning_summary = Some(summary);
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

    fn decoder(&self) -> ResponsesDecoder {
        ResponsesDecoder::new(self.endpoint.provider(), self.name.model())
    }
}

impl Model for OpenAiResponsesModel {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        let path = endpoint_path(&self.endpoint, "responses");
        http::post_stream(&self.endpoint, &path, self.body(request), self.decoder())
    }

    fn name(&self) -> Option<&ModelName> {
        Some(&self.name)
    }
}
