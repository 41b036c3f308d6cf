//! A model with fallbacks: if a model fails, the next one is asked.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use tokio::time::Instant;

use super::{
    ApiErrorKind, Model, ModelError, ModelEvent, ModelName, ModelRequest, ReplyStream, Retry,
};
use helve_core::support::lock::Mutex;

/// The default of how long a failed model is tried last.
const DEFAULT_COOLDOWN: Duration = Duration::from_secs(60);

/// Several models in order: if one fails, the next one is asked.
///
/// The next model is asked if a model is unavailable: its key is rejected, the provider does not have the model, the
/// quota is used up, the provider is overloaded, or the connection fails. Wrap each model in
/// [`Retrying`](super::RetryingModel), so that only lasting errors lead to a fallback. An invalid or too long request
/// is not sent to another model: the next provider would reject it as well, or hide the mistake.
///
/// Each fallback emits [`ModelEvent::Retry`] with the name of the next model, and the reply's
/// [`source`](helve_core::transcript::AssistantMessage::source) names the model that replied. A model that failed is
/// tried last for a minute, so that not every call waits for it again. If all models fail, the error of the last one
/// is returned.
///
/// ```
/// use std::sync::Arc;
/// use futures_util::TryStreamExt as _;
/// use helve::model::{FallbackModel, Model, ModelEvent, ModelRequest, ScriptedModel};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::model::ModelError> {
/// let first = ScriptedModel::new().fail("out of order");
/// let second = ScriptedModel::new().say("Hello.");
/// let model = FallbackModel::new([Arc::new(first) as Arc<dyn Model>, Arc::new(second)]);
/// let events: Vec<_> = model.reply(&ModelRequest::default()).try_collect().await?;
/// assert!(matches!(&events[0], ModelEvent::Retry(retry) if retry.error.contains("out of order")));
/// assert_eq!(events[1], ModelEvent::TextDelta { text: "Hello.".into() });
/// # Ok(())
/// # }
/// ```
pub struct FallbackModel {
    models: Vec<Arc<dyn Model>>,
    cooldown: Duration,
    /// The time until which each model is tried last.
    cooldowns: Mutex<Vec<Option<Instant>>>,
}

impl FallbackModel {
    /// Creates a model from several models, the preferred one first.
    pub fn new(models: impl IntoIterator<Item = Arc<dyn Model>>) -> Self {
        let models: Vec<_> = models.into_iter().collect();
        Self {
            cooldowns: Mutex::new(vec![None; models.len()]),
            cooldown: DEFAULT_COOLDOWN,
            models,
        }
    }

    /// Sets how long a failed model is tried last. The default is one minute.
    #[must_use]
    pub fn cooldown(mut self, rest: Duration) -> Self {
        self.cooldown = rest;
        self
    }

    /// Returns the indexes of the models in the order in which they are asked now.
    fn order(&self) -> VecDeque<usize> {
        let now = Instant::now();
        let resting = self.cooldowns.lock();
        let rests = |index: &usize| resting[*index].is_some_and(|until| now < until);
        let (last, first): (Vec<_>, Vec<_>) = (0..self.models.len()).partition(rests);
        first.into_iter().chain(last).collect()
    }

    fn set_cooldown(&self, model: usize, until: Option<Instant>) {
        self.cooldowns.lock()[model] = until;
    }

    fn model_name(&self, model: usize) -> String {
        let name = self.models[model].name();
        name.map_or_else(|| format!("model {}", model + 1), ToString::to_string)
    }
}

impl fmt::Debug for FallbackModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = (0..self.models.len()).map(|model| self.model_name(model));
        f.debug_tuple("Fallback")
            .field(&names.collect::<Vec<_>>())
            .finish()
    }
}

impl Model for FallbackModel {
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> ReplyStream<'a> {
        if self.models.is_empty() {
            let error = ModelError::not_configured("no model is configured");
            return stream::iter([Err(error)]).boxed();
        }
        let asking = FallbackStream {
            fallback: self,
            request,
            order: self.order(),
            stream: None,
            attempt: 1,
            is_complete: false,
        };
        let next = |mut asking: FallbackStream<'a>| async move {
            let event = asking.next().await?;
            Some((event, asking))
        };
        stream::unfold(asking, next).boxed()
    }

    fn name(&self) -> Option<&ModelName> {
        self.models.first()?.name()
    }
}

/// One reply, with the models that were asked for it.
struct FallbackStream<'a> {
    fallback: &'a FallbackModel,
    request: &'a ModelRequest,
    /// The remaining models; the current one comes first.
    order: VecDeque<usize>,
    stream: Option<ReplyStream<'a>>,
    attempt: u32,
    is_complete: bool,
}

impl FallbackStream<'_> {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        let model = *self.order.front()?;
        let (fallback, request) = (self.fallback, self.request);
        let stream = self
            .stream
            .get_or_insert_with(|| fallback.models[model].reply(request));
        match stream.next().await {
            Some(Ok(event)) => Some(Ok(self.forward_event(model, event))),
            end if self.is_complete => {
                if let Some(Err(error)) = end {
                    tracing::debug!(%error, "the model's reply was complete before its stream failed");
                }
                self.clear();
                None
            }
            Some(Err(error)) => Some(self.handle_error(model, error)),
            None => Some(self.handle_error(model, ModelError::UnexpectedEnd)),
        }
    }

    fn forward_event(&mut self, model: usize, event: ModelEvent) -> ModelEvent {
        match event {
            // Attempts are numbered over all models.
            ModelEvent::Retry(mut retry) => {
                self.attempt += 1;
                retry.attempt = self.attempt;
                ModelEvent::Retry(retry)
            }
            ModelEvent::Stop { .. } => {
                self.is_complete = true;
                self.fallback.set_cooldown(model, None);
                event
            }
            event => event,
        }
    }

    fn handle_error(&mut self, model: usize, error: ModelError) -> Result<ModelEvent, ModelError> {
        if !allows_fallback(&error) {
            self.clear();
            return Err(error);
        }
        let until = Instant::now().checked_add(self.fallback.cooldown);
        self.fallback.set_cooldown(model, until);
        self.stream = None;
        self.order.pop_front();
        let Some(&next) = self.order.front() else {
            self.clear();
            return Err(error);
        };
        self.attempt += 1;
        let (name, text) = (self.fallback.model_name(next), error.full_message());
        tracing::warn!(
            fallback = name,
            error = text,
            "falling back to another model"
        );
        let retry = Retry::new(self.attempt, Duration::ZERO, text).with_fallback(name);
        Ok(ModelEvent::Retry(retry))
    }

    fn clear(&mut self) {
        self.order.clear();
        self.stream = None;
    }
}

/// Reports whether another model may succeed after this error.
fn allows_fallback(error: &ModelError) -> bool {
    match error {
        ModelError::Api(error) => !matches!(
            error.kind,
            ApiErrorKind::InvalidRequest | ApiErrorKind::ContextTooLong
        ),
        // The script of a test or a recording has ended.
        ModelError::ScriptEnded { .. } => false,
        _ => true,
    }
}
