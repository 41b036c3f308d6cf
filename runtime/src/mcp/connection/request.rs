//! One request, from its start to its answer: its deadlines, its cancellation, and the questions that come between.

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

use super::calls::UnderWay;
use super::live::Live;
use super::{Asked, CallError};
use crate::mcp::ServerName;
use crate::mcp::transport::Failure;
use crate::tool::ToolContext;

/// How often a server may ask for more input before its answer.
const ROUNDS: usize = 10;

/// What is asked, by whom, and until when.
#[derive(Debug)]
pub(super) struct Ask<'a> {
    pub(super) server: &'a ServerName,
    /// In words, for errors.
    pub(super) what: Asked,
    pub(super) cx: Option<&'a ToolContext>,
    /// How long all of it may take.
    pub(super) limit: Duration,
    /// How long the server may say nothing.
    pub(super) stall: Option<Duration>,
    until: Instant,
}

/// What is added to a request that is sent again with what the server wanted to know.
#[derive(Debug, Default)]
pub(super) struct Again {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
}

impl<'a> Ask<'a> {
    pub(super) fn new(
        server: &'a ServerName,
        what: Asked,
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

    /// Makes the request, and makes it again with what the server wants to know, until it answers.
    pub(super) async fn converse(
        &self,
        live: &Live,
        mut make: impl FnMut(Again) -> ClientRequest,
    ) -> Result<ServerResult, CallError> {
        let mut again = Again::default();
        for round in 0..ROUNDS {
            let under_way = UnderWay::new(self.cx.cloned());
            match self.once(live, &under_way, make(again)).await? {
                ServerResult::InputRequiredResult(required) => {
                    let answered = self.answer(live, &under_way, required, round);
                    again = tokio::time::timeout_at(self.until, answered)
                        .await
                        .map_err(|_| self.timed_out())??;
                }
                other => return Ok(other),
            }
        }
        Err(self.unusable(format!("it asked for more input {ROUNDS} times over")))
    }

    /// Makes the request once.
    pub(super) async fn once(
        &self,
        live: &Live,
        under_way: &Arc<UnderWay>,
        mut request: ClientRequest,
    ) -> Result<ServerResult, CallError> {
        let Some(_in_flight) = live.begin_request() else {
            return Err(self.broke_off(live, under_way).await);
        };
        let _over = under_way.over.clone().drop_guard();
        request.extensions_mut().insert(under_way.mark());
        let options = PeerRequestOptions::no_options();
        let sending = live.peer.send_cancellable_request(request, options);
        let mut handle = tokio::select! {
            biased;
            () = self.caller_gives_up() => return Err(self.cancelled()),
            () = tokio::time::sleep_until(self.until) => return Err(self.timed_out()),
            handle = sending => match handle {
                Ok(handle) => handle,
                Err(error) => return Err(self.failed(live, under_way, error).await),
            },
        };
        let mut abandoned = Abandoned::new(&handle);
        let answer = self.wait(under_way, &mut handle).await;
        if let Err(error) = answer {
            // Dropping the guard tells the server.
            return Err(error);
        }
        abandoned.id = None;
        drop(abandoned);
        match answer? {
            Some(Ok(result)) => Ok(result),
            Some(Err(error)) => Err(self.failed(live, under_way, error).await),
            None => Err(self.broke_off(live, under_way).await),
        }
    }

    /// Waits for the answer; `None` says that there will be none. An error says that nobody waits any longer.
    async fn wait(
        &self,
        under_way: &UnderWay,
        handle: &mut RequestHandle<RoleClient>,
    ) -> Result<Option<Result<ServerResult, ServiceError>>, CallError> {
        let stall = self.stall.unwrap_or(self.limit);
        let mut silent_until = Instant::now() + stall;
        loop {
            tokio::select! {
                biased;
                answer = &mut handle.rx => return Ok(answer.ok()),
                () = self.caller_gives_up() => return Err(self.cancelled()),
                () = under_way.word.notified() => silent_until = Instant::now() + stall,
                () = tokio::time::sleep_until(self.until) => return Err(self.timed_out()),
                () = tokio::time::sleep_until(silent_until), if self.stall.is_some() => {
                    if !under_way.is_asked() {
                        return Err(CallError::Stalled {
                            server: self.server.clone(),
                            what: self.what.clone(),
                            waited: stall,
                        });
                    }
                    // It is the server that waits.
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

    /// Says what an error of the library means.
    async fn failed(&self, live: &Live, under_way: &UnderWay, error: ServiceError) -> CallError {
        let (server, what) = (self.server.clone(), self.what.clone());
        match error {
            ServiceError::McpError(error) => CallError::refused(&server, &what, &error),
            ServiceError::TransportSend(error) => match Failure::of(&error) {
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
                Failure::Broken(_) if live.has_ended() => self.broke_off(live, under_way).await,
                Failure::Broken(reason) => CallError::lost(&server, &what, reason),
            },
            ServiceError::TransportClosed if live.has_ended() => {
                self.broke_off(live, under_way).await
            }
            // The stream of this one answer ended, and nothing else.
            ServiceError::TransportClosed => {
                let how = live.fault.take_cause();
                let how = how.unwrap_or_else(|| "its answer broke off".to_owned());
                CallError::lost(&server, &what, how)
            }
            other => self.unusable(other.to_string()),
        }
    }

    /// Says how the server ended, once that is known.
    async fn broke_off(&self, live: &Live, under_way: &UnderWay) -> CallError {
        let how = match live.ended().await {
            Some(super::ConnectError::Ended { how, .. }) => how,
            Some(closed @ super::ConnectError::Closed { .. }) => return closed.into(),
            Some(other) => other.to_string(),
            None => live.fault.how(),
        };
        if under_way.was_sent() {
            return CallError::lost(self.server, &self.what, how);
        }
        CallError::NotSent {
            server: self.server.clone(),
            what: self.what.clone(),
            reason: how,
        }
    }

    /// Answers what the server wants to know before it goes on.
    async fn answer(
        &self,
        live: &Live,
        under_way: &Arc<UnderWay>,
        required: InputRequiredResult,
        round: usize,
    ) -> Result<Again, CallError> {
        let requests = required.input_requests.unwrap_or_default();
        if requests.is_empty() {
            if required.request_state.is_none() {
                return Err(self.unusable("it wants input and does not say which"));
            }
            // It only wants to be asked again.
            tokio::time::sleep(Duration::from_millis(100) * (1 << round.min(5))).await;
        }
        // The request is over, and the call is not.
        let asking = UnderWay::new(under_way.cx.clone());
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
        Ok(Again {
            responses: (!responses.is_empty()).then_some(responses),
            state: required.request_state,
        })
    }
}

impl Live {
    async fn answer(
        &self,
        under_way: &Arc<UnderWay>,
        request: InputRequest,
    ) -> Result<Value, ErrorData> {
        let internal =
            |error: serde_json::Error| ErrorData::internal_error(error.to_string(), None);
        match request {
            InputRequest::Elicitation(request) => {
                let answer = self.answers.elicit(Some(under_way), request.params).await;
                serde_json::to_value(answer).map_err(internal)
            }
            InputRequest::CreateMessage(request) => {
                let answer = self.answers.sample(Some(under_way), request.params).await?;
                serde_json::to_value(answer).map_err(internal)
            }
            InputRequest::ListRoots(_) => {
                serde_json::to_value(self.answers.roots(Some(under_way)).await).map_err(internal)
            }
            _ => Err(ErrorData::invalid_params("no such question is known", None)),
        }
    }
}

/// Tells the server about a request whose caller stopped waiting for it, when dropped.
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
            // There may be nobody left to be told.
            let _ = peer.notify_cancelled(told).await;
        });
    }
}
