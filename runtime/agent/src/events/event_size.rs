//! The sizes of events in a backlog, and their classification as retained or droppable.

use std::sync::Arc;

use crate::turn::Review;
use crate::{AgentEvent, EventKind};
use helve_core::tool::Preview;
use helve_core::transcript::ContentBlock;

pub(super) fn estimated_bytes(event: &AgentEvent) -> usize {
    size_of::<AgentEvent>() + text_bytes(&event.kind)
}

fn text_bytes(kind: &EventKind) -> usize {
    match kind {
        EventKind::MessageDelta { text }
        | EventKind::ReasoningDelta { text }
        | EventKind::Note { text, .. } => text.len(),
        EventKind::Retry(retry) => retry.error.len(),
        EventKind::ToolCallDelta { arguments, .. } => arguments.len(),
        EventKind::ToolCall { arguments, .. }
        | EventKind::Submitted { arguments, .. }
        | EventKind::ExternalRequested { arguments, .. } => arguments.len(),
        EventKind::ToolProgress { update, .. } => {
            update.text.len() + update.message.as_ref().map_or(0, String::len)
        }
        EventKind::ToolResult { content, .. } | EventKind::UserMessage { content } => {
            content.iter().map(ContentBlock::estimated_bytes).sum()
        }
        EventKind::ApprovalRequested {
            arguments,
            reason,
            suggestions,
            preview,
            ..
        } => {
            let rules = suggestions.iter().map(|rule| {
                size_of_val(rule) + rule.tool.len() + rule.content.as_ref().map_or(0, String::len)
            });
            arguments.len() + reason.len() + preview_bytes(preview.as_ref()) + rules.sum::<usize>()
        }
        EventKind::Reply {
            text, reasoning, ..
        } => text.len() + reasoning.len(),
        EventKind::Asked {
            arguments, reason, ..
        } => arguments.len() + reason.len(),
        EventKind::Warning { message } => message.len(),
        EventKind::Suggested { prompts, .. } => prompts.iter().map(String::len).sum(),
        EventKind::Reviewed { review, .. } => match review {
            Review::Pass => 0,
            Review::Again { note: text }
            | Review::Replace { text }
            | Review::Block { why: text } => text.len(),
        },
        EventKind::DelegateStarted { label, .. } => label.as_ref().map_or(0, String::len),
        EventKind::End { error, .. } => error.as_ref().map_or(0, String::len),
        _ => 0,
    }
}

fn preview_bytes(preview: Option<&Preview>) -> usize {
    match preview {
        Some(Preview::Diff { path, unified, .. }) => path.len() + unified.len(),
        Some(Preview::Commits { commits }) => commits.iter().map(String::len).sum(),
        None => 0,
    }
}

/// Reports whether an event is retained for a slow reader: a question, an answer, or the end of a turn.
pub(super) fn is_retained(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::ApprovalRequested { .. }
            | EventKind::ApprovalDecided { .. }
            | EventKind::ExternalRequested { .. }
            | EventKind::Reviewed { .. }
            | EventKind::Waiting { .. }
            | EventKind::End { .. }
    )
}

/// Appends an event to the previous one if both are pieces of the same text. Returns `false` if they are not, or if the
/// result would exceed `most` bytes. A shared event is copied only if something is appended.
pub(super) fn append_delta(before: &mut Arc<AgentEvent>, event: &AgentEvent, most: usize) -> bool {
    let (Some(text), Some(more)) = (delta_text(&before.kind), delta_text(&event.kind)) else {
        return false;
    };
    let goes_on = before.origin == event.origin
        && before.key == event.key
        && is_same_text(&before.kind, &event.kind);
    if !goes_on || text.len() + more.len() > most {
        return false;
    }
    match &mut Arc::make_mut(before).kind {
        EventKind::MessageDelta { text } | EventKind::ReasoningDelta { text } => {
            text.push_str(more);
        }
        EventKind::ToolCallDelta { arguments, .. } => arguments.push_str(more),
        EventKind::ToolProgress { update, .. } => update.text.push_str(more),
        _ => return false,
    }
    true
}

/// Returns the text of an event that is a piece of a text.
fn delta_text(kind: &EventKind) -> Option<&str> {
    match kind {
        EventKind::MessageDelta { text } | EventKind::ReasoningDelta { text } => Some(text),
        EventKind::ToolCallDelta { arguments, .. } => Some(arguments),
        EventKind::ToolProgress { update, .. } if update.stream.is_some() => Some(&update.text),
        _ => None,
    }
}

fn is_same_text(before: &EventKind, kind: &EventKind) -> bool {
    match (before, kind) {
        (EventKind::MessageDelta { .. }, EventKind::MessageDelta { .. })
        | (EventKind::ReasoningDelta { .. }, EventKind::ReasoningDelta { .. }) => true,
        (EventKind::ToolCallDelta { call, .. }, EventKind::ToolCallDelta { call: same, .. }) => {
            call == same
        }
        (
            EventKind::ToolProgress { call, update },
            EventKind::ToolProgress {
                call: same,
                update: more,
            },
        ) => call == same && (update.stream, update.audience) == (more.stream, more.audience),
        _ => false,
    }
}
