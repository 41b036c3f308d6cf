//! What a client brings along to read the replies of its protocol.

use super::{ResponseHead, parse_api_error};
use crate::{ApiError, ModelError, ModelEvent};

/// One event of a stream of server-sent events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// Its name, where it has one.
    pub(crate) name: Option<String>,
    /// Its data; lines are joined with a line feed.
    pub(crate) data: String,
}

/// Reads the events of a reply out of what a provider sends. Pure: no I/O, no clock, and no input makes it panic.
///
/// What is put into `out` before an error is part of the reply.
pub(crate) trait Decoder: Send {
    /// Takes the next event of the stream.
    ///
    /// # Errors
    /// If the event makes no sense, or says that the reply failed.
    fn decode_event(
        &mut self,
        event: &SseEvent,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError>;

    /// Takes the whole body of a provider that answers with plain JSON in place of a stream.
    ///
    /// # Errors
    /// If the body makes no sense, or says that the reply failed.
    fn decode_body(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), ModelError>;

    /// Takes that nothing more comes, after the stream or the whole body.
    ///
    /// # Errors
    /// [`ModelError::BrokenOff`] if the reply is not over.
    fn finish(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError>;

    /// Reports whether nothing that may still come matters, so that the end of the stream is not awaited.
    fn is_finished(&self) -> bool {
        false
    }

    /// Reads an answer whose status is no success. The body is cut at 64 KiB, and may be HTML or nothing.
    fn decode_error(&self, provider: &str, head: &ResponseHead, body: &[u8]) -> ApiError {
        parse_api_error(provider, head, body)
    }
}
