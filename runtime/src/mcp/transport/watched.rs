//! A transport whose messages are seen as they pass, in order: to judge the handshake, and to serve calls.

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

/// Hears of messages as they pass.
pub(in crate::mcp) trait Listener: Send + Sync + 'static {
    /// A message is about to be sent.
    fn sending(&self, message: &ClientJsonRpcMessage);

    /// A request is on its way: some of it may have arrived.
    fn sent(&self, request: &RequestId);

    /// A request could not be handed over after all.
    fn unsent(&self, request: &RequestId);

    /// A message has come.
    fn heard(&self, message: &ServerJsonRpcMessage);
}

/// What is done where a server does not answer the question which protocols it speaks.
#[derive(Debug, Clone, Copy)]
pub(in crate::mcp) enum Fallback {
    /// The old handshake follows on the same connection.
    InPlace,
    /// The connection is given up, and whoever made it makes another.
    Anew,
}

/// A transport whose messages are seen as they pass.
///
/// rmcp asks with `server/discover` first. What it makes of the answers is mended here: an answer that comes too late
/// must not be taken for that of the old handshake, and a server that answers but only speaks older protocols gets the
/// old handshake, as one that does not know the question does.
pub(in crate::mcp) struct Watched<T> {
    inner: T,
    listener: Arc<dyn Listener>,
    probe: Probe,
}

struct Probe {
    patience: Duration,
    fallback: Fallback,
    /// The question that waits for its answer, and until when.
    open: Option<(RequestId, Instant)>,
    /// Questions whose answers come too late.
    over: Vec<RequestId>,
}

impl<T> Watched<T> {
    pub(in crate::mcp) fn new(
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

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
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
            // An answer may come, or the connection end for it, before the request is known to have been taken.
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

    /// Returns what rmcp is to see of a message.
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
                // Some servers answer whatever they are asked.
                _ => unknown(open),
            },
            ServerJsonRpcMessage::Error(error) => refusal(error.error, open),
            other => return Some(other),
        };
        // Another question may follow, which opens it again.
        if let Some((id, until)) = self.open.take() {
            self.open = matches!(&message, ServerJsonRpcMessage::Error(error)
                if error.error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION)
            .then_some((id, until));
        }
        Some(message)
    }
}

/// Reads an error in answer to the question, whatever request it names: several servers name none, or another.
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

/// Says that the server does not know the question, after which the old handshake follows.
fn unknown(id: RequestId) -> ServerJsonRpcMessage {
    let error = ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        "it speaks no protocol without a handshake",
        None,
    );
    ServerJsonRpcMessage::error(error, Some(id))
}
