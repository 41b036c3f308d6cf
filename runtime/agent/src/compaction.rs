//! Compaction: replaces the beginning of a conversation by a summary.

mod fit;
mod retained_facts;

pub(crate) use fit::fit_request;
pub use retained_facts::RetainedFacts;

use crate::exposure::{COMPRESS_HISTORY, ExposedTools};
use helve_core::transcript::{Message, ToolCallResult};
use helve_model::{ModelRequest, Reply, StopReason};

const SUMMARY_PROMPT: &str = "Sum up this conversation so that you can go on from the summary alone: what the user wants and has \
    decided, what was found out, which files were read or changed and how, what is done, and which tasks are still open. \
    Keep names, paths, numbers and error messages exactly. Write the summary only.";

/// The maximum length of the model's wish about what the summary should keep, in characters.
pub(super) const MAX_KEEP_CHARS: usize = 2_000;

/// Builds the request for a summary of another request's conversation. The request offers no tools, because the model
/// only has to write text.
pub(super) fn build_summary_request(of: &ModelRequest, wish: Option<&str>) -> ModelRequest {
    let mut asks = SUMMARY_PROMPT.to_owned();
    if let Some(wish) = wish {
        asks.push_str("\n\nAbove all, keep this: ");
        asks.push_str(wish);
    }
    let mut messages = of.messages.clone();
    messages.push(Message::user(asks));
    let mut request = ModelRequest::new(messages);
    request.system.clone_from(&of.system);
    request
}

/// Returns the summary from a reply.
///
/// # Errors
///
/// Returns the reason why the reply is not a summary.
pub(super) fn parse_summary(reply: &Reply) -> Result<String, String> {
    let text = reply.message.text();
    let text = text.trim();
    match reply.stop {
        StopReason::Refusal => Err("the model refused to summarize the conversation".to_owned()),
        _ if text.is_empty() => Err("the summary was empty".to_owned()),
        StopReason::MaxTokens | StopReason::ContextWindow => {
            Ok(format!("{text}\n[the summary is truncated here]"))
        }
        _ => Ok(text.to_owned()),
    }
}

/// The beginning of the text that replaces a conversation.
pub(super) const SUMMARY_HEADING: &str = "The conversation so far, summed up:";

/// Renders the replacement of a conversation: the summary, and the retained facts, which do not depend on the summary.
pub(super) fn render_summary(
    summary: &str,
    kept: &RetainedFacts,
    offered: &ExposedTools,
) -> String {
    let mut text = format!("{SUMMARY_HEADING}\n\n{summary}");
    let told = kept.render(offered);
    if !told.is_empty() {
        text.push_str("\n\nFrom the records, independent of the summary:\n");
        text.push_str(told.trim_end());
    }
    text
}

/// Returns whether the model has just requested a compaction, and its wish about what the summary should keep.
pub(super) fn find_compaction_request(messages: &[Message]) -> Option<Option<String>> {
    let [.., Message::Assistant(reply), Message::Tool { content }] = without_notes(messages) else {
        return None;
    };
    let mut calls = reply.calls().filter(|call| call.name == COMPRESS_HISTORY);
    let call = calls.find(|call| {
        let is_its = |result: &ToolCallResult| result.call_id == call.id && !result.is_error;
        content.iter().any(is_its)
    })?;
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let wish = arguments["keep"].as_str().map(str::trim);
    let wish = wish.filter(|wish| !wish.is_empty());
    Some(wish.map(|wish| helve_core::support::text::first_chars(wish, MAX_KEEP_CHARS).to_owned()))
}

/// Returns the messages before the notes at the end, which the model has not read yet.
pub(crate) fn without_notes(messages: &[Message]) -> &[Message] {
    let is_note = |message: &&Message| matches!(message, Message::Note(_));
    let notes = messages.iter().rev().take_while(is_note).count();
    &messages[..messages.len() - notes]
}
