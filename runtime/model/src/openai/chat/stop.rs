//! Why a reply is over, in each provider's words.

use crate::openai::error;
use crate::{ApiErrorKind, ModelError, StopReason};

/// Reads a `finish_reason`.
///
/// # Errors
/// If it says that the provider failed.
pub(super) fn parse_finish_reason(
    word: &str,
    has_calls: bool,
    provider: &str,
) -> Result<StopReason, ModelError> {
    let failed = |kind| Err(error::ended_reply_error(kind, provider, word));
    Ok(match word {
        "length" | "max_tokens" => StopReason::MaxTokens,
        "model_length" | "model_context_window_exceeded" => StopReason::ContextWindow,
        "content_filter" | "sensitive" | "refusal" | "safety" => StopReason::Refusal,
        "insufficient_system_resource" => return failed(ApiErrorKind::Overloaded),
        "error" | "network_error" => return failed(ApiErrorKind::Server),
        "abort" | "cancelled" | "canceled" => return Err(ModelError::UnexpectedEnd),
        // Several servers say "stop" where there are calls, and some say that there are where there are none.
        _ if has_calls => StopReason::ToolUse,
        "stop_sequence" => StopReason::StopSequence,
        _ => StopReason::EndTurn,
    })
}
