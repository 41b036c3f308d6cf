//! The clients of providers without a native client: Gemini, Ollama's own protocol, Bedrock and Vertex, through the
//! crate genai.
//!
//! The clients lack what genai does not support: items of the provider's own tools and the text after them; the
//! schema of structured output with Ollama (only JSON in general is requested) and with Bedrock (nothing is
//! requested); the ids of replies; images in tool results (they follow in a message of the user); and a flag for
//! results that are errors (the text contains it). Bedrock is accessed with its own API key, not with AWS
//! credentials.

mod content;
mod events;
mod failure;
mod request;

use ::genai::adapter::AdapterKind;
use ::genai::chat::{ChatOptions, ChatStream};
use ::genai::resolver::{AuthData, Endpoint as Address};
use ::genai::{Client, Headers, ModelIden, ServiceTarget};
use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};

use super::http::{Endpoint, with_timeout};
use super::providers::Api;
use super::{Model, ModelError, ModelName, ModelRequest, ReplyStream};
use events::GenaiDecoder;
use helve_core::transcript::ReplySource;

/// A model that is accessed through genai.
///
/// ```
/// use helve::model::{Api, Endpoint, GenaiModel, Model as _, ModelName};
///
/// let endpoint = Endpoint::new("gemini", "https://generativelanguage.googleapis.com/v1beta/")?
///     .secret_header("x-goog-api-key", "AIza-1234")?;
/// let model = GenaiModel::new(ModelName::new("gemini", "gemini-3-flash"), Api::Gemini, endpoint)?;
/// assert_eq!(model.name().map(ToString::to_string).as_deref(), Some("gemini/gemini-3-flash"));
/// # Ok::<(), helve::model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct GenaiModel {
    name: ModelName,
    protocol: GenaiProtocol,
    endpoint: Endpoint,
    streams: bool,
}

#[derive(Debug, Clone, Copy)]
struct GenaiProtocol {
    adapter: AdapterKind,
    /// The name of the protocol, as in [`ReplySource::api`].
    name: &'static str,
}

impl GenaiProtocol {
    fn from_api(api: Api) -> Option<Self> {
        let (adapter, name) = match api {
            Api::Gemini => (AdapterKind::Gemini, "google.generate_content"),
            Api::Ollama => (AdapterKind::Ollama, "ollama.chat"),
            Api::Bedrock => (AdapterKind::BedrockApi, "bedrock.converse"),
            Api::Vertex => (AdapterKind::Vertex, "vertex"),
            _ => return None,
        };
        Some(Self { adapter, name })
    }
}

impl GenaiModel {
    /// Creates a client of a model. The key must be in the endpoint's header `x-goog-api-key` or `authorization`.
    ///
    /// # Errors
    /// [`ModelError::NotConfigured`] if the protocol is not one that genai provides.
    pub fn new(name: ModelName, api: Api, endpoint: Endpoint) -> Result<Self, ModelError> {
        let protocol = GenaiProtocol::from_api(api).ok_or_else(|| {
            ModelError::not_configured(format!(
                "the protocol {api} has a native client and is not supported through genai"
            ))
        })?;
        Ok(Self {
            name,
            protocol,
            endpoint,
            streams: true,
        })
    }

    /// Requests replies without streaming, for servers that do not support it.
    #[must_use]
    pub fn without_streaming(mut self) -> Self {
        self.streams = false;
        self
    }

    async fn client(&self) -> Result<Client, ModelError> {
        let http = self.endpoint.prepared_client().await?;
        let client = Client::builder().with_reqwest(http.clone());
        client.build().map_err(ModelError::provider)
    }

    fn target(&self) -> ServiceTarget {
        ServiceTarget {
            endpoint: Address::from_owned(self.endpoint.base_url()),
            auth: AuthData::from_single(self.key().unwrap_or_default()),
            model: ModelIden::new(self.protocol.adapter, self.name.model()),
        }
    }

    fn key(&self) -> Option<&str> {
        let mut values = self.endpoint.header_values();
        let (_, value) = values.find(|(name, _)| is_key(name))?;
        Some(value.strip_prefix("Bearer ").unwrap_or(value))
    }

    fn options(&self, request: &ModelRequest) -> Result<ChatOptions, ModelError> {
        let own = self.endpoint.header_values();
        // genai's adapter for Ollama sends no key.
        let is_ollama = self.protocol.adapter == AdapterKind::Ollama;
        let headers: Vec<(String, String)> = own
            .filter(|(name, _)| is_ollama || !is_key(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let waits = self.endpoint.idle_timeout;
        let options = request::build_options(self.protocol.adapter, &request.options)?
            .with_stream_header_timeout(waits)
            .with_stream_read_timeout(waits);
        Ok(match headers.is_empty() {
            true => options,
            false => options.with_extra_headers(Headers::from(headers)),
        })
    }

    fn events(&self) -> GenaiDecoder {
        let (provider, model) = (self.endpoint.provider(), self.name.model());
        GenaiDecoder::new(ReplySource::new(self.protocol.name, provider, model))
    }

    fn convert(&self, error: ::genai::Error) -> ModelError {
        failure::convert_error(&self.endpoint, error)
    }

    async fn send(&self, request: &ModelRequest) -> ReplyStream<'_> {
        let events = self.open(request).await;
        events.unwrap_or_else(|error| stream::iter([Err(error)]).boxed())
    }

    async fn open(&self, request: &ModelRequest) -> Result<ReplyStream<'_>, ModelError> {
        let options = self.options(request)?;
        let conversation =
            request::build_request(self.protocol, self.endpoint.provider(), request)?;
        let (client, target) = (self.client().await?, self.target());
        if self.streams {
            let answer = client.exec_chat_stream(target, conversation, Some(&options));
            let answer = answer.await.map_err(|error| self.convert(error))?;
            return Ok(self.stream_events(answer.stream));
        }
        let answer = client.exec_chat(target, conversation, Some(&options));
        let answer = with_timeout(&self.endpoint, self.endpoint.idle_timeout, answer).await?;
        let answer = answer.map_err(|error| self.convert(error))?;
        Ok(stream::iter(self.events().decode_response(answer)).boxed())
    }

    fn stream_events(&self, stream: ChatStream) -> ReplyStream<'_> {
        let begun = Some((stream, self.events()));
        let next = move |state: Option<(ChatStream, GenaiDecoder)>| async move {
            let (mut stream, mut events) = state?;
            let failed = |error| (vec![Err(error)], true);
            let (told, is_over) = match stream.next().await {
                Some(Ok(event)) => events.decode_event(event),
                Some(Err(error)) => failed(self.convert(error)),
                None => failed(ModelError::UnexpectedEnd),
            };
            let rest = (!is_over).then_some((stream, events));
            Some((stream::iter(told), rest))
        };
        stream::unfold(begun, next).flatten().boxed()
    }
}

fn is_key(header: &str) -> bool {
    matches!(header, "x-goog-api-key" | "authorization")
}

impl Model for GenaiModel {
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> ReplyStream<'a> {
        self.send(request).flatten_stream().boxed()
    }

    fn name(&self) -> Option<&ModelName> {
        Some(&self.name)
    }
}
