//! Models of providers: one trait with one method, from a request to a stream of events.
//!
//! [`ScriptedModel`] and [`ReplayModel`] need no provider: the first replies with the script of a test, the second
//! with a [recording](Recording). [`Recorder`] records the replies of another model, and [`FallbackModel`] combines
//! several models.

#[cfg(feature = "models")]
mod anthropic;
#[cfg(feature = "models")]
mod api;
mod assemble;
mod conversation_view;
mod dialect;
mod error;
mod estimate;
mod event;
#[cfg(feature = "tokens")]
mod exact_tokens;
mod fallback;
mod from_fn;
#[cfg(feature = "genai")]
mod genai;
#[cfg(feature = "models")]
mod http;
mod image_support;
mod known_model;
mod name;
mod note;
#[cfg(feature = "models")]
mod openai;
mod options;
mod playback;
mod price;
#[cfg(feature = "models")]
mod providers;
mod record;
mod recording;
mod replay;
mod reply_size;
mod request;
#[cfg(feature = "models")]
mod retry;
mod scripted;
mod tier;
mod tokens;

use std::sync::Arc;

use futures_core::stream::BoxStream;

#[cfg(feature = "models")]
pub use anthropic::AnthropicModel;
pub use assemble::{Assembler, Reply};
pub use conversation_view::{ConversationView, ReadsConversation};
pub use dialect::{Dialect, UnknownDialect};
pub use error::{ApiError, ApiErrorKind, ModelError};
pub use estimate::estimate_tokens;
pub use event::{ModelEvent, Retry, StopReason};
#[cfg(feature = "tokens")]
pub use exact_tokens::{ExactTokenCounter, Vocabulary};
pub use fallback::FallbackModel;
pub use from_fn::from_fn;
#[cfg(feature = "genai")]
pub use genai::GenaiModel;
#[cfg(feature = "models")]
pub use http::{Endpoint, ResponseHead};
pub use known_model::KnownModel;
pub use name::{InvalidModelName, ModelName};
pub use note::{describe_author, render_note};
#[cfg(feature = "models")]
pub use openai::{
    CallIdForm, ChatDialect, EffortField, MaxTokensField, OpenAiChatModel, OpenAiResponsesModel,
    OutputField, ResponsesDialect, ThinkingField,
};
pub use options::{Effort, ModelOptions, OutputFormat};
pub use price::{Price, Prices};
#[cfg(feature = "models")]
pub use providers::{Api, KeyOrigin, OfferedModel, Provider, ProviderStatus, Providers};
pub use record::Recorder;
pub use recording::{RECORDING_VERSION, Recording, RecordingError};
pub use replay::ReplayModel;
pub use request::{ModelRequest, OfferedTool};
#[cfg(feature = "models")]
pub use retry::{RetryPolicy, RetryingModel};
pub use scripted::ScriptedModel;
pub use tier::{ImageReader, LendsModels, LentModels, ModelTier, TierModel, TierModels};
pub use tokens::{EstimatedTokenCounter, TokenCounter};

/// A model, which replies to a request with a stream of events.
///
/// Dropping the stream cancels the reply. A successful reply ends with [`ModelEvent::Stop`]; an [`Assembler`]
/// converts it to a message. [`from_fn`] creates a model that returns whole replies.
///
/// ```
/// use futures_util::stream::{self, StreamExt as _};
/// use helve::agent::{Agent, AskError};
/// use helve::model::{Model, ModelEvent, ModelRequest, ReplyStream, StopReason};
///
/// /// Replies with one text to everything.
/// struct Echo(String);
///
/// impl Model for Echo {
///     fn reply<'a>(&'a self, _request: &'a ModelRequest) -> ReplyStream<'a> {
///         let text = ModelEvent::TextDelta { text: self.0.clone() };
///         let stop = ModelEvent::Stop { reason: StopReason::EndTurn };
///         stream::iter([Ok(text), Ok(stop)]).boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), AskError> {
/// let agent = Agent::new("main", Echo("Good morning.".into()));
/// assert_eq!(agent.ask("Hello").await?, "Good morning.");
/// # Ok(())
/// # }
/// ```
pub trait Model: Send + Sync {
    /// Sends the request and streams the reply.
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> ReplyStream<'a>;

    /// Returns the model's name, if it has one.
    fn name(&self) -> Option<&ModelName> {
        None
    }
}

/// The stream of the events of a reply.
pub type ReplyStream<'a> = BoxStream<'a, Result<ModelEvent, ModelError>>;

impl<M: Model + ?Sized> Model for Arc<M> {
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> ReplyStream<'a> {
        (**self).reply(request)
    }

    fn name(&self) -> Option<&ModelName> {
        (**self).name()
    }
}
