//! One call of a tool, prompt or resource, from its start to its result.
//!
//! A call is a future together with the channel of its messages to the client. [`drive`] polls the future until the
//! request can be answered. The caller stores a call that is suspended or becomes a task.

mod approval;
mod drive;
mod egress;
mod execution;
mod execution_permit;
mod result;
mod suspended_holder;

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use rmcp::model::{ErrorData, JsonObject};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::client::{
    CHANNEL_CAPACITY, CallClient, ClientChannel, ClientFeatures, ClientMessage, LogFilter,
    PendingRequest, RequestContext,
};
use super::limits::Permit;
use super::response::RequestResult;
use super::session::Session;
use super::settings::Settings;
use super::tool_list::is_served;
use helve_core::transcript::{CallId, ToolCall, ToolName};

pub(super) use drive::{Outcome, RequestCx, drive};
use suspended_holder::SuspendedHolder;

/// Serializes the arguments of a request to the text that a call stores.
pub(super) fn serialize_arguments(arguments: Option<&JsonObject>) -> Result<String, ErrorData> {
    match arguments {
        None => Ok("{}".to_owned()),
        Some(arguments) => serde_json::to_string(arguments)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None)),
    }
}

/// A call that has started. Dropping the call cancels it.
pub(super) struct Call {
    pub(super) tool_call: ToolCall,
    work: BoxFuture<'static, RequestResult>,
    messages: mpsc::Receiver<ClientMessage>,
    /// The result of `work`, which is not polled again, until [`step`](Self::step) returns the result.
    result: Option<RequestResult>,
    /// The requests for input that were taken from `messages`, until [`step`](Self::step) returns the requests.
    requests: Vec<PendingRequest>,
    holder: SuspendedHolder,
    cancel_on_drop: Option<DropGuard>,
    _permit: Permit,
}

pub(super) enum Step {
    Finished(Box<RequestResult>),
    /// The call needs input, and the protocol of its channel asks for input in results.
    InputRequired(Vec<PendingRequest>),
}

impl Call {
    /// Starts a call of a tool; the tool does not run before the first [`step`](Self::step).
    ///
    /// # Errors
    ///
    /// Fails if there is no such tool, or if the client has too many calls.
    pub(super) fn start_tool(
        settings: &Arc<Settings>,
        session: &Arc<Session>,
        name: &str,
        arguments: Option<&JsonObject>,
        context: &RequestContext,
        features: ClientFeatures,
    ) -> Result<Box<Self>, ErrorData> {
        let toolset = &settings.toolset;
        let tool = toolset
            .get(name)
            .filter(|tool| is_served(&**tool))
            .ok_or_else(|| ErrorData::invalid_params(toolset.unknown(name).to_string(), None))?;
        let tool_call = ToolCall::new(
            CallId::from(context.id.to_string()),
            ToolName::new(tool.spec().name.clone()),
            serialize_arguments(arguments)?,
        );
        let key = session.next_call();
        let shown = tool_call.clone();
        let start = move |client, is_executing, cancellation| {
            let execution = execution::ToolExecution {
                settings: settings.clone(),
                session: session.clone(),
                tool,
                tool_call,
                key,
                is_executing,
                reports_progress: context.meta.get_progress_token().is_some(),
                client,
                cancellation,
            };
            execution.run().boxed()
        };
        Self::start_with_lock(settings, session, shown, context, features, start)
    }

    /// Starts work that may request input of the client, and does not use the execution lock.
    ///
    /// # Errors
    ///
    /// Fails if the client has too many calls.
    pub(super) fn start(
        settings: &Settings,
        session: &Arc<Session>,
        tool_call: ToolCall,
        context: &RequestContext,
        features: ClientFeatures,
        work: impl FnOnce(Arc<CallClient>, CancellationToken) -> BoxFuture<'static, RequestResult>,
    ) -> Result<Box<Self>, ErrorData> {
        let work = |client, _, cancellation| work(client, cancellation);
        Self::start_with_lock(settings, session, tool_call, context, features, work)
    }

