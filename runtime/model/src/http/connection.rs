//! Sending a request, and reading its reply as it comes.

use std::time::Duration;

use futures_core::stream::BoxStream;
use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use reqwest::Response;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};

use super::decode::decode_to_end;
use super::timeout::{self, with_timeout};
use super::{Decoder, Endpoint, ResponseHead, network_error};
use crate::{ModelError, ModelEvent};

/// How long the end of a stream is waited for whose reply is over: a connection that was read to its end can be used
/// again, and one that stays open for nothing is closed.
const LINGER: Duration = Duration::from_millis(50);

/// How many times the idle timeout a provider may send signs of life and nothing of a reply: an hour in most cases. Models
/// do think that long; a gateway whose model is gone sends them for ever.
const MAX_IDLE_PERIODS: u32 = 12;

/// Posts a JSON body to a path of the endpoint, and streams the events of the reply.
///
/// The request goes out when the stream is first polled, once. A stream that is dropped cancels it.
pub(crate) fn post_stream<'a, D: Decoder + 'a>(
    endpoint: &'a Endpoint,
    path: &str,
    body: Vec<u8>,
    decoder: D,
) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
    let url = endpoint.url(path);
    let opened = async move {
        match send_request(endpoint, url, body).await {
            Ok((head, response)) => {
                let bytes = response
                    .bytes_stream()
                    .map_err(|error| network_error::broken_connection_error(endpoint, error));
                let idle = endpoint.idle_timeout;
                let bytes = timeout::with_item_timeout(endpoint, idle, bytes.boxed());
                let events = decode_to_end(endpoint, head, bytes, decoder, LINGER);
                timeout::with_item_timeout(endpoint, idle.saturating_mul(MAX_IDLE_PERIODS), events)
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
    Ok((response_head(&response), response))
}

fn response_head(response: &Response) -> ResponseHead {
    let mut head = ResponseHead::new(response.status().as_u16());
    for (name, value) in response.headers() {
        head = head.header(name.as_str(), String::from_utf8_lossy(value.as_bytes()));
    }
    head
}
