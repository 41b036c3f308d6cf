//! The legacy HTTP transport with an event stream (before 2025-03-26), whose server announces the address for messages.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures_util::StreamExt as _;
use http::{HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient as _, StreamableHttpError,
};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use super::http::{HttpClient, broken, custom};
use super::lines::{self, MAX_MESSAGE_BYTES, ReceivedLine};
use super::{Failure, Fault, origin, pipe};
use crate::TokenSource;
use crate::sanitize::one_line;

type Error = StreamableHttpError<reqwest::Error>;

/// An event stream, and the address for messages.
pub(crate) struct Sse {
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    client: HttpClient,
    endpoint: Url,
    headers: HashMap<HeaderName, HeaderValue>,
    _reading: DropGuard,
}

pub(crate) enum SseError {
    Misconfigured(String),
    Failed(Failure),
}

/// Opens the stream and waits for the address for messages.
pub(crate) async fn open(
    url: &str,
    headers: &BTreeMap<String, String>,
    tokens: Option<Arc<dyn TokenSource>>,
    fault: &Arc<Fault>,
) -> Result<Sse, SseError> {
    let url = origin::address(url).map_err(SseError::Misconfigured)?;
    let headers = custom(headers).map_err(SseError::Misconfigured)?;
    let client = origin::client(&url)
        .await
        .map_err(SseError::Misconfigured)?;
    let client = HttpClient::new(client, tokens, Arc::clone(fault));
    let events = client.get_stream_with_max_sse_event_size(
        url.as_str().into(),
        None,
        None,
        None,
        headers.clone(),
        MAX_MESSAGE_BYTES,
    );
    let mut events = events
        .await
        .map_err(|error| SseError::Failed(Failure::from_source(&error)))?;
    let endpoint = endpoint(&mut events, &url)
        .await
        .map_err(|reason| SseError::Failed(Failure::Broken(reason)))?;
    let (found, incoming) = mpsc::channel(pipe::WAITING);
    let stop = CancellationToken::new();
    let reading = read(events, found, Arc::clone(fault));
    let stopped = stop.clone();
    tokio::spawn(async move { stopped.run_until_cancelled(reading).await });
    Ok(Sse {
        incoming,
        client,
        endpoint,
        headers,
        _reading: stop.drop_guard(),
    })
}

/// Waits for the event with the address for messages.
async fn endpoint(events: &mut BoxedSseResponse, url: &Url) -> Result<Url, String> {
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| format!("its stream broke: {error}"))?;
        if event.event.as_deref() != Some("endpoint") {
            continue;
        }
        let told = event.data.unwrap_or_default();
        let told = told.trim();
        let shown = one_line(told, 200);
        let endpoint = url
            .join(told)
            .map_err(|_| format!("the address that it wants messages at is none: `{shown}`"))?;
        if endpoint.origin() != url.origin() {
            return Err(format!(
                "it wants messages at another place, `{}`, and none are sent there",
                origin::shown(&endpoint)
            ));
        }
        return Ok(endpoint);
    }
    Err("its stream ended before it told where messages are posted".to_owned())
}

async fn read(
    mut events: BoxedSseResponse,
    found: mpsc::Sender<ServerJsonRpcMessage>,
    fault: Arc<Fault>,
) {
    while let Some(event) = events.next().await {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                fault.note(broken(&error));
                return;
            }
        };
        if !matches!(event.event.as_deref(), None | Some("" | "message")) {
            continue;
        }
        match lines::read(event.data.unwrap_or_default().as_bytes()) {
            ReceivedLine::Message(message) => {
                if found.send(*message).await.is_err() {
                    return;
                }
            }
            ReceivedLine::Noise(_) => {}
            ReceivedLine::Malformed(cause) => {
                fault.note(cause);
                return;
            }
        }
    }
    fault.note("its stream ended");
}

impl Transport<RoleClient> for Sse {
    type Error = Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Error>> + Send + 'static {
        let (client, endpoint) = (self.client.clone(), self.endpoint.clone());
        let headers = self.headers.clone();
        async move {
            let body = serde_json::to_vec(&item)?;
            client
                .send_message(|token| {
                    let mut request = client.plain().post(endpoint.clone());
                    for (name, value) in &headers {
                        request = request.header(name, value);
                    }
                    if let Some(token) = token {
                        request = request.bearer_auth(token);
                    }
                    let request = request.header("content-type", "application/json");
                    post(request.body(body.clone()))
                })
                .await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), Error> {
        self.incoming.close();
        Ok(())
    }
}

async fn post(request: reqwest::RequestBuilder) -> Result<(), Error> {
    let response = request.send().await?;
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    if status == http::StatusCode::UNAUTHORIZED {
        let challenge = response.headers().get("www-authenticate");
        let challenge = challenge.and_then(|value| value.to_str().ok());
        return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(
            challenge.unwrap_or_default().to_owned(),
        )));
    }
    Err(StreamableHttpError::UnexpectedServerResponse(
        format!("HTTP {status}").into(),
    ))
}
