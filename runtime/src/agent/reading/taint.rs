//! Whether a conversation holds text that may try to steer the model.

use super::untrusted::OPENING;
use crate::permission::Taint;
use crate::transcript::{ContentBlock, Message, ToolResult};

/// Returns the taint of a conversation: the last untrusted text that was read since the user last spoke.
///
/// It needs nothing but the messages, so that a turn that another process goes on with is as careful as before.
#[must_use]
pub fn taint_of(messages: &[Message]) -> Option<Taint> {
    let recent = messages
        .iter()
        .rev()
        .take_while(|message| !matches!(message, Message::User { .. }));
    let results = recent.filter_map(|message| match message {
        Message::Tool { content } => Some(content),
        _ => None,
    });
    results
        .flat_map(|results| results.iter().rev())
        .find_map(of_result)
}

/// Returns the last untrusted text that a conversation holds, whoever spoke since.
pub(in crate::agent) fn taint_anywhere(messages: &[Message]) -> Option<Taint> {
    let results = messages.iter().rev().filter_map(|message| match message {
        Message::Tool { content } => Some(content),
        _ => None,
    });
    results
        .flat_map(|results| results.iter().rev())
        .find_map(of_result)
}

fn of_result(result: &ToolResult) -> Option<Taint> {
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    texts.into_iter().find_map(of_text)
}

/// Reads the opening tag of an enclosure.
pub(super) fn of_text(text: &str) -> Option<Taint> {
    let (source, rest) = text.strip_prefix(OPENING)?.split_once("\" tool=\"")?;
    let (tool, _) = rest.split_once("\">")?;
    Some(Taint::new(tool, source))
}
