//! A transport wrapper that observes messages in order, for the handshake and for active calls.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::Instant;

pub(crate) trait Listener: Send + Sync + 'static {
    /// Called before a message is sent.
    fn sending(&self, message: &ClientJsonRpcMessage);

    /// Called when a request may have been sent in part.
    fn sent(&self, request: &RequestId);

    /// Called when a request could not be sent.
    fn unsent(&self, request: &RequestId);

    /// Called when a message was received.
    fn heard(&self, message: &ServerJsonRpcMessage);
}

/// The next step if a server does not answer the discovery request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fallback {
    /// The legacy handshake follows on the same connection.
    InPlace,
    /// The connection is closed, and the caller opens another one.
    Anew,
}

/// A transport wrapper that observes messages and filters the responses to the discovery request.
///
/// rmcp sends `server/discover` first. This wrapper corrects how rmcp handles the responses: a late response must not
/// be taken for the response to the legacy handshake, and a server that answers but only supports older protocols
/// gets the legacy handshake, like a server without discovery.
pub(crate) struct WatchedTransport<T> {
    inner: T,
    listener: Arc<dyn Listener>,
    probe: Probe,
}

struct Probe {
    patience: Duration,
    fallback: Fallback,
    /// The discovery request that waits for a response, and its deadline.
    open: Option<(RequestId, Instant)>,
    /// Discovery requests whose deadline has passed.
    over: Vec<RequestId>,
}

impl<T> WatchedTransport<T> {
    pub(crate) fn new(
        inner: T,
        listener: Arc<dyn Listener>,
        patience: Duration,
        fallback: Fallback,
    ) -> Self {
        let probe = Probe {
            patience,
            fallback,
            open: None,
            over: Vec::new(),
        };
        Self {
            inner,
            listener,
            probe,
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for WatchedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.listener.sending(&item);
        let request = match &item {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        self.probe.sending(&item);
        let listener = Arc::clone(&self.listener);
        let sent = self.inner.send(item);
        async move {
            // A response may arrive, or the connection end, before the send completes.
            if let Some(request) = &request {
                listener.sent(request);
            }
            let sent = sent.await;
            if let (Some(request), true) = (&request, sent.is_err()) {
                listener.unsent(request);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = match &self.probe.open {
                None => self.inner.receive().await?,
                Some((_, until)) => tokio::select! {
                    biased;
                    message = self.inner.receive() => message?,
                    () = tokio::time::sleep_until(*until) => return self.probe.give_up(),
                },
            };
            if let Some(message) = self.probe.judge(message) {
                self.listener.heard(&message);
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

impl Probe {
    fn sending(&mut self, message: &ClientJsonRpcMessage) {
        let ClientJsonRpcMessage::Request(request) = message else {
            return;
        };
        match &request.request {
            ClientRequest::DiscoverRequest(_) => {
                let before = self.open.take();
                let until = before
                    .as_ref()
                    .map_or_else(|| Instant::now() + self.patience, |(_, until)| *until);
                self.over.extend(before.map(|(id, _)| id));
                self.open = Some((request.id.clone(), until));
            }
            _ => self.over.extend(self.open.take().map(|(id, _)| id)),
        }
    }

    fn give_up(&mut self) -> Option<ServerJsonRpcMessage> {
        let (id, _) = self.open.take()?;
        self.over.push(id.clone());
        match self.fallback {
            Fallback::InPlace => Some(unknown(id)),
            Fallback::Anew => None,
        }
    }

    /// Returns the message that rmcp receives.
    fn judge(&mut self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        let answered = match &message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if answered.is_some_and(|id| self.over.contains(id)) {
            return None;
        }
        let Some((open, _)) = &self.open else {
            return Some(message);
        };
        let open = open.clone();
        let message = match message {
            ServerJsonRpcMessage::Response(response) => match &response.result {
                ServerResult::DiscoverResult(found) if !is_new(&found.supported_versions) => {
                    unknown(open)
                }
                ServerResult::DiscoverResult(_) => ServerJsonRpcMessage::Response(response),
                // Some servers respond to any request with success.
                _ => unknown(open),
            },
            ServerJsonRpcMessage::Error(error) => refusal(error.error, open),
            other => return Some(other),
        };
        // Another discovery request may follow, which sets `open` again.
        if let Some((id, until)) = self.open.take() {
            self.open = matches!(&message, ServerJsonRpcMessage::Error(error)
                if error.error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION)
            .then_some((id, until));
        }
        Some(message)
    }
}

/// Handles an error response to the discovery request with any request id: several servers send no id, or another
/// one.
fn refusal(error: ErrorData, id: RequestId) -> ServerJsonRpcMessage {
    if error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION {
        let supported = error.data.as_ref().and_then(|data| data.get("supported"));
        let supported: Vec<ProtocolVersion> = supported
            .cloned()
            .and_then(|supported| serde_json::from_value(supported).ok())
            .unwrap_or_default();
        if !is_new(&supported) {
            return unknown(id);
        }
    }
    ServerJsonRpcMessage::error(error, Some(id))
}

fn is_new(supported: &[ProtocolVersion]) -> bool {
    supported.contains(&ProtocolVersion::LATEST)
}

/// Returns the error "method not found", after which rmcp tries the legacy handshake.
fn unknown(id: RequestId) -> ServerJsonRpcMessage {
    let error = ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        "it speaks no protocol without a handshake",
        None,
    );
    ServerJsonRpcMessage::error(error, Some(id))
}
