//! The names of the protocols, as in [`ReplySource::api`](helve_core::transcript::ReplySource::api).

/// Anthropic Messages.
pub(super) const ANTHROPIC_MESSAGES: &str = "anthropic.messages";
/// OpenAI Chat Completions.
pub(super) const OPENAI_CHAT: &str = "openai.chat";
/// OpenAI Responses.
pub(super) const OPENAI_RESPONSES: &str = "openai.responses";
