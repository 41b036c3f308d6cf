//! The backend of `cx.client()` in a served call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::{BoxFuture, FutureExt as _};
use rmcp::model::InputRequest;
use serde_json::Value;
use tokio::sync::mpsc;

use super::convert;
use super::features::ClientFeatures;
use super::log_level::LogFilter;
use super::message::{ClientMessage, Notification};
use super::pending_request::{InputError, InputResult, PendingRequest};
use super::undeclared::UndeclaredCapability;
use helve_core::capability::{
    BackendError, ClientBackend, Elicitation, ElicitationRequest, ElicitationResult, LogLevel,
    Root, SamplingRequest, SamplingResult,
};
use helve_results::Redactor;

pub(crate) struct CallClient {
    pub(crate) messages: mpsc::Sender<ClientMessage>,
    pub(crate) features: ClientFeatures,
    pub(crate) log: LogFilter,
    pub(crate) redactor: Redactor,
    /// The number of requests for input whose results the call waits for.
    pub(crate) awaited_inputs: Arc<AtomicUsize>,
}

/// Counts a request for input until it is dropped.
struct AwaitedInput<'a>(&'a AtomicUsize);

impl<'a> AwaitedInput<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for AwaitedInput<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl CallClient {
    /// Sends a request for input, and waits for its result.
    async fn request(
        &self,
        request: InputRequest,
        key: Option<String>,
    ) -> Result<InputResult, InputError> {
        let _awaited = AwaitedInput::new(&self.awaited_inputs);
        let (pending, result) = PendingRequest::new(request, key);
        let message = ClientMessage::Request(Box::new(pending));
        let sent = self.messages.send(message).await;
        sent.map_err(|_| InputError::Disconnected)?;
        result.await.unwrap_or(Err(InputError::Disconnected))
    }
}

impl ClientBackend for CallClient {
    fn elicit<'a>(
        &'a self,
        elicitation: &'a Elicitation,
    ) -> BoxFuture<'a, Result<ElicitationResult, BackendError>> {
        async move {
            let is_supported = match elicitation.request {
                ElicitationRequest::Form { .. } => self.features.form,
                ElicitationRequest::Url { .. } => self.features.url,
            };
            if !is_supported {
                return Err(UndeclaredCapability::elicitation(elicitation).into());
            }
            let request = convert::elicitation_request(elicitation)?;
            match self.request(request, elicitation.key.clone()).await? {
                InputResult::Elicitation(result) => {
                    convert::elicitation_result(elicitation, result)
                }
                _ => Err(InputError::mismatched().into()),
            }
        }
        .boxed()
    }

    fn sample<'a>(
        &'a self,
        sampling: &'a SamplingRequest,
    ) -> BoxFuture<'a, Result<SamplingResult, BackendError>> {
        async move {
            if !self.features.sampling {
                return Err(UndeclaredCapability::sampling().into());
            }
            let request = convert::sampling_request(sampling)?;
            match self.request(request, None).await? {
                InputResult::Sampling(result) => convert::sampling_result(*result),
                _ => Err(InputError::mismatched().into()),
            }
        }
        .boxed()
    }

    fn roots(&self) -> BoxFuture<'_, Result<Vec<Root>, BackendError>> {
        async move {
            if !self.features.roots {
                return Err(UndeclaredCapability::roots().into());
            }
            match self.request(convert::roots_request(), None).await? {
                InputResult::Roots(result) => Ok(convert::roots_result(result)),
                _ => Err(InputError::mismatched().into()),
            }
        }
        .boxed()
    }

    fn log(&self, level: LogLevel, logger: Option<&str>, data: &Value) {
        if !self.log.includes(level) {
            return;
        }
        let text = data.to_string();
        let redacted = self.redactor.redact_json_text(&text);
        let notification = Notification::Log {
            level,
            logger: logger.map(str::to_owned),
            data: serde_json::from_str(&redacted).unwrap_or_else(|_| Value::from(&*redacted)),
        };
        // The message is dropped if the client reads too slowly: a call must not wait for its log.
        let message = ClientMessage::Notification(Box::new(notification));
        let _ = self.messages.try_send(message);
    }
}

impl std::fmt::Debug for CallClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallClient")
            .field("features", &self.features)
            .finish_non_exhaustive()
    }
}
