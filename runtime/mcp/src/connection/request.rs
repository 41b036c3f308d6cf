//! One request: its deadlines, its cancellation, and the input that the server requires before its response.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CancelledNotificationParam, ClientRequest, ErrorData, GetExtensions as _, InputRequest,
    InputRequiredResult, InputResponses, RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, ServiceError};
use serde_json::Value;
use tokio::time::Instant;

use super::calls::ActiveRequest;
use super::live::LiveConnection;
use super::{CallError, Operation};
use crate::ServerName;
use crate::transport::Failure;
use helve_core::tool::ToolContext;

/// The number of times that a server may require input before its response.
const ROUNDS: usize = 10;

#[derive(Debug)]
pub(super) struct OutboundRequest<'a> {
    pub(super) server: &'a ServerName,
    /// The operation, for error messages.
    pub(super) what: Operation,
    pub(super) cx: Option<&'a ToolContext>,
    /// The time limit of the whole request.
    pub(super) limit: Duration,
    /// How long the server may be silent.
    pub(super) stall: Option<Duration>,
    until: Instant,
}

/// The fields that are added to a request when it is sent again with the required input.
#[derive(Debug, Default)]
pub(super) struct InputRound {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
}

impl<'a> OutboundRequest<'a> {
    pub(super) fn new(
        server: &'a ServerName,
        what: Operation,
        cx: Option<&'a ToolContext>,
        limit: Duration,
    ) -> Self {
        Self {
            server,
            what,
            cx,
            limit,
            stall: None,
            until: Instant::now() + limit,
        }
    }

    pub(super) fn with_stall(mut self, stall: Duration) -> Self {
        self.stall = Some(stall);
        self
    }

    pub(super) fn unusable(&self, reason: impl Into<String>) -> CallError {
        CallError::unusable(self.server, &self.what, reason)
    }

    fn cancelled(&self) -> CallError {
        CallError::Cancelled {
            server: self.server.clone(),
            what: self.what.clone(),
        }
    }

    /// Sends the request, and sends it again with each required input, until the server responds.
    pub(super) async fn send_with_input(
        &self,
        live: &LiveConnection,
        mut make: impl FnMut(InputRound) -> ClientRequest,
    ) -> Result<ServerResult, CallError> {
        let mut again = InputRound::default();
        for round in 0..ROUNDS {
            let active = ActiveRequest::new(self.cx.cloned());
            match self.once(live, &active, make(again)).await? {
                ServerResult::InputRequiredResult(required) => {
                    let answered = self.answer(live, &active, required, round);
                    again = tokio::time::timeout_at(self.until, answered)
                        .await
                        .map_err(|_| self.timed_out())??;
                }
                other => return Ok(other),
            }
        }
        Err(self.unusable(format!("it asked for more input {ROUNDS} times over")))
    }

    pub(super) async fn once(
        &self,
        live: &LiveConnection,
        active: &Arc<ActiveRequest>,
        mut request: ClientRequest,
    ) -> Result<ServerResult, CallError> {
        let Some(_in_flight) = live.begin_request() else {
            return Err(self.broke_off(live, active).await);
        };
        let _over = active.over.clone().drop_guard();
        request.extensions_mut().insert(active.mark());
        let options = PeerRequestOptions::no_options();
        let sending = live.peer.send_cancellable_request(request, options);
        let mut handle = tokio::select! {
            biased;
            () = self.caller_gives_up() => return Err(self.cancelled()),
            () = tokio::time::sleep_until(self.until) => return Err(self.timed_out()),
            handle = sending => match handle {
                Ok(handle) => handle,
                Err(error) => return Err(self.failed(live, active, error).await),
            },
        };
        let mut abandoned = Abandoned::new(&handle);
        let answer = self.wait(active, &mut handle).await;
        if let Err(error) = answer {
            // Dropping the guard cancels the request on the server.
            return Err(error);
        }
        abandoned.id = None;
        drop(abandoned);
        match answer? {
            Some(Ok(result)) => Ok(result),
            Some(Err(error)) => Err(self.failed(live, active, error).await),
            None => Err(self.broke_off(live, active).await),
        }
    }

    /// Waits for the response. Returns `None` if the connection ends without a response, and an error if the request
    /// is abandoned.
    async fn wait(
        &self,
        active: &ActiveRequest,
        handle: &mut RequestHandle<RoleClient>,
    ) -> Result<Option<Result<ServerResult, ServiceError>>, CallError> {
        let stall = self.stall.unwrap_or(self.limit);
        let mut silent_until = Instant::now() + stall;
        loop {
            tokio::select! {
                biased;
                answer = &mut handle.rx => return Ok(answer.ok()),
                () = self.caller_gives_up() => return Err(self.cancelled()),
                () = active.word.notified() => silent_until = Instant::now() + stall,
                () = tokio::time::sleep_until(self.until) => return Err(self.timed_out()),
                () = tokio::time::sleep_until(silent_until), if self.stall.is_some() => {
                    if !active.is_asked() {
                        return Err(CallError::Stalled {
                            server: self.server.clone(),
                            what: self.what.clone(),
                            waited: stall,
                        });
                    }
                    // The server waits for this client, so that its silence does not count as a stall.
                    silent_until = Instant::now() + stall;
                }
            }
        }
    }

