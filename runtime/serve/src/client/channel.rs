//! The channel to the client while one of its requests is open.
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
use rmcp::service::{Peer, PeerRequestOptions, RoleServer, ServiceError};

use super::features::ClientFeatures;
use super::log_level;
use super::message::Notification;
use super::pending_request::{InputError, InputResult, PendingRequest};

pub(crate) struct ClientChannel {
    /// The connection; `None` drops all notifications.
    peer: Option<Peer<RoleServer>>,
    progress_token: Option<ProgressToken>,
    /// Whether requests for input are part of the result, because the protocol has no requests of the server.
    pub(crate) input_in_result: bool,
    input_timeout: Duration,
}

impl ClientChannel {
    /// Returns the channel of a request; the client may take `input_timeout` to answer a request for input.
    pub(crate) fn new(
        peer: Peer<RoleServer>,
        progress_token: Option<ProgressToken>,
        features: ClientFeatures,
        input_timeout: Duration,
    ) -> Self {
        Self {
            peer: Some(peer),
            progress_token,
            input_in_result: features.is_modern,
            input_timeout,
        }
    }

    /// Returns the channel of a call that no request waits for at the moment.
    pub(crate) fn disconnected() -> Self {
        Self {
            peer: None,
            progress_token: None,
            input_in_result: true,
            input_timeout: Duration::ZERO,
        }
    }

    pub(crate) fn is_disconnected(&self) -> bool {
        self.peer.is_none()
    }

    /// Sends a notification; the notification is lost if the connection is closed.
    // Boxed: most calls send no notification, and their futures need not reserve space for it.
    pub(crate) fn notify(&self, notification: Notification) -> BoxFuture<'_, ()> {
        let sending = async move {
            let Some(peer) = &self.peer else { return };
            let sent = match notification {
                Notification::Progress {
                    progress,
                    total,
                    message,
                } => {
                    let Some(token) = &self.progress_token else {
                        return;
                    };
                    let mut param = ProgressNotificationParam::new(token.clone(), progress);
                    (param.total, param.message) = (total, message);
                    peer.notify_progress(param).await
                }
                Notification::Log {
                    level,
                    logger,
                    data,
                } => {
                    let level = log_level::to_rmcp(level);
                    let mut param = LoggingMessageNotificationParam::new(level, data);
                    param.logger = logger;
                    peer.notify_logging_message(param).await
                }
            };
            if let Err(error) = sent {
                tracing::debug!(%error, "a notification did not reach the client");
            }
        };
        sending.boxed()
    }

    /// Sends a request for input, and hands the result to the call.
    pub(crate) async fn request(&self, pending: PendingRequest) {
        let result = match &self.peer {
            Some(peer) => send_request(peer, pending.request.clone(), self.input_timeout).await,
            None => Err(InputError::Disconnected),
        };
        pending.resolve(result);
    }
}

async fn send_request(
    peer: &Peer<RoleServer>,
    request: InputRequest,
    timeout: Duration,
) -> Result<InputResult, InputError> {
    let request = match request {
        InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
        InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
        InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
        _ => return Err(InputError::unknown_request()),
    };
    let options = PeerRequestOptions::with_timeout(timeout);
    let sent = peer.send_request_with_option(request, options).await;
    let handle = sent.map_err(to_input_error)?;
    let mut guard = CancelOnDrop {
        peer: peer.clone(),
        id: Some(handle.id.clone()),
    };
    let response = handle.await_response().await;
    guard.id = None;
    match response.map_err(to_input_error)? {
        ClientResult::ElicitResult(result) => Ok(InputResult::Elicitation(result)),
        ClientResult::CreateMessageResult(result) => Ok(InputResult::Sampling(result)),
        ClientResult::ListRootsResult(result) => Ok(InputResult::Roots(result)),
        _ => Err(InputError::mismatched()),
    }
}

fn to_input_error(error: ServiceError) -> InputError {
    match error {
        ServiceError::McpError(error) => InputError::Refused(error.message.into_owned()),
        ServiceError::Timeout { .. } => InputError::TimedOut,
        ServiceError::UnexpectedResponse => {
            InputError::Malformed("it is of another kind".to_owned())
        }
        _ => InputError::Disconnected,
    }
}

/// Cancels an open request if the call stops waiting for its result.
struct CancelOnDrop {
    peer: Peer<RoleServer>,
    /// The id of the request; `None` once the response is here.
    id: Option<RequestId>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let reason = Some("the call that asked has ended".to_owned());
                let cancelled = CancelledNotificationParam::new(Some(id), reason);
                // The notification fails only if the connection is closed, which ends the request too.
                let _ = peer.notify_cancelled(cancelled).await;
            });
        }
    }
}
