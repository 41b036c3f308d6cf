//! The bodies of requests: bounded in length and time, and held until their answer has been taken.

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

use super::answer::told;

/// How long a body may be without waiting for its turn.
const SMALL: usize = 1 << 20;

/// How many bodies may be longer than that at once.
pub(super) const LARGE_AT_ONCE: usize = 4;

/// How much of a body is taken that was refused, so that the client comes to read the answer.
const DISCARDED: usize = 32 << 20;

/// How long that may take.
const DISCARDING: Duration = Duration::from_secs(2);

/// A body that was read; while it is held, it counts among the large ones if it is one.
pub(super) struct Read {
    pub(super) bytes: Bytes,
    _large: Option<OwnedSemaphorePermit>,
}

/// Reads a body, or answers why not.
pub(super) async fn read(
    mut body: Body,
    most: usize,
    patience: Duration,
    large: &std::sync::Arc<Semaphore>,
) -> Result<Read, Box<Response<Body>>> {
    let deadline = Instant::now() + patience;
    if body.size_hint().lower() > most as u64 {
        return Err(too_long(body, most).await);
    }
    let mut bytes = BytesMut::new();
    let mut permit = None;
    loop {
        let frame = match timeout_at(deadline, body.frame()).await {
            Err(_) => return Err(slow()),
            Ok(None) => break,
            Ok(Some(Err(error))) => {
                tracing::debug!(%error, "the body of a request broke off");
                let sentence = "the body of the request could not be read";
                return Err(Box::new(told(StatusCode::BAD_REQUEST, sentence)));
            }
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > most {
            return Err(too_long(body, most).await);
        }
        bytes.extend_from_slice(&data);
        if bytes.len() > SMALL && permit.is_none() {
            let turn = large.clone().acquire_owned();
            // It is never closed.
            permit = timeout_at(deadline, turn).await.map_err(|_| slow())?.ok();
        }
    }
    Ok(Read {
        bytes: bytes.freeze(),
        _large: permit,
    })
}

async fn too_long(mut body: Body, most: usize) -> Box<Response<Body>> {
    let mut left = DISCARDED;
    let discard = async {
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            if length > left {
                break;
            }
            left -= length;
        }
    };
    let _ = timeout(DISCARDING, discard).await;
    let sentence = format!("the message is longer than {most} bytes");
    Box::new(told(StatusCode::PAYLOAD_TOO_LARGE, &sentence))
}

fn slow() -> Box<Response<Body>> {
    let sentence = "the body of the request took too long";
    Box::new(told(StatusCode::REQUEST_TIMEOUT, sentence))
}

/// The body of an answer, with what counts as long as it has not been taken.
pub(super) struct Held<B> {
    body: B,
    _held: OwnedSemaphorePermit,
}

impl<B> Held<B> {
    pub(super) fn new(body: B, held: OwnedSemaphorePermit) -> Self {
        Self { body, _held: held }
    }
}

impl<B: HttpBody + Unpin> HttpBody for Held<B> {
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
