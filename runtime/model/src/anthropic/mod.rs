//! Anthropic Messages: the request, the reply, and the client.

mod block;
mod capabilities;
mod decoder;
mod event;
mod history;
mod output;
mod request;
mod wire;

use decoder::MessagesDecoder;

use crate::api::native_client;
use crate::{Endpoint, ModelName};

/// The version of the protocol that is asked for, unless the endpoint asks for another one.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// A model that is reached through Anthropic's Messages API.
///
/// The endpoint carries the key: in the header `x-api-key`, or as `authorization: Bearer …` where a gateway requires
/// that. Features that are not out yet are asked for with the header `anthropic-beta`.
///
/// # What is sent
///
/// * Thinking with its proof, and what the provider ran itself, go back exactly as they came, to the provider that they
///   came from; thinking without a proof, and that of others, stays out.
/// * Arguments go back as the model wrote them. Where they were no JSON object, `{}` takes their place, since the provider
///   takes nothing else: the result of that call says what was wrong with them.
/// * Citations of a text are not kept; what they cite stands in the results of the searches, which are.
/// * Instructions in the middle of a conversation are the user's words, marked `<system>`: most models take them in no
///   other way.
/// * The effort is given as the model takes it, by its name: as an effort with adaptive thinking, or as a budget of
///   tokens. A temperature that the model would refuse is left out.
///
/// ```
/// use helve::model::{AnthropicModel, Endpoint, Model as _, ModelName};
///
/// let endpoint = Endpoint::new("anthropic", "https://api.anthropic.com")?
///     .secret_header("x-api-key", "sk-ant-1234")?
///     .key_source("ANTHROPIC_API_KEY");
/// let model = AnthropicModel::new(ModelName::new("anthropic", "claude-sonnet-4-6"), endpoint);
/// assert_eq!(model.name().unwrap().model(), "claude-sonnet-4-6");
/// # Ok::<(), helve::model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct AnthropicModel {
    name: ModelName,
    endpoint: Endpoint,
    caching: bool,
}

impl AnthropicModel {
    /// Creates a client of one model.
    #[must_use]
    pub fn new(name: ModelName, endpoint: Endpoint) -> Self {
        Self {
            name,
            endpoint: endpoint.default_header(VERSION.0, VERSION.1),
            caching: true,
        }
    }

    /// Sets whether the provider is asked to keep the beginning of the conversation in its cache; it is unless set.
    #[must_use]
    pub fn prompt_caching(mut self, caching: bool) -> Self {
        self.caching = caching;
        self
    }

    /// The base URL is written with and without the version.
    fn path(&self) -> &'static str {
        match self.endpoint.base_path().ends_with("/v1") {
            true => "messages",
            false => "v1/messages",
        }
    }
}

native_client!(AnthropicModel, MessagesDecoder);
