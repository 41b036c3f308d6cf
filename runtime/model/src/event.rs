//! The events of a model's reply while it is streamed.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use helve_core::transcript::{CallId, RawJson, ReplySource, ToolName, Usage};

/// One event of a model's reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelEvent {
    /// The provider has started a reply.
    ReplyStarted(ReplySource),
    /// A piece of text.
    TextDelta {
        /// The text.
        text: String,
    },
    /// A piece of thinking.
    ThinkingDelta {
        /// The text.
        text: String,
    },
    /// The provider's signature of the thinking so far, which ends that block of thinking.
    ThinkingSignature {
        /// The opaque signature.
        signature: String,
    },
    /// The start of a tool call.
    ToolCallStart {
        /// The provider's id of the call, unique within the reply.
        id: CallId,
        /// The name of the tool.
        name: ToolName,
    },
    /// A piece of the arguments of a tool call. Pieces of several calls may interleave.
    ToolCallDelta {
        /// The id of the call.
        id: CallId,
        /// The next piece of the JSON text.
        arguments: String,
    },
    /// The provider's signature of a tool call, which must be sent back with the call.
    ToolCallSignature {
        /// The id of the call.
        id: CallId,
        /// The opaque signature.
        signature: String,
    },
    /// A complete item that only the provider interprets, which is stored and sent back unchanged.
    ProviderItem {
        /// The protocol of the item, as in [`ReplySource::api`].
        api: String,
        /// The item, unchanged.
        item: RawJson,
    },
    /// The request is retried because the reply failed: all events of the reply so far are void.
    Retry(Retry),
    /// The usage of the reply so far; replaces the usage of earlier events.
    Usage(Usage),
    /// The end of the reply.
    Stop {
        /// The reason.
        reason: StopReason,
    },
}

impl ModelEvent {
    pub(crate) fn call(id: &CallId, name: impl Into<ToolName>) -> Self {
        let (id, name) = (id.clone(), name.into());
        Self::ToolCallStart { id, name }
    }

    pub(crate) fn arguments(id: &CallId, more: impl Into<String>) -> Self {
        let (id, arguments) = (id.clone(), more.into());
        Self::ToolCallDelta { id, arguments }
    }

    pub(crate) fn stop(reason: StopReason) -> Self {
        Self::Stop { reason }
    }
}

/// What is known of a reply that is asked for once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Retry {
    /// The number of the attempt that follows; the first one is 1, so this is 2 or more.
    pub attempt: u32,
    /// How long is waited before it, in milliseconds.
    pub wait_ms: u64,
    /// What went wrong with the one before, in words.
    pub error: String,
    /// The model that is asked next, as `provider/model`, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

impl Retry {
    /// Creates a retry with the same model.
    pub fn new(attempt: u32, wait: Duration, error: impl Into<String>) -> Self {
        Self {
            attempt,
            wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            error: error.into(),
            fallback: None,
        }
    }

    /// Sets the model of the next attempt.
    #[must_use]
    pub fn with_fallback(mut self, model: impl Into<String>) -> Self {
        self.fallback = Some(model.into());
        self
    }
}

/// The reason why a reply has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The reply is complete.
    EndTurn,
    /// The model waits for the results of its calls.
    ToolUse,
    /// The model generated a stop sequence.
    StopSequence,
    /// The reply reached its output limit, possibly in the middle of a part.
    MaxTokens,
    /// The conversation and the reply fill the model's context.
    ContextWindow,
    /// The provider paused a long reply: the model continues when it is called again with the reply so far.
    PauseTurn,
    /// The model or the provider refused to reply.
    Refusal,
    /// The caller cancelled the reply.
    Cancelled,
}