    async fn caller_gives_up(&self) {
        match self.cx {
            Some(cx) => cx.cancellation().cancelled().await,
            None => std::future::pending().await,
        }
    }

    fn timed_out(&self) -> CallError {
        CallError::TimedOut {
            server: self.server.clone(),
            what: self.what.clone(),
            waited: self.limit,
        }
    }

    async fn failed(
        &self,
        live: &LiveConnection,
        active: &ActiveRequest,
        error: ServiceError,
    ) -> CallError {
        let (server, what) = (self.server.clone(), self.what.clone());
        match error {
            ServiceError::McpError(error) => CallError::refused(&server, &what, &error),
            ServiceError::TransportSend(error) => match Failure::from_source(&error) {
                Failure::Unauthorized(reason) => CallError::Unauthorized {
                    server,
                    what,
                    reason,
                },
                Failure::Unreachable(reason) | Failure::SessionLost(reason) => {
                    live.useless.cancel();
                    CallError::NotSent {
                        server,
                        what,
                        reason,
                    }
                }
                Failure::Broken(_) if live.has_ended() => self.broke_off(live, active).await,
                Failure::Broken(reason) => CallError::lost(&server, &what, reason),
            },
            ServiceError::TransportClosed if live.has_ended() => self.broke_off(live, active).await,
            // Only the stream of this response has ended, and not the connection.
            ServiceError::TransportClosed => {
                let how = live.fault.take_cause();
                let how = how.unwrap_or_else(|| "its answer broke off".to_owned());
                CallError::lost(&server, &what, how)
            }
            other => self.unusable(other.to_string()),
        }
    }

    /// Returns how the server ended, once that is known.
    async fn broke_off(&self, live: &LiveConnection, active: &ActiveRequest) -> CallError {
        let how = match live.ended().await {
            Some(super::ConnectError::Ended { how, .. }) => how,
            Some(closed @ super::ConnectError::Closed { .. }) => return closed.into(),
            Some(other) => other.to_string(),
            None => live.fault.how(),
        };
        if active.was_sent() {
            return CallError::lost(self.server, &self.what, how);
        }
        CallError::NotSent {
            server: self.server.clone(),
            what: self.what.clone(),
            reason: how,
        }
    }

    /// Collects the input that the server requires.
    async fn answer(
        &self,
        live: &LiveConnection,
        active: &Arc<ActiveRequest>,
        required: InputRequiredResult,
        round: usize,
    ) -> Result<InputRound, CallError> {
        let requests = required.input_requests.unwrap_or_default();
        if requests.is_empty() {
            if required.request_state.is_none() {
                return Err(self.unusable("it wants input and does not say which"));
            }
            // The server requires no input, only that the request is sent again.
            tokio::time::sleep(Duration::from_millis(100) * (1 << round.min(5))).await;
        }
        // The request has ended, and the call has not.
        let asking = ActiveRequest::new(active.cx.clone());
        let mut responses = InputResponses::new();
        for (key, request) in requests {
            let answer = live.answer(&asking, request);
            let answer = tokio::select! {
                biased;
                () = self.caller_gives_up() => return Err(self.cancelled()),
                answer = answer => answer,
            };
            let answer = answer.map_err(|error| {
                self.unusable(format!("its question was refused: {}", error.message))
            })?;
            responses.insert(key, answer);
        }
        Ok(InputRound {
            responses: (!responses.is_empty()).then_some(responses),
            state: required.request_state,
        })
    }
}

impl LiveConnection {
    async fn answer(
        &self,
        active: &Arc<ActiveRequest>,
        request: InputRequest,
    ) -> Result<Value, ErrorData> {
        let internal =
            |error: serde_json::Error| ErrorData::internal_error(error.to_string(), None);
        match request {
            InputRequest::Elicitation(request) => {
                let answer = self.answers.elicit(Some(active), request.params).await;
                serde_json::to_value(answer).map_err(internal)
            }
            InputRequest::CreateMessage(request) => {
                let answer = self.answers.sample(Some(active), request.params).await?;
                serde_json::to_value(answer).map_err(internal)
            }
            InputRequest::ListRoots(_) => {
                serde_json::to_value(self.answers.roots(Some(active)).await).map_err(internal)
            }
            _ => Err(ErrorData::invalid_params("no such question is known", None)),
        }
    }
}

/// Cancels a request on the server when it is dropped, because its caller stopped waiting.
struct Abandoned {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Abandoned {
    fn new(handle: &RequestHandle<RoleClient>) -> Self {
        Self {
            peer: handle.peer.clone(),
            id: Some(handle.id.clone()),
        }
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let told = CancelledNotificationParam::new(
                Some(id),
                Some("the caller stopped waiting".to_owned()),
            );
            // The connection may be closed already.
            let _ = peer.notify_cancelled(told).await;
        });
    }
}
