//! Decodes a response, from its head and the bytes of its body, to the events of a reply, without I/O of its own.

use std::collections::VecDeque;
use std::time::Duration;

use futures_core::stream::{BoxStream, Stream};
use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};
use serde::de::IgnoredAny;

use super::sse::SseStream;
use super::{Endpoint, ResponseHead, parse_api_error};
use crate::{ApiError, ApiErrorKind, ModelError, ModelEvent, ReplyStream};

/// The greatest size of a reply that is not streamed, in bytes.
const MAX_BODY_BYTES: usize = 64 << 20;

/// The greatest size of an error body that is read, in bytes.
const MAX_ERROR_BYTES: usize = 64 << 10;

type ByteStream<'a> = BoxStream<'a, Result<Vec<u8>, ModelError>>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SseEvent {
    pub(crate) name: Option<String>,
    /// The data; lines are joined with a line feed.
    pub(crate) data: String,
}

/// Decodes a provider's response to the events of a reply. A decoder does no I/O, uses no clock, and does not panic
/// on any input.
///
/// Events that were added to `out` before an error are part of the reply.
pub(crate) trait Decoder: Send {
    /// Decodes the next event of the stream.
    ///
    /// # Errors
    /// If the event is invalid, or reports that the reply failed.
    fn decode_event(
        &mut self,
        event: &SseEvent,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError>;

    /// Decodes a complete JSON body, for a provider that does not stream.
    ///
    /// # Errors
    /// If the body is invalid, or reports that the reply failed.
    fn decode_body(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), ModelError>;

    /// Finishes the reply at the end of the stream or the body.
    ///
    /// # Errors
    /// [`ModelError::UnexpectedEnd`] if the reply is incomplete.
    fn finish(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError>;

    /// Reports whether no further event is relevant, so that the end of the stream is not awaited.
    fn is_finished(&self) -> bool;

    /// Refines the error of a response without a success status.
    fn refine_error(&self, error: ApiError) -> ApiError {
        error
    }
}

/// Decodes a response of the endpoint from any transport, up to the first error. After a complete reply, waits up to
/// `linger` for the end of the stream.
pub(crate) fn decode<'a, B, D>(
    endpoint: &'a Endpoint,
    head: ResponseHead,
    body: impl Stream<Item = Result<B, ModelError>> + Send + 'a,
    decoder: D,
    linger: Duration,
) -> ReplyStream<'a>
where
    B: AsRef<[u8]> + 'a,
    D: Decoder + 'a,
{
    let body = body
        .map(|piece| piece.map(|piece| piece.as_ref().to_vec()))
        .boxed();
    let opened = async move {
        let events = open(endpoint, &head, body, decoder, linger).await;
        events.unwrap_or_else(|error| stream::iter([Err(error)]).boxed())
    };
    let redacted = |event: Result<_, _>| event.map_err(|error| redact_error(endpoint, error));
    opened.flatten_stream().map(redacted).boxed()
}

async fn open<'a, D: Decoder + 'a>(
    endpoint: &'a Endpoint,
    head: &ResponseHead,
    mut body: ByteStream<'a>,
    decoder: D,
    linger: Duration,
) -> Result<ReplyStream<'a>, ModelError> {
    let encoding = head.get("content-encoding");
    let encoding = encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity"));
    if !head.is_success() {
        let mut text = Vec::new();
        // The status is sufficient if the body breaks off, or cannot be read.
        if encoding.is_none() {
            let _ = read_to_limit(&mut text, body, MAX_ERROR_BYTES).await;
        }
        let error = parse_api_error(endpoint.provider(), head, &text);
        return Err(decoder.refine_error(error).into());
    }
    if let Some(encoding) = encoding {
        // No encoding was requested: a proxy must have added it.
        let what = format!("the reply has the unexpected content encoding `{encoding}`");
        let more = " and the proxy settings";
        return Err(unreadable_error(endpoint, head, what, more));
    }
    let Some(first) = first_chunk(&mut body).await? else {
        return Err(ModelError::UnexpectedEnd);
    };
    let kind = head.get("content-type").unwrap_or_default();
    // Servers use several content types for streams; only this prefix means server-sent events.
    let is_stream = kind.to_ascii_lowercase().starts_with("text/event-stream");
    match first.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{' | b'[') if !is_stream => decode_body(first, body, decoder).await,
        Some(b'<') if !is_stream => {
            let what = "received an HTML page instead of a reply".to_owned();
            Err(unreadable_error(endpoint, head, what, ""))
        }
        _ => Ok(event_stream(first, body, decoder, linger)),
    }
}

/// Returns the first chunk that is not blank. Some providers send empty lines until the reply starts.
async fn first_chunk(body: &mut ByteStream<'_>) -> Result<Option<Vec<u8>>, ModelError> {
    while let Some(piece) = body.next().await {
        let piece = piece?;
        if !piece.trim_ascii().is_empty() {
            return Ok(Some(piece));
        }
    }
    Ok(None)
}

async fn decode_body<'a, D: Decoder + 'a>(
    first: Vec<u8>,
    body: ByteStream<'a>,
    mut decoder: D,
) -> Result<ReplyStream<'a>, ModelError> {
    let mut text = first;
    if !read_to_limit(&mut text, body, MAX_BODY_BYTES).await? {
        let limit = MAX_BODY_BYTES >> 20;
        let what = format!("it is larger than {limit} MiB");
        return Err(ModelError::Malformed(what));
    }
    let mut out = Vec::new();
    let read = decoder.decode_body(&text, &mut out).map_err(|error| {
        let cut = serde_json::from_slice::<IgnoredAny>(&text);
        match (cut, error) {
            (Err(cut), ModelError::Malformed(_)) if cut.is_eof() => ModelError::UnexpectedEnd,
            (_, error) => error,
        }
    });
    let read = read.and_then(|()| decoder.finish(&mut out));
    let events = out.into_iter().map(Ok).chain(read.err().map(Err));
    Ok(stream::iter(events).boxed())
}