    /// Starts work that sets its flag while the work holds the execution lock of the session.
    ///
    /// # Errors
    ///
    /// Fails if the client has too many calls.
    fn start_with_lock(
        settings: &Settings,
        session: &Arc<Session>,
        tool_call: ToolCall,
        context: &RequestContext,
        features: ClientFeatures,
        work: impl FnOnce(
            Arc<CallClient>,
            Arc<AtomicBool>,
            CancellationToken,
        ) -> BoxFuture<'static, RequestResult>,
    ) -> Result<Box<Self>, ErrorData> {
        let permit = session.limits.acquire_call().ok_or_else(|| {
            let message =
                "too many calls of yours are at work; wait for one to end, then try again";
            ErrorData::internal_error(message, None)
        })?;
        let (sender, messages) = mpsc::channel(CHANNEL_CAPACITY);
        let cancellation = CancellationToken::new();
        let holder = SuspendedHolder::new(session.clone());
        let client = Arc::new(CallClient {
            messages: sender,
            features,
            log: LogFilter::new(&session.log_level, context, features),
            redactor: settings.results.secret_redactor().clone(),
            awaited_inputs: holder.awaited_inputs.clone(),
        });
        Ok(Box::new(Self {
            tool_call,
            work: work(client, holder.is_executing.clone(), cancellation.clone()),
            messages,
            result: None,
            requests: Vec::new(),
            holder,
            cancel_on_drop: Some(cancellation.drop_guard()),
            _permit: permit,
        }))
    }

    /// Polls the call to its end, or to its next requests for input if the protocol of the channel asks for input in
    /// results.
    ///
    /// The step can be dropped and repeated: only a notification that was being sent is lost. No step follows the one that
    /// returned the result.
    pub(super) async fn step(&mut self, channel: &ClientChannel) -> Step {
        if self.result.is_none() && self.requests.is_empty() {
            self.advance(channel).await;
        }
        // The client receives the notifications of a call before its result and its requests for input.
        while let Ok(message) = self.messages.try_recv() {
            match message {
                ClientMessage::Notification(notification) => channel.notify(*notification).await,
                ClientMessage::Request(pending) => self.requests.push(*pending),
            }
        }
        match self.result.take() {
            Some(result) => {
                // Background work of the tool continues: only a call without a result is cancelled.
                self.cancel_on_drop.take().map(DropGuard::disarm);
                Step::Finished(Box::new(result))
            }
            None => Step::InputRequired(std::mem::take(&mut self.requests)),
        }
    }

    /// Polls the work until the call has a result, or a request for input that the channel asks for in a result.
    async fn advance(&mut self, channel: &ClientChannel) {
        let Self {
            work,
            messages,
            result,
            requests,
            holder,
            ..
        } = self;
        let mut work = poll_fn(|cx| {
            let polled = work.as_mut().poll(cx);
            holder.update(polled.is_pending() && channel.is_disconnected());
            polled
        });
        let mut sending = NotificationSlot::default();
        let mut sent_requests = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                finished = &mut work => {
                    *result = Some(finished);
                    break;
                }
                () = sending.finish(), if sending.is_occupied() => {}
                Some(message) = messages.recv(), if !sending.is_occupied() => match message {
                    ClientMessage::Notification(notification) => {
                        sending.start(channel.notify(*notification));
                    }
                    ClientMessage::Request(pending) if channel.input_in_result => {
                        requests.push(*pending);
                        break;
                    }
                    ClientMessage::Request(pending) => {
                        // Boxed: the queue reserves space for one of its futures when it is made.
                        sent_requests.push(channel.request(*pending).boxed());
                    }
                },
                Some(()) = sent_requests.next() => {}
            }
        }
        sending.finish().await;
    }
}

/// The notification that is being sent. The next one waits for it, so that notifications keep their order.
#[derive(Default)]
struct NotificationSlot<'a>(Option<BoxFuture<'a, ()>>);

impl<'a> NotificationSlot<'a> {
    fn start(&mut self, notification: BoxFuture<'a, ()>) {
        self.0 = Some(notification);
    }

    fn is_occupied(&self) -> bool {
        self.0.is_some()
    }

    async fn finish(&mut self) {
        if let Some(notification) = &mut self.0 {
            notification.await;
            self.0 = None;
        }
    }
}
