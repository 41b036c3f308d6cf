//! Retries of failed replies.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use futures_util::stream::{self, StreamExt as _};

use super::{Model, ModelError, ModelEvent, ModelName, ModelRequest, ReplyStream, Retry};

/// The number and the delays of retries.
///
/// ```
/// use std::time::Duration;
/// use helve::model::RetryPolicy;
///
/// let policy = RetryPolicy::new().attempts(6).initial_delay(Duration::from_secs(1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// The greatest number of attempts, including the first one.
    pub attempts: u32,
    /// The least delay after the first failure. The delay doubles with each further failure, and random jitter of up
    /// to the same length is added, so that clients that failed together do not retry together.
    pub first_wait: Duration,
    /// The greatest delay without jitter.
    pub max_delay: Duration,
    /// The greatest delay that a provider may request. If a provider requests more, the error is returned at once.
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
    /// Creates the default policy: four attempts, a first delay of half a second, and at most a minute of delay
    /// requested by a provider.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the greatest number of attempts, which is at least one.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// Sets the delay after the first failure.
    #[must_use]
    pub fn initial_delay(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// Sets the greatest delay.
    #[must_use]
    pub fn max_delay(mut self, wait: Duration) -> Self {
        self.max_delay = wait;
        self
    }

    /// Sets the greatest delay that a provider may request.
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

/// A model that retries a failed reply if the error is transient ([`ModelError::is_transient`]).
///
/// Before each further attempt the model emits [`ModelEvent::Retry`], which makes all events of the reply so far
/// void. This may happen in the middle of a reply, also after tool calls: a call must not be run before its reply is
/// complete, and the agent's driver observes this. A reply whose [`Stop`](ModelEvent::Stop) was emitted is complete:
/// it is not retried, and does not fail any more.
///
/// If a provider requests a delay (`retry-after`), it is observed; if the delay is too long, the error is returned at
/// once, with the reason. Dropping the stream ends all delays.
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

    /// Sets the retry policy.
    #[must_use]
    pub fn policy(mut self, policy: RetryPolicy) -> Self {
        self.policy = policy;
        self
    }
}

impl<M: Model> Model for RetryingModel<M> {
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> ReplyStream<'a> {
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

/// One reply, with its attempts.
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
    /// The next attempt follows after a delay.
    Waiting(Duration),
    Streaming(ReplyStream<'a>),
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
        // The backoff also advances if the provider requests a delay, because it counts the attempts.
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
        // Exactly the delay in the event.
        self.state = RetryState::Waiting(Duration::from_millis(retry.wait_ms));
        Some(Ok(ModelEvent::Retry(retry)))
    }

    fn finish(&mut self, error: Option<ModelError>) -> Option<Result<ModelEvent, ModelError>> {
        self.state = RetryState::Done;
        error.map(Err)
    }
}

/// Adds the reason why the request was not retried to an error.
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
