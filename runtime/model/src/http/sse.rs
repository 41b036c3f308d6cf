//! Parses server-sent events from chunks of bytes, with limits.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_core::stream::BoxStream;
use futures_util::stream::{self, StreamExt as _};
use sse_stream::{Error, SseByteStream};

use super::SseEvent;
use crate::ModelError;

/// The greatest size of an event, in bytes. Generated images and search results are one event each.
const MAX_EVENT_BYTES: usize = 16 << 20;

/// The greatest size of a stream, in bytes: no model writes as much.
const MAX_STREAM_BYTES: usize = 256 << 20;

/// The events of a stream. The parser has no limits of its own, so that the bytes are counted before it.
pub(super) struct SseStream<'a> {
    events: SseByteStream<BoxStream<'a, Result<Cursor<Vec<u8>>, ModelError>>>,
    meter: Arc<ByteMeter>,
}

#[derive(Debug, Default)]
struct ByteMeter {
    since_event: AtomicUsize,
    total: AtomicUsize,
    ended: AtomicBool,
}

impl<'a> SseStream<'a> {
    pub(super) fn new(bytes: BoxStream<'a, Result<Vec<u8>, ModelError>>) -> Self {
        let meter = Arc::new(ByteMeter::default());
        let (counting, ending) = (Arc::clone(&meter), Arc::clone(&meter));
        let counted = bytes.map(move |piece| counting.count(piece?));
        // Several servers omit the empty line after the last event.
        let end = stream::once(async move {
            ending.ended.store(true, Ordering::Relaxed);
            Ok(Cursor::new(b"\n\n".to_vec()))
        });
        Self {
            events: SseByteStream::new(counted.chain(end).boxed()),
            meter,
        }
    }

    /// Returns the next event that has data.
    pub(super) async fn next(&mut self) -> Option<Result<SseEvent, ModelError>> {
        loop {
            let event = match self.events.next().await? {
                Ok(event) => event,
                Err(error) => return Some(Err(self.convert_error(error))),
            };
            self.meter.since_event.store(0, Ordering::Relaxed);
            let (name, data) = (event.event, event.data.unwrap_or_default());
            if !data.trim().is_empty() {
                return Some(Ok(SseEvent { name, data }));
            }
        }
    }

    /// Reports whether all bytes were read, so that the last event may be incomplete.
    pub(super) fn is_ended(&self) -> bool {
        self.meter.ended.load(Ordering::Relaxed)
    }

    fn convert_error(&self, error: Error) -> ModelError {
        match error {
            Error::Body(error) => match error.downcast() {
                Ok(error) => *error,
                Err(error) => ModelError::Provider(error),
            },
            Error::Utf8Parse(_) if self.is_ended() => ModelError::UnexpectedEnd,
            error => ModelError::Malformed(error.to_string()),
        }
    }
}

impl ByteMeter {
    fn count(&self, piece: Vec<u8>) -> Result<Cursor<Vec<u8>>, ModelError> {
        let add = |sum: &AtomicUsize| sum.fetch_add(piece.len(), Ordering::Relaxed) + piece.len();
        let too_large = |what: &str, limit: usize| {
            let limit = limit >> 20;
            Err(ModelError::Malformed(format!(
                "{what} is larger than {limit} MiB"
            )))
        };
        if add(&self.since_event) > MAX_EVENT_BYTES {
            return too_large("an event", MAX_EVENT_BYTES);
        }
        if add(&self.total) > MAX_STREAM_BYTES {
            return too_large("its stream", MAX_STREAM_BYTES);
        }
        Ok(Cursor::new(piece))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    type Read = Vec<Result<(Option<String>, String), String>>;

    fn read(pieces: Vec<Vec<u8>>) -> Read {
        let mut frames = SseStream::new(stream::iter(pieces.into_iter().map(Ok)).boxed());
        let mut read = Vec::new();
        while let Some(event) = frames.next().now_or_never().expect("nothing to wait for") {
            let event = event.map(|event| (event.name, event.data));
            read.push(event.map_err(|error| error.to_string()));
        }
        read
    }

    #[test]
    fn lines_end_in_every_way_and_anywhere() {
        let text =
            "\u{feff}: hi\r\n\r\nevent: a\r\ndata: ö1\ndata:2\r\rdata:\n\nid: 7\n\ndata: [DONE]";
        let expected: Read = vec![
            Ok((Some("a".into()), "ö1\n2".into())),
            Ok((None, "[DONE]".into())),
        ];
        assert_eq!(read(vec![text.into()]), expected);
        assert_eq!(
            read(text.bytes().map(|byte| vec![byte]).collect()),
            expected
        );
    }

    #[test]
    fn what_is_too_large_ends_the_stream() {
        let piece = vec![b'x'; 1 << 20];
        let mut pieces = vec![b"data: ok\n\ndata: ".to_vec()];
        pieces.extend(std::iter::repeat_n(piece, 17));
        let read = read(pieces);
        let error = read[1].as_ref().unwrap_err();
        assert!(read[0].is_ok() && read.len() == 2, "{}", read.len());
        assert!(error.contains("an event is larger than 16 MiB"), "{error}");
    }

    #[test]
    fn text_that_is_cut_is_broken_off_and_other_nonsense_is_malformed() {
        let cut = read(vec![b"data: \xc3".to_vec()]);
        assert!(
            cut[0].as_ref().unwrap_err().contains("is incomplete"),
            "{cut:?}"
        );
        let wrong = read(vec![b"data: \xc3\x28\n\ndata: x\n\n".to_vec()]);
        assert!(
            wrong[0].as_ref().unwrap_err().contains("is malformed"),
            "{wrong:?}"
        );
        assert_eq!(wrong.len(), 1);
    }
}
