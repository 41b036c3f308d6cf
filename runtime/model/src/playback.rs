//! Playback of known replies in order, shared by the scripted and the replaying model.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::stream::{self, StreamExt as _};
use serde::{Deserialize, Serialize};

use super::{ModelError, ModelEvent, ReplyStream};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedReply {
    pub(super) events: Vec<ModelEvent>,
    /// The error with which the reply ended, after the events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl RecordedReply {
    pub(super) fn new(events: impl IntoIterator<Item = ModelEvent>, error: Option<String>) -> Self {
        let events = events.into_iter().collect();
        Self { events, error }
    }
}

/// Returns replies in order, each once.
#[derive(Debug, Default)]
pub(super) struct Playback {
    pub(super) replies: Vec<RecordedReply>,
    next_index: AtomicUsize,
}

impl Playback {
    pub(super) fn new(replies: Vec<RecordedReply>) -> Self {
        Self {
            replies,
            ..Self::default()
        }
    }

    pub(super) fn used_count(&self) -> usize {
        let next = self.next_index.load(Ordering::Relaxed);
        next.min(self.replies.len())
    }

    pub(super) fn next_stream(&self) -> ReplyStream<'_> {
        let number = self.next_index.fetch_add(1, Ordering::Relaxed);
        let Some(reply) = self.replies.get(number) else {
            let used = self.replies.len();
            return stream::iter([Err(ModelError::ScriptEnded { used })]).boxed();
        };
        let error = reply.error.as_deref();
        let error = error.map(|text| Err(ModelError::provider(text)));
        stream::iter(reply.events.iter().cloned().map(Ok).chain(error)).boxed()
    }
}
