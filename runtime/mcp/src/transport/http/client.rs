//! An HTTP client that sends an access token, and tries another token if the first is refused.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, ClientNotification};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};

use super::repair::replace_malformed;
use crate::TokenSource;
use crate::transport::{Failure, Fault};

type Headers = HashMap<HeaderName, HeaderValue>;
type Result<T> = std::result::Result<T, StreamableHttpError<reqwest::Error>>;

/// A reqwest client for rmcp, with the access tokens of one server.
#[derive(Clone)]
pub(crate) struct HttpClient {
    inner: reqwest::Client,
    tokens: Option<Arc<dyn TokenSource>>,
    fault: Arc<Fault>,
}

impl HttpClient {
    pub(in crate::transport) fn new(
        inner: reqwest::Client,
        tokens: Option<Arc<dyn TokenSource>>,
        fault: Arc<Fault>,
    ) -> Self {
        Self {
            inner,
            tokens,
            fault,
        }
    }

    pub(in crate::transport) fn plain(&self) -> &reqwest::Client {
        &self.inner
    }

    /// Sends a request with a token, and once more if the server refuses the token and another one is available.
    async fn with_token<T, F>(&self, mut send: impl FnMut(Option<String>) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let Some(tokens) = &self.tokens else {
            return send(None).await;
        };
        let token = tokens.token().await.map_err(io::Error::other)?;
        let sent = send(token).await;
        let Some(challenge) = sent.as_ref().err().and_then(challenge) else {
            return sent;
        };
        if !tokens
            .challenged(challenge)
            .await
            .map_err(io::Error::other)?
        {
            return sent;
        }
        let token = tokens.token().await.map_err(io::Error::other)?;
        send(token).await
    }

    /// Sends a message like [`with_token`](Self::with_token), and records why it failed: rmcp only logs that during a handshake.
    ///
    /// The request that opens the server's own stream is no message. It runs in the background, and its failure would
    /// take the place of the reason for which an answer broke off.
    pub(in crate::transport) async fn send_message<T, F>(
        &self,
        send: impl FnMut(Option<String>) -> F,
    ) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let sent = self.with_token(send).await;
        if let Err(error) = &sent {
            self.fault.note(Failure::from_source(error).reason());
        }
        sent
    }
}

fn is_cancellation(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        ClientJsonRpcMessage::Notification(notification)
            if matches!(notification.notification, ClientNotification::CancelledNotification(_))
    )
}

fn challenge(error: &StreamableHttpError<reqwest::Error>) -> Option<&str> {
    match error {
        StreamableHttpError::UnexpectedServerResponse(text) => {
            text.starts_with("HTTP 401").then_some("")
        }
        error => error.auth_challenge(),
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits,
        )
        .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse> {
        let request = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let send = |token: Option<String>| {
            self.inner.post_message_with_response_limits(
                Arc::clone(&uri),
                message.clone(),
                session_id.clone(),
                token.or_else(|| auth_header.clone()),
                custom_headers.clone(),
                limits,
            )
        };
        let sent = match is_cancellation(&message) {
            // What is cancelled has a reason of its own.
            true => self.with_token(send).await,
            false => self.send_message(send).await,
        };
        Ok(match (sent?, request) {
            (StreamableHttpPostResponse::Sse(events, session), Some(request)) => {
                StreamableHttpPostResponse::Sse(
                    replace_malformed(events, request, Arc::clone(&self.fault)),
                    session,
                )
            }
            (response, _) => response,
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<()> {
        self.with_token(|token| {
            self.inner.delete_session(
                Arc::clone(&uri),
                Arc::clone(&session_id),
                token.or_else(|| auth_header.clone()),
                custom_headers.clone(),
            )
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxedSseResponse> {
        let most = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            most,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<BoxedSseResponse> {
        self.with_token(|token| {
            self.inner.get_stream_with_max_sse_event_size(
                Arc::clone(&uri),
                session_id.clone(),
                last_event_id.clone(),
                token.or_else(|| auth_header.clone()),
                custom_headers.clone(),
                max_sse_event_size,
            )
        })
        .await
    }
}
