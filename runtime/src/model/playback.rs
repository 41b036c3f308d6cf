//! What the scripted and the replaying model share: replies that are known beforehand, given in order.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_core::stream::BoxStream;
use futures_util::stream::{self, StreamExt as _};
use serde::{Deserialize, Serialize};

use super::{ModelError, ModelEvent};

/// A reply that is known beforehand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownReply {
    pub(super) events: Vec<ModelEvent>,
    /// The error that the reply ended with, after the events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl KnownReply {
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
    pub(super) replies: Vec<KnownReply>,
    asked: AtomicUsize,
}

impl Playback {
    pub(super) fn new(replies: Vec<KnownReply>) -> Self {
        Self {
            replies,
            asked: AtomicUsize::new(0),
        }
    }

    pub(super) fn used(&self) -> usize {
        self.asked.load(Ordering::Relaxed).min(self.replies.len())
    }

    pub(super) fn next(&self) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
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
