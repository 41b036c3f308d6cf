//! The bodies of requests, limited in size and time, and the bodies of responses, which hold a permit until they are sent.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Response, StatusCode};
use bytes::BytesMut;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use super::responses::text_response;

/// The size up to which a body needs no permit.
const SMALL_BODY: usize = 1 << 20;

/// The number of larger bodies that are read at once.
pub(super) const MAX_LARGE_BODIES: usize = 4;

/// The number of bytes of a refused body that are read and discarded, because most clients read the response only
/// after they have sent the body.
const MAX_DISCARDED: usize = 32 << 20;

/// How long a refused body is read.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// The body of a request. A large body holds a permit until it is dropped.
pub(super) struct RequestBody {
    pub(super) bytes: Bytes,
    _large: Option<OwnedSemaphorePermit>,
}

/// Reads a body.
///
/// # Errors
///
/// Returns the response to send if the body is too large, takes too long or breaks off.
pub(super) async fn read_body(
    mut body: Body,
    max_bytes: usize,
    time_limit: Duration,
    large: &std::sync::Arc<Semaphore>,
) -> Result<RequestBody, Box<Response<Body>>> {
    let deadline = Instant::now() + time_limit;
    if body.size_hint().lower() > max_bytes as u64 {
        return Err(too_large(body, max_bytes).await);
    }
    let mut bytes = BytesMut::new();
    let mut permit = None;
    loop {
        let frame = match timeout_at(deadline, body.frame()).await {
            Err(_) => return Err(timed_out()),
            Ok(None) => break,
            Ok(Some(Err(error))) => {
                tracing::debug!(%error, "the body of a request broke off");
                let sentence = "the body of the request could not be read";
                return Err(Box::new(text_response(StatusCode::BAD_REQUEST, sentence)));
            }
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > max_bytes {
            return Err(too_large(body, max_bytes).await);
        }
        bytes.extend_from_slice(&data);
        if bytes.len() > SMALL_BODY && permit.is_none() {
            let acquired = large.clone().acquire_owned();
            // The semaphore is never closed.
            permit = timeout_at(deadline, acquired)
                .await
                .map_err(|_| timed_out())?
                .ok();
        }
    }
    Ok(RequestBody {
        bytes: bytes.freeze(),
        _large: permit,
    })
}

async fn too_large(mut body: Body, max_bytes: usize) -> Box<Response<Body>> {
    let mut left = MAX_DISCARDED;
    let discard = async {
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            if length > left {
                break;
            }
            left -= length;
        }
    };
    let _ = timeout(DISCARD_TIMEOUT, discard).await;
    let sentence = format!("the message is longer than {max_bytes} bytes");
    Box::new(text_response(StatusCode::PAYLOAD_TOO_LARGE, &sentence))
}

fn timed_out() -> Box<Response<Body>> {
    let sentence = "the body of the request took too long";
    Box::new(text_response(StatusCode::REQUEST_TIMEOUT, sentence))
}

/// The body of a response, with a permit that is released when the body has been sent.
pub(super) struct ResponseBody<B> {
    body: B,
    _permit: OwnedSemaphorePermit,
}

impl<B> ResponseBody<B> {
    pub(super) fn new(body: B, permit: OwnedSemaphorePermit) -> Self {
        Self {
            body,
            _permit: permit,
        }
    }
}

impl<B: HttpBody + Unpin> HttpBody for ResponseBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
