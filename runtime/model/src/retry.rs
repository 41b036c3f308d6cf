//! Asking a model once more when it failed.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use futures_util::stream::{self, StreamExt as _};

use super::{EventStream, Model, ModelError, ModelEvent, ModelName, ModelRequest, Retry};

/// How often and how patiently a failed reply is asked for once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// How often the model is asked at most, the first time included.
    pub attempts: u32,
    /// How long is waited after the first failure, at least; it doubles with every further one, and up to as much again
    /// is added by chance, so that many that failed together do not come back together.
    pub first_wait: Duration,
    /// The longest wait before chance adds to it.
    pub max_delay: Duration,
    /// The longest wait that a provider may ask for. Where it asks for more, the model is given up at once.
    pub max_retry_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            first_wait: Duration::from_millis(500),
            max_delay: Duration::from_secs(10),
            max_retry_after: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// Creates the default: four attempts, half a second at first, and no more than a minute for a provider's own word.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how often the model is asked at most; at least once.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// Sets how long is waited after the first failure.
    #[must_use]
    pub fn initial_delay(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// Sets the longest wait.
    #[must_use]
    pub fn max_delay(mut self, wait: Duration) -> Self {
        self.max_delay = wait;
        self
    }

    /// Sets the longest wait that a provider may ask for.
    #[must_use]
    pub fn max_retry_after(mut self, wait: Duration) -> Self {
        self.max_retry_after = wait;
        self
    }

    fn backoff(&self) -> ExponentialBackoff {
        ExponentialBuilder::new()
            .with_min_delay(self.first_wait)
            .with_max_delay(self.max_delay)
            .with_max_times(self.attempts.saturating_sub(1) as usize)
            .with_jitter()
            .build()
    }
}

/// A model that is asked once more when its reply fails and may well succeed a little later
/// ([`ModelError::is_transient`]).
///
/// Before each further attempt it emits [`ModelEvent::Retry`], and what came of the reply until then is void. That
/// holds in the middle of a reply, too, with calls of tools in it: a call must not be run before its reply is complete,
/// and the agent's driver does not. A reply whose [`Stop`](ModelEvent::Stop) was given out is whole, is never asked for
/// again, and does not fail any more.
///
/// A provider that says how long to wait (`retry-after`) is not asked again before that; if that is too long, the error
/// is returned at once and says so. All waiting ends when the stream is dropped.
///
/// ```
/// use std::time::Duration;
/// use helve::model::{RetryingModel, RetryPolicy, ScriptedModel};
///
/// let policy = RetryPolicy::new().attempts(3).initial_delay(Duration::from_secs(1));
/// let model = RetryingModel::new(ScriptedModel::new().say("Hello.")).policy(policy);
/// # drop(model);
/// ```
#[derive(Debug, Clone)]
pub struct RetryingModel<M> {
    model: M,
    policy: RetryPolicy,
}

impl<M: Model> RetryingModel<M> {
    /// Wraps a model.
    pub fn new(model: M) -> Self {
        Self {
            model,
            policy: RetryPolicy::default(),
        }
    }

    /// Sets how often and how patiently.
    #[must_use]
    pub fn policy(mut self, policy: RetryPolicy) -> Self {
        self.policy = policy;
        self
    }
}

impl<M: Model> Model for RetryingModel<M> {
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> EventStream<'a> {
        let attempts = RetryStream {
            model: &self.model,
            request,
            policy: &self.policy,
            backoff: self.policy.backoff(),
            number: 1,
            state: RetryState::Waiting(Duration::ZERO),
            is_complete: false,
        };
        let next = |mut attempts: RetryStream<'a, M>| async move {
            let event = attempts.next().await?;
            Some((event, attempts))
        };
        stream::unfold(attempts, next).boxed()
    }

    fn name(&self) -> Option<&ModelName> {
        self.model.name()
    }
}

/// One reply, and all that was tried to get it.
struct RetryStream<'a, M> {
    model: &'a M,
    request: &'a ModelRequest,
    policy: &'a RetryPolicy,
    backoff: ExponentialBackoff,
    number: u32,
    state: RetryState<'a>,
    is_complete: bool,
}

enum RetryState<'a> {
    /// The model is to be asked after a while.
    Waiting(Duration),
    Streaming(EventStream<'a>),
    Done,
}

impl<M: Model> RetryStream<'_, M> {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        if let RetryState::Waiting(wait) = self.state {
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            self.state = RetryState::Streaming(self.model.reply(self.request));
        }
        let RetryState::Streaming(stream) = &mut self.state else {
            return None;
        };
        match stream.next().await {
            Some(Ok(event)) => {
                self.is_complete |= matches!(event, ModelEvent::Stop { .. });
                Some(Ok(event))
            }
            Some(Err(error)) if self.is_complete => {
                tracing::debug!(%error, "the model's reply was complete before its stream failed");
                self.finish(None)
            }
            None if self.is_complete => self.finish(None),
            Some(Err(error)) => self.handle_error(error),
            None => self.handle_error(ModelError::UnexpectedEnd),
        }
    }

    fn handle_error(&mut self, error: ModelError) -> Option<Result<ModelEvent, ModelError>> {
        if !error.is_transient() {
            return self.finish(Some(error));
        }
        let asked = error.retry_after().filter(|wait| !wait.is_zero());
        if let Some(wait) = asked
            && wait > self.policy.max_retry_after
        {
            return self.finish(Some(retry_after_too_long(error, wait, self.policy)));
        }
        // Also where the provider says how long to wait: it is this that counts the attempts.
        let Some(wait) = self.backoff.next() else {
            return self.finish(Some(error));
        };
        let wait = asked.unwrap_or(wait);
        self.number += 1;
        let retry = Retry::new(self.number, wait, error.full_message());
        tracing::warn!(
            attempt = retry.attempt,
            wait_ms = retry.wait_ms,
            error = retry.error,
            "retrying the model"
        );
        // Exactly as long as the event says.
        self.state = RetryState::Waiting(Duration::from_millis(retry.wait_ms));
        Some(Ok(ModelEvent::Retry(retry)))
    }

    fn finish(&mut self, error: Option<ModelError>) -> Option<Result<ModelEvent, ModelError>> {
        self.state = RetryState::Done;
        error.map(Err)
    }
}

/// Adds to an error why the request was not retried.
fn retry_after_too_long(error: ModelError, wait: Duration, policy: &RetryPolicy) -> ModelError {
    let ModelError::Api(mut error) = error else {
        return error;
    };
    let advice = format!(
        "it requested a retry after {} s, more than the maximum of {} s: try again later, or configure a fallback model",
        wait.as_secs(),
        policy.max_retry_after.as_secs()
    );
    error.advice = Some(match error.advice.take() {
        Some(own) => format!("{own}; {advice}"),
        None => advice,
    });
    ModelError::Api(error)
}
