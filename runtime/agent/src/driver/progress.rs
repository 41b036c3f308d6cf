//! The progress of a call: buffered, redacted and emitted.

use std::borrow::Cow;

use super::event_emitter::EventEmitter;
use crate::EventKind;
use crate::spec::Agent;
use helve_core::support::lock::Mutex;
use helve_core::tool::{Audience, ProgressBuffer, ProgressSink, ProgressStream, ProgressUpdate};
use helve_core::transcript::{CallId, CallKey};
use helve_results::{RedactedStream, Redactor};

pub(super) fn progress_buffer(
    agent: &Agent,
    key: CallKey,
    call: CallId,
    events: EventEmitter,
) -> ProgressBuffer {
    let settings = events.progress.clone();
    let sink = ProgressEvents {
        events,
        key,
        call,
        redactor: agent.results.secret_redactor().clone(),
        streams: Mutex::default(),
    };
    ProgressBuffer::new(&settings, sink)
}

/// Emits the progress of a call without secrets.
struct ProgressEvents {
    events: EventEmitter,
    key: CallKey,
    call: CallId,
    redactor: Redactor,
    /// Redacts across the pieces of a stream, since a secret may be split between two pieces.
    streams: Mutex<Vec<ProgressOutput>>,
}

struct ProgressOutput {
    name: ProgressStream,
    audience: Audience,
    redacted: RedactedStream,
}

impl ProgressSink for ProgressEvents {
    fn report(&self, mut update: ProgressUpdate) {
        let mut streams = self.streams.lock();
        if let Some(name) = update.stream {
            let stream = self.stream(&mut streams, name, update.audience);
            update.text = stream.redacted.push(&update.text);
            if update.text.is_empty() {
                return;
            }
        }
        if update.closed {
            for stream in streams.drain(..) {
                let rest = stream.redacted.finish();
                if !rest.is_empty() {
                    let rest = ProgressUpdate::text(stream.name, rest);
                    self.emit(rest.for_audience(stream.audience));
                }
            }
        }
        if let Some(message) = &update.message
            && let Cow::Owned(redacted) = self.redactor.redact(message)
        {
            update.message = Some(redacted);
        }
        self.emit(update);
    }
}

impl ProgressEvents {
    fn stream<'s>(
        &self,
        streams: &'s mut Vec<ProgressOutput>,
        name: ProgressStream,
        audience: Audience,
    ) -> &'s mut ProgressOutput {
        let is_it = |known: &ProgressOutput| known.name == name && known.audience == audience;
        let place = streams.iter().position(is_it).unwrap_or_else(|| {
            streams.push(ProgressOutput {
                name,
                audience,
                redacted: self.redactor.stream(),
            });
            streams.len() - 1
        });
        &mut streams[place]
    }

    fn emit(&self, update: ProgressUpdate) {
        let call = self.call.clone();
        self.events
            .emit_for(self.key, EventKind::ToolProgress { call, update });
    }
}
