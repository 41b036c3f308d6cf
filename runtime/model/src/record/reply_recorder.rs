//! Records the events of one reply.

use std::error::Error as _;

use tokio::sync::oneshot;

use super::writer::{RecordingWriter, WriteJob};
use crate::playback::RecordedReply;
use crate::{ModelError, ModelEvent, ModelRequest, StopReason};
use helve_core::tool::chain_text;
use helve_core::transcript::{ContentBlock, Message};

/// Collects the events of one reply. Dropping it before the end records a cancelled reply.
pub(super) struct ReplyRecorder<'a> {
    writer: &'a RecordingWriter,
    /// The number of the reply, in the order of the requests.
    number: u64,
    prompt: Option<String>,
    reply: RecordedReply,
    is_closed: bool,
}

impl<'a> ReplyRecorder<'a> {
    pub(super) fn new(writer: &'a RecordingWriter, request: &ModelRequest) -> Self {
        let number = writer.take_number();
        Self {
            writer,
            number,
            prompt: (number == 0).then(|| prompt(request)).flatten(),
            reply: RecordedReply::default(),
            is_closed: false,
        }
    }

    /// Adds an event; consecutive deltas of the same part are merged.
    pub(super) fn add(&mut self, event: &ModelEvent) {
        let last = self.reply.events.last_mut();
        if !last.is_some_and(|last| merge_event(last, event)) {
            self.reply.events.push(event.clone());
        }
    }

    /// Writes the reply, and waits until it is written.
    pub(super) async fn close(mut self, error: Option<&ModelError>) {
        self.reply.error = error.map(error_text);
        let (written, is_written) = oneshot::channel();
        self.write(Some(written));
        // A writer that has ended has reported the reason.
        let _ = is_written.await;
    }

    fn write(&mut self, written: Option<oneshot::Sender<()>>) {
        self.is_closed = true;
        self.writer.send(WriteJob::Reply {
            number: self.number,
            prompt: self.prompt.take(),
            reply: std::mem::take(&mut self.reply),
            written,
        });
    }
}

impl Drop for ReplyRecorder<'_> {
    fn drop(&mut self) {
        if self.is_closed {
            return;
        }
        let stopped = |event: &ModelEvent| matches!(event, ModelEvent::Stop { .. });
        if !self.reply.events.iter().any(stopped) {
            let stop = ModelEvent::stop(StopReason::Cancelled);
            self.reply.events.push(stop);
        }
        self.write(None);
    }
}

/// Merges an event into the previous one, if both are deltas of the same part.
fn merge_event(last: &mut ModelEvent, event: &ModelEvent) -> bool {
    match (last, event) {
        (ModelEvent::TextDelta { text }, ModelEvent::TextDelta { text: more })
        | (ModelEvent::ThinkingDelta { text }, ModelEvent::ThinkingDelta { text: more }) => {
            text.push_str(more);
            true
        }
        (
            ModelEvent::ToolCallDelta { id, arguments },
            ModelEvent::ToolCallDelta {
                id: same,
                arguments: more,
            },
        ) if id == same => {
            arguments.push_str(more);
            true
        }
        _ => false,
    }
}

/// Returns the message of the replayed error, without the prefix that the replay adds.
fn error_text(error: &ModelError) -> String {
    match (error, error.source()) {
        (ModelError::Provider(_), Some(source)) => chain_text(source),
        _ => error.full_message(),
    }
}

/// Returns the first message of the user.
fn prompt(request: &ModelRequest) -> Option<String> {
    let first = request.messages.iter().find_map(|message| match message {
        Message::User { content } => Some(content),
        _ => None,
    });
    let texts: Vec<_> = first?.iter().filter_map(ContentBlock::as_text).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
