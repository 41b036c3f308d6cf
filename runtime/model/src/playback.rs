//! What the scripted and the replaying model share: replies that are known beforehand, given in order.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_core::stream::BoxStream;
use futures_util::stream::{self, StreamExt as _};
use serde::{Deserialize, Serialize};

use super::{ModelError, ModelEvent};

/// A reply that is known beforehand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedReply {
    pub(super) events: Vec<ModelEvent>,
    /// The error that the reply ended with, after the events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl RecordedReply {
    pub(super) fn stream(&self) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let events = self.events.iter().cloned().map(Ok);
        let error = self
            .error
            .iter()
            .map(|text| Err(ModelError::provider(text.as_str())));
        stream::iter(events.chain(error)).boxed()
    }
}

/// Hands out replies in order, each once.
#[derive(Debug, Default)]
pub(super) struct Playback {
    pub(super) replies: Vec<RecordedReply>,
    next_index: AtomicUsize,
}

impl Playback {
    pub(super) fn new(replies: Vec<RecordedReply>) -> Self {
        Self {
            replies,
            next_index: AtomicUsize::new(0),
        }
    }

    pub(super) fn used_count(&self) -> usize {
        self.next_index
            .load(Ordering::Relaxed)
            .min(self.replies.len())
    }

    pub(super) fn next_stream(&self) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let number = self.next_index.fetch_add(1, Ordering::Relaxed);
        match self.replies.get(number) {
            Some(reply) => reply.stream(),
            None => {
                let error = ModelError::ScriptEnded {
                    used: self.replies.len(),
                };
                stream::iter([Err(error)]).boxed()
            }
        }
    }
}
