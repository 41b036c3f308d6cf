//! The client of Anthropic's Messages API: requests, replies and errors.

mod block;
mod capabilities;
mod decoder;
mod event;
mod history;
mod memory_tool;
mod output;
mod request;
mod wire;

use decoder::MessagesDecoder;

use crate::api::native_client;
use crate::{Endpoint, ModelName};

/// The requested version of the protocol, unless the endpoint has a header for another version.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// Adds the version to an endpoint, unless it has another one.
pub(crate) fn with_version(endpoint: Endpoint) -> Endpoint {
    endpoint.default_header(VERSION.0, VERSION.1)
}

/// A model behind Anthropic's Messages API.
///
/// The endpoint contains the key: in the header `x-api-key`, or as `authorization: Bearer …` for gateways that
/// require it. The header `anthropic-beta` enables unreleased features.
///
/// # Requests
///
/// * Thinking with a signature, and the items of tools that the provider ran itself, are sent back unchanged to the
///   same provider. Thinking without a signature, or of another provider, is left out.
/// * Arguments are sent back as the model wrote them. Arguments that are not a JSON object are replaced by `{}`,
///   because the provider only accepts objects: the result of the call describes the error.
/// * Citations of a text are not stored; the cited text is in the search results, which are stored.
/// * Instructions in the middle of a conversation are sent as text of the user, marked `<system>`, because most
///   models accept no other form.
/// * At the provider's own host, a tool `memory` with the six commands of its memory tool is declared as that tool, which
///   its models know; the description and the schema are then those of the provider.
/// * The effort is sent in the form that the model supports, determined by its name: as an effort with adaptive
///   thinking, or as a budget of tokens. A temperature that the model would reject is left out.
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
            endpoint: with_version(endpoint),
            caching: true,
        }
    }

    /// Sets whether the provider is asked to cache the beginning of the conversation. The default is `true`.
    #[must_use]
    pub fn prompt_caching(mut self, caching: bool) -> Self {
        self.caching = caching;
        self
    }

    /// Returns the path below the base URL, which is configured with or without the version.
    fn path(&self) -> &'static str {
        match self.endpoint.base_path().ends_with("/v1") {
            true => "messages",
            false => "v1/messages",
        }
    }
}

native_client!(AnthropicModel, MessagesDecoder);
