//! What a model's reply consists of while it streams.

use serde::{Deserialize, Serialize};

use crate::transcript::{CallId, ToolName, Usage};

/// One event of a model's reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelEvent {
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
    /// What the reply used up so far; replaces what an earlier event said.
    Usage(Usage),
    /// The reply is over.
    Stop {
        /// Why.
        reason: StopReason,
    },
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
    /// The model, or the provider on its behalf, refused.
    Refusal,
    /// The reply was cut short from our side.
    Cancelled,
}
