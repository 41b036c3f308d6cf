//! The providers that are not spoken to natively: Gemini, Ollama's own protocol, Bedrock and Vertex, through the crate
//! genai.
//!
//! What genai does not pass on, no client of it can have: what a provider's own tools did and what comes after it, a
//! schema of the answer with Ollama (JSON at all is asked for) and with Bedrock (nothing is), the ids of replies, images
//! in the results of tools (they follow in a message of the user's), and a word for results that are errors (the text
//! says it). Bedrock is spoken to with a key of its own, not with AWS credentials.

mod content;
mod events;
mod failure;
mod request;

use ::genai::adapter::AdapterKind;
use ::genai::chat::{ChatOptions, ChatRequest};
use ::genai::resolver::{AuthData, Endpoint as Address};
use ::genai::{Client, Headers, ModelIden, ServiceTarget};
use futures_core::stream::BoxStream;
use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};

use super::http::Endpoint;
use super::providers::Api;
use super::{Model, ModelError, ModelEvent, ModelName, ModelRequest};
use events::GenaiDecoder;
use helve_core::transcript::ReplySource;

/// A model that is spoken to through genai.
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
    dialect: GenaiProtocol,
    endpoint: Endpoint,
    streams: bool,
}

/// The protocols that are spoken through genai.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GenaiProtocol {
    Gemini,
    Ollama,
    Bedrock,
    Vertex,
}

impl GenaiProtocol {
    fn from_api(api: Api) -> Option<Self> {
        match api {
            Api::Gemini => Some(Self::Gemini),
            Api::Ollama => Some(Self::Ollama),
            Api::Bedrock => Some(Self::Bedrock),
            Api::Vertex => Some(Self::Vertex),
            _ => None,
        }
    }

    fn adapter(self) -> AdapterKind {
        match self {
            Self::Gemini => AdapterKind::Gemini,
            Self::Ollama => AdapterKind::Ollama,
            Self::Bedrock => AdapterKind::BedrockApi,
            Self::Vertex => AdapterKind::Vertex,
        }
    }

    /// The name of the protocol, as in [`ReplySource::api`].
    fn api(self) -> &'static str {
        match self {
            Self::Gemini => "google.generate_content",
            Self::Ollama => "ollama.chat",
            Self::Bedrock => "bedrock.converse",
            Self::Vertex => "vertex",
        }
    }
}

impl GenaiModel {
    /// Creates a client of a model. The key is the endpoint's header `x-goog-api-key` or `authorization`.
    ///
    /// # Errors
    /// [`ModelError::NotConfigured`] if the protocol is not spoken through genai.
    pub fn new(name: ModelName, api: Api, endpoint: Endpoint) -> Result<Self, ModelError> {
        let Some(dialect) = GenaiProtocol::from_api(api) else {
            let what = format!(
                "the protocol {api} has a native client and is not supported through genai"
            );
            return Err(ModelError::NotConfigured { what });
        };
        Ok(Self {
            name,
            dialect,
            endpoint,
            streams: true,
        })
    }

    /// Asks for whole replies, for a server that cannot stream.
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
        let base = self.endpoint.base_url();
        ServiceTarget {
            endpoint: Address::from_owned(base),
            auth: AuthData::from_single(self.key().unwrap_or_default()),
            model: ModelIden::new(self.dialect.adapter(), self.name.model()),
        }
    }

    fn key(&self) -> Option<&str> {
        let mut values = self.endpoint.header_values();
        let (_, value) = values.find(|(name, _)| is_key(name))?;
        Some(value.strip_prefix("Bearer ").unwrap_or(value))
    }

    fn options(&self, request: &ModelRequest) -> Result<ChatOptions, ModelError> {
        let own = self.endpoint.header_values();
        // Ollama's adapter sends no key of its own.
        let kept = own.filter(|(name, _)| self.dialect == GenaiProtocol::Ollama || !is_key(name));
        let headers: Vec<(String, String)> = kept
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let waits = self.endpoint.idle_limit();
        let options = request::build_options(self.dialect, &request.options)?
            .with_stream_header_timeout(waits)
            .with_stream_read_timeout(waits);
        Ok(match headers.is_empty() {
            true => options,
            false => options.with_extra_headers(Headers::from(headers)),
        })
    }

    fn events(&self) -> GenaiDecoder {
        let source = ReplySource::new(
            self.dialect.api(),
            self.endpoint.provider(),
            self.name.model(),
        );
        GenaiDecoder::new(source)
    }

    async fn send(&self, request: &ModelRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let opened = async {
            let options = self.options(request)?;
            let conversation = request::build_request(self.dialect, &self.endpoint, request)?;
            match self.streams {
                true => self.send_stream(conversation, &options).await,
                false => self.send_whole(conversation, &options).await,
            }
        };
        opened
            .await
            .unwrap_or_else(|error| stream::iter([Err(error)]).boxed())
    }

    async fn send_stream(
        &self,
        conversation: ChatRequest,
        options: &ChatOptions,
    ) -> Result<BoxStream<'_, Result<ModelEvent, ModelError>>, ModelError> {
        let client = self.client().await?;
        let answer = client.exec_chat_stream(self.target(), conversation, Some(options));
        let answer = answer
            .await
            .map_err(|error| failure::convert_error(&self.endpoint, error))?;
        let begun = Some((answer.stream, self.events()));
        let next = move |state: Option<(::genai::chat::ChatStream, GenaiDecoder)>| async move {
            let (mut stream, mut events) = state?;
            let (told, is_over) = match stream.next().await {
                Some(Ok(event)) => events.decode_event(event),
                Some(Err(error)) => (
                    vec![Err(failure::convert_error(&self.endpoint, error))],
                    true,
                ),
                None => (vec![Err(ModelError::UnexpectedEnd)], true),
            };
            let rest = (!is_over).then_some((stream, events));
            Some((stream::iter(told), rest))
        };
        Ok(stream::unfold(begun, next).flatten().boxed())
    }

    async fn send_whole(
        &self,
        conversation: ChatRequest,
        options: &ChatOptions,
    ) -> Result<BoxStream<'_, Result<ModelEvent, ModelError>>, ModelError> {
        let client = self.client().await?;
        let answer = client.exec_chat(self.target(), conversation, Some(options));
        let waits = self.endpoint.idle_limit();
        let answer = tokio::time::timeout(waits, answer).await;
        let answer = answer.map_err(|_| ModelError::TimedOut {
            provider: self.endpoint.provider().to_owned(),
            waited: waits,
        })?;
        let answer = answer.map_err(|error| failure::convert_error(&self.endpoint, error))?;
        Ok(stream::iter(self.events().decode_response(answer)).boxed())
    }
}

fn is_key(header: &str) -> bool {
    matches!(header, "x-goog-api-key" | "authorization")
}

impl Model for GenaiModel {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        self.send(request).flatten_stream().boxed()
    }

    fn name(&self) -> Option<&ModelName> {
        Some(&self.name)
    }
}
