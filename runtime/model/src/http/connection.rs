//! Sends requests, and streams their replies.

use std::time::Duration;

use futures_core::stream::BoxStream;
use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{RequestBuilder, Response};

use serde_json::Value;

use super::{
    Decoder, Endpoint, ResponseHead, decode, network_error, parse_api_error, redact_error,
};
use crate::{ModelError, ReplyStream};

/// The greatest size of an answer that is one JSON value, in bytes.
const MAX_JSON_BYTES: usize = 16 << 20;

/// How long to wait for the end of a stream after its reply is complete: a connection that was read to its end can be
/// reused, and one that stays open is closed.
const LINGER: Duration = Duration::from_millis(50);

/// The number of idle timeouts for which a provider may send keep-alive messages without content: an hour by default.
/// Models may think for that long; a gateway whose model has failed may send keep-alive messages forever.
const MAX_IDLE_PERIODS: u32 = 12;

/// Posts a JSON body to a path of the endpoint, and streams the events of the reply.
///
/// The request is sent once, when the stream is first polled. Dropping the stream cancels the request.
pub(crate) fn post_stream<'a, D: Decoder + 'a>(
    endpoint: &'a Endpoint,
    path: &str,
    body: Vec<u8>,
    decoder: D,
) -> ReplyStream<'a> {
    let url = endpoint.url(path);
    let opened = async move {
        match send_request(endpoint, url, body).await {
            Ok((head, response)) => {
                let bytes = response
                    .bytes_stream()
                    .map_err(|error| network_error::broken_connection_error(endpoint, error));
                let idle = endpoint.idle_timeout;
                let bytes = with_item_timeout(endpoint, idle, bytes.boxed());
                let events = decode(endpoint, head, bytes, decoder, LINGER);
                with_item_timeout(endpoint, idle.saturating_mul(MAX_IDLE_PERIODS), events)
            }
            Err(error) => stream::iter([Err(error)]).boxed(),
        }
    };
    opened.flatten_stream().boxed()
}

async fn send_request(
    endpoint: &Endpoint,
    url: reqwest::Url,
    body: Vec<u8>,
) -> Result<(ResponseHead, Response), ModelError> {
    let mut headers = endpoint.headers.clone();
    let json = HeaderValue::from_static("application/json");
    headers.entry(CONTENT_TYPE).or_insert(json);
    let both = HeaderValue::from_static("text/event-stream, application/json");
    headers.entry(ACCEPT).or_insert(both);
    let client = endpoint.prepared_client().await?;
    let request = client.post(url).headers(headers).body(body);
    let response = with_timeout(endpoint, endpoint.idle_timeout, request.send())
        .await?
        .map_err(|error| network_error::unreachable_error(endpoint, error))?;
    let head = ResponseHead::from_response(response.status(), response.headers());
    Ok((head, response))
}

/// Checks whether a server responds at an endpoint, with any response. No header of the endpoint is sent, and
/// therefore no key.
pub(crate) async fn probe(endpoint: &Endpoint, deadline: Duration) -> Result<(), ModelError> {
    let client = endpoint.prepared_client().await?;
    let head = client.head(endpoint.url(""));
    let answer = with_timeout(endpoint, deadline, head.send()).await?;
    answer.map_err(|error| network_error::unreachable_error(endpoint, error))?;
    Ok(())
}

/// Gets a JSON value from a path of an endpoint, with the headers of the endpoint.
pub(crate) async fn get_json(
    endpoint: &Endpoint,
    path: &str,
    query: &str,
    deadline: Duration,
) -> Result<Value, ModelError> {
    let mut url = endpoint.url(path);
    if !query.is_empty() {
        url.set_query(Some(query));
    }
    let client = endpoint.prepared_client().await?;
    receive_json(endpoint, client.get(url), deadline).await
}

/// Posts a JSON value to a path of an endpoint, and returns the JSON value of the answer.
pub(crate) async fn post_json(
    endpoint: &Endpoint,
    path: &str,
    body: &Value,
    deadline: Duration,
) -> Result<Value, ModelError> {
    let client = endpoint.prepared_client().await?;
    let json = HeaderValue::from_static("application/json");
    let request = client.post(endpoint.url(path)).header(CONTENT_TYPE, json);
    receive_json(endpoint, request.body(body.to_string()), deadline).await
}

/// Sends a request with the headers of an endpoint, and returns the JSON value of the answer.
async fn receive_json(
    endpoint: &Endpoint,
    request: RequestBuilder,
    deadline: Duration,
) -> Result<Value, ModelError> {
    let request = request.headers(endpoint.headers.clone()).send();
    let answer = async {
        let sent = request.await;
        let mut response =
            sent.map_err(|error| network_error::unreachable_error(endpoint, error))?;
        let head = ResponseHead::from_response(response.status(), response.headers());
        let mut body = Vec::new();
        while let Some(piece) = response
            .chunk()
            .await
            .map_err(|error| network_error::broken_connection_error(endpoint, error))?
        {
            body.extend_from_slice(&piece);
            if body.len() > MAX_JSON_BYTES {
                return Err(ModelError::malformed("the answer is too large"));
            }
        }
        if !head.is_success() {
            let error = parse_api_error(endpoint.provider(), &head, &body);
            return Err(redact_error(endpoint, error.into()));
        }
        serde_json::from_slice(&body)
            .map_err(|error| ModelError::malformed(format!("the answer is not JSON: {error}")))
    };
    with_timeout(endpoint, deadline, answer).await?
}

/// Waits for a future up to a timeout.
pub(crate) async fn with_timeout<T>(
    endpoint: &Endpoint,
    limit: Duration,
    future: impl Future<Output = T>,
) -> Result<T, ModelError> {
    let done = tokio::time::timeout(limit, future).await;
    done.map_err(|_| ModelError::TimedOut {
        provider: endpoint.provider().to_owned(),
        waited: limit,
    })
}

/// Waits for each item of a stream up to a timeout; the stream ends after the first error.
fn with_item_timeout<'a, T: Send + 'a>(
    endpoint: &'a Endpoint,
    limit: Duration,
    items: BoxStream<'a, Result<T, ModelError>>,
) -> BoxStream<'a, Result<T, ModelError>> {
    let next = move |items: Option<BoxStream<'a, Result<T, ModelError>>>| async move {
        let mut items = items?;
        match with_timeout(endpoint, limit, items.next()).await {
            Ok(Some(Ok(item))) => Some((Ok(item), Some(items))),
            Ok(None) => None,
            Ok(Some(Err(error))) | Err(error) => Some((Err(error), None)),
        }
    };
    stream::unfold(Some(items), next).boxed()
}
