//! What a model's reply consists of while it streams.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use helve_core::transcript::{CallId, RawJson, ReplySource, ToolName, Usage};

/// One event of a model's reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelEvent {
    /// The provider began a reply.
    ReplyStarted(ReplySource),
    /// More text.
    TextDelta {
        /// The text.
        text: String,
    },
    /// More thinking.
    ThinkingDelta {
        /// The thinking.
        text: String,
    },
    /// The provider's proof of the thinking so far; ends that block of it.
    ThinkingSignature {
        /// The proof, opaque.
        signature: String,
    },
    /// A tool call begins.
    ToolCallStart {
        /// The provider's id of the call, unique in the reply.
        id: CallId,
        /// The tool's name.
        name: ToolName,
    },
    /// More of the arguments of a tool call. Calls may interleave.
    ToolCallDelta {
        /// The call.
        id: CallId,
        /// The next piece of the text.
        arguments: String,
    },
    /// The provider's proof of a tool call, which has to be sent back with the call.
    ToolCallSignature {
        /// The call.
        id: CallId,
        /// The proof, opaque.
        signature: String,
    },
    /// Something that only the provider understands, whole: it is kept and sent back as it came.
    ProviderItem {
        /// The protocol that it belongs to, as in [`ReplySource::api`].
        api: String,
        /// The item, exactly as it came.
        item: RawJson,
    },
    /// The request is retried because the reply failed: the events of the reply so far are void.
    Retry(Retry),
    /// What the reply used up so far; replaces what an earlier event said.
    Usage(Usage),
    /// The reply is over.
    Stop {
        /// Why.
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
    /// Creates one that goes to the same model.
    pub fn new(attempt: u32, wait: Duration, error: impl Into<String>) -> Self {
        Self {
            attempt,
            wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            error: error.into(),
            fallback: None,
        }
    }

    /// Names the model that is asked next.
    #[must_use]
    pub fn with_fallback(mut self, model: impl Into<String>) -> Self {
        self.fallback = Some(model.into());
        self
    }
}

/// Why a reply is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The model said all it wanted to.
    EndTurn,
    /// The model waits for the results of its calls.
    ToolUse,
    /// A stop sequence came up.
    StopSequence,
    /// The reply reached its output limit, possibly in the middle of something.
    MaxTokens,
    /// The conversation and the reply fill the model's context.
    ContextWindow,
    /// The provider paused a long reply: called again with what it said so far, the model goes on.
    PauseTurn,
    /// The model, or the provider on its behalf, refused.
    Refusal,
    /// The reply was cut short from our side.
    Cancelled,
}
