//! What a call reports while it runs: gathered, redacted and told.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use super::telling::Teller;
use crate::agent::EventKind;
use crate::agent::spec::Agent;
use crate::results::{RedactedStream, Redactor};
use crate::tool::{Audience, ProgressBuffer, ProgressSink, ProgressStream, ProgressUpdate};
use crate::transcript::{CallId, CallKey};

/// Makes what gathers the reports of a call.
pub(super) fn buffer(agent: &Agent, key: CallKey, call: CallId, teller: Teller) -> ProgressBuffer {
    let settings = teller.progress().clone();
    let told = Told {
        teller,
        key,
        call,
        redactor: agent.results.secrets().clone(),
        streams: Mutex::default(),
    };
    ProgressBuffer::new(&settings, told)
}

/// Tells the reports of a call, without the secrets in them.
struct Told {
    teller: Teller,
    key: CallKey,
    call: CallId,
    redactor: Redactor,
    /// A secret may be parted between two pieces of a stream.
    streams: Mutex<Vec<Stream>>,
}

struct Stream {
    name: ProgressStream,
    audience: Audience,
    redacted: RedactedStream,
}

impl ProgressSink for Told {
    fn report(&self, mut update: ProgressUpdate) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
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
                    self.tell(rest.for_audience(stream.audience));
                }
            }
        }
        if let Some(message) = &update.message
            && let Cow::Owned(redacted) = self.redactor.redact(message)
        {
            update.message = Some(redacted);
        }
        self.tell(update);
    }
}

impl Told {
    fn stream<'s>(
        &self,
        streams: &'s mut Vec<Stream>,
        name: ProgressStream,
        audience: Audience,
    ) -> &'s mut Stream {
        let known = streams
            .iter()
            .position(|stream| stream.name == name && stream.audience == audience);
        let place = known.unwrap_or_else(|| {
            streams.push(Stream {
                name,
                audience,
                redacted: self.redactor.stream(),
            });
            streams.len() - 1
        });
        &mut streams[place]
    }

    fn tell(&self, update: ProgressUpdate) {
        let call = self.call.clone();
        self.teller
            .tell_of(self.key, EventKind::ToolProgress { call, update });
    }
}
