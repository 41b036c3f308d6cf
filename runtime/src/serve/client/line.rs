//! The way to the client while one of its requests is open.
#![expect(
    deprecated,
    reason = "sampling, roots and logging are deprecated by the protocol of 2026-07-28, and spoken before it"
)]

use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use rmcp::model::{
    CancelledNotificationParam, ClientResult, InputRequest, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProgressToken, RequestId, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, RoleServer, ServiceError};

use super::{Answer, Ask, AskError, Note, is_modern, level};

/// The way to the client while one of its requests is open; a line that leads nowhere loses what is said.
pub(crate) struct Line {
    peer: Option<Peer<RoleServer>>,
    token: Option<ProgressToken>,
    /// Whether a question has to be the answer of the request, since a server makes none of its own.
    pub(crate) asks_by_answer: bool,
    limit: Duration,
}

impl Line {
    /// Makes the line of a request; an answer of the client may take as long as `limit`.
    pub(in crate::serve) fn of(context: RequestContext<RoleServer>, limit: Duration) -> Self {
        Self {
            token: context.meta.get_progress_token(),
            asks_by_answer: is_modern(&context),
            peer: Some(context.peer),
            limit,
        }
    }

    /// Makes the line of a call that nobody waits for at the moment.
    pub(crate) fn nowhere() -> Self {
        Self {
            peer: None,
            token: None,
            asks_by_answer: true,
            limit: Duration::ZERO,
        }
    }

    /// Sends what a call says; it is lost where the client is gone.
    // Most calls say nothing, and should not have to keep room for it.
    pub(in crate::serve) fn tell(&self, note: Note) -> BoxFuture<'_, ()> {
        let told = async move {
            let Some(peer) = &self.peer else { return };
            let sent = match note {
                Note::Progress {
                    progress,
                    total,
                    message,
                } => {
                    let Some(token) = &self.token else { return };
                    let mut told = ProgressNotificationParam::new(token.clone(), progress);
                    (told.total, told.message) = (total, message);
                    peer.notify_progress(told).await
                }
                Note::Log {
                    level,
                    logger,
                    data,
                } => log(peer, level, logger, data).await,
            };
            if let Err(error) = sent {
                tracing::debug!(%error, "a notification did not reach the client");
            }
        };
        told.boxed()
    }

    /// Asks the client, and hands the answer to the call.
    pub(in crate::serve) async fn ask(&self, ask: Ask) {
        let answer = match &self.peer {
            Some(peer) => asked(peer, ask.request.clone(), self.limit).await,
            None => Err(AskError::Gone),
        };
        ask.answer(answer);
    }
}

async fn log(
    peer: &Peer<RoleServer>,
    level: crate::capability::LogLevel,
    logger: Option<String>,
    data: serde_json::Value,
) -> Result<(), ServiceError> {
    let mut told = LoggingMessageNotificationParam::new(level::to_rmcp(level), data);
    told.logger = logger;
    peer.notify_logging_message(told).await
}

async fn asked(
    peer: &Peer<RoleServer>,
    request: InputRequest,
    limit: Duration,
) -> Result<Answer, AskError> {
    let request = match request {
        InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
        InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
        InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
        _ => {
            return Err(AskError::Malformed(
                "nobody knows what was asked".to_owned(),
            ));
        }
    };
    let options = PeerRequestOptions::with_timeout(limit);
    let sent = peer.send_request_with_option(request, options).await;
    let handle = sent.map_err(failed)?;
    let mut question = Question {
        peer: peer.clone(),
        id: Some(handle.id.clone()),
    };
    let answer = handle.await_response().await;
    question.id = None;
    match answer.map_err(failed)? {
        ClientResult::ElicitResult(result) => Ok(Answer::Elicited(result)),
        ClientResult::CreateMessageResult(result) => Ok(Answer::Sampled(result)),
        ClientResult::ListRootsResult(result) => Ok(Answer::Roots(result)),
        _ => Err(AskError::Malformed("it answers another one".to_owned())),
    }
}

fn failed(error: ServiceError) -> AskError {
    match error {
        ServiceError::McpError(error) => AskError::Refused(error.message.into_owned()),
        ServiceError::Timeout { .. } => AskError::TimedOut,
        ServiceError::UnexpectedResponse => AskError::Malformed("it is of another kind".to_owned()),
        _ => AskError::Gone,
    }
}

/// A question that is out; where nobody waits for its answer any more, the client is told so.
struct Question {
    peer: Peer<RoleServer>,
    id: Option<RequestId>,
}

impl Drop for Question {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let reason = Some("the call that asked has ended".to_owned());
                let withdrawn = CancelledNotificationParam::new(Some(id), reason);
                // A client that is gone needs not be told.
                let _ = peer.notify_cancelled(withdrawn).await;
            });
        }
    }
}