fn event_stream<'a, D: Decoder + 'a>(
    first: Vec<u8>,
    body: ByteStream<'a>,
    decoder: D,
    linger: Duration,
) -> ReplyStream<'a> {
    let bytes = stream::iter([Ok(first)]).chain(body).boxed();
    let reading = ReplyReader {
        frames: SseStream::new(bytes),
        decoder,
        linger,
        ready: VecDeque::new(),
        end: None,
    };
    stream::unfold(reading, |mut reading| async {
        let event = reading.next().await?;
        Some((event, reading))
    })
    .boxed()
}

struct ReplyReader<'a, D> {
    frames: SseStream<'a>,
    decoder: D,
    linger: Duration,
    ready: VecDeque<ModelEvent>,
    /// Whether reading has ended, with the error that is returned last.
    end: Option<Option<ModelError>>,
}

impl<D: Decoder> ReplyReader<'_, D> {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if let Some(error) = &mut self.end {
                return error.take().map(Err);
            }
            self.read().await;
        }
    }

    async fn read(&mut self) {
        if self.decoder.is_finished() {
            self.linger().await;
            self.end = Some(None);
            return;
        }
        let mut out = Vec::new();
        let read = match self.frames.next().await {
            Some(Ok(event)) => match self.decoder.decode_event(&event, &mut out) {
                Err(ModelError::Malformed(_)) if self.frames.is_ended() => {
                    Err(ModelError::UnexpectedEnd)
                }
                read => read,
            },
            Some(Err(error)) => Err(error),
            None => {
                self.end = Some(None);
                self.decoder.finish(&mut out)
            }
        };
        self.ready.extend(out);
        if let Err(error) = read {
            self.end = Some(Some(error));
        }
    }

    /// Reads to the end of a stream after a complete reply, so that its connection can be reused.
    async fn linger(&mut self) {
        let rest = async { while let Some(Ok(_)) = self.frames.next().await {} };
        // Usually the end is available already, and no timer is needed.
        let mut rest = std::pin::pin!(rest);
        if rest.as_mut().now_or_never().is_none() && !self.linger.is_zero() {
            let _ = tokio::time::timeout(self.linger, rest).await;
        }
    }
}

/// Reads up to the end or the limit; returns whether the end was reached.
async fn read_to_limit(
    text: &mut Vec<u8>,
    mut body: ByteStream<'_>,
    limit: usize,
) -> Result<bool, ModelError> {
    while let Some(piece) = body.next().await {
        let piece = piece?;
        let room = limit.saturating_sub(text.len());
        text.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            return Ok(false);
        }
    }
    Ok(text.len() <= limit)
}

/// Returns the error of a success response that is not a reply; `more` names what to check in addition to the base
/// URL.
fn unreadable_error(
    endpoint: &Endpoint,
    head: &ResponseHead,
    what: String,
    more: &str,
) -> ModelError {
    let host = endpoint.host();
    let error = ApiError {
        status: Some(head.status()),
        request_id: head.request_id().map(str::to_owned),
        advice: Some(format!("check the base URL ({host}){more}")),
        ..ApiError::new(ApiErrorKind::Other, endpoint.provider(), what)
    };
    error.into()
}

/// Removes secrets from the message of a provider, and adds advice for the user.
pub(crate) fn redact_error(endpoint: &Endpoint, mut error: ModelError) -> ModelError {
    match &mut error {
        ModelError::Api(error) => {
            endpoint.redact_error(error);
            error.advice = error.advice.take().or_else(|| endpoint.advice(error.kind));
        }
        ModelError::Malformed(what) => endpoint.redact(what),
        _ => {}
    }
    error
}
