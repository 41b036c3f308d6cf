//! What a person sees of a turn: the model's words as they come, and a line or two a call.

use std::sync::{Mutex, PoisonError};

use super::output;
use crate::agent::turn::EndReason;
use crate::agent::{AgentEvent, EventKind};
use crate::transcript::ContentBlock;

/// How many lines of a result are shown.
const RESULT_LINES: usize = 4;
/// How wide a line of a call or a result is shown.
const LINE_WIDTH: usize = 110;

/// Writes events to standard output.
#[derive(Debug, Default)]
pub(super) struct Renderer {
    /// Whether somebody else puts the questions where the events are shown.
    leaves_questions: bool,
    /// Whether the cursor stands behind words of the model.
    in_text: Mutex<bool>,
}

impl Renderer {
    /// Leaves the questions to whoever puts them.
    pub(super) fn leave_questions(mut self, leaves: bool) -> Self {
        self.leaves_questions = leaves;
        self
    }

    pub(super) fn show(&self, event: &AgentEvent) {
        let mut in_text = self.in_text.lock().unwrap_or_else(PoisonError::into_inner);
        if let EventKind::MessageDelta { text } = &event.kind {
            output::print(text);
            *in_text = true;
            return;
        }
        let is_question = matches!(event.kind, EventKind::ApprovalRequested { .. });
        let text = describe(&event.kind).filter(|_| !(is_question && self.leaves_questions));
        let Some(text) = text else { return };
        if std::mem::take(&mut *in_text) {
            output::line("\n");
        }
        output::line(&text);
    }
}

fn describe(event: &EventKind) -> Option<String> {
    match event {
        EventKind::ToolCall {
            name, arguments, ..
        } => Some(format!(
            "→ {name} {}",
            output::first_line(arguments, LINE_WIDTH)
        )),
        EventKind::ToolProgress { update, .. } => {
            let words = update.message.as_deref().unwrap_or(update.text.trim());
            let shown = output::first_line(words, LINE_WIDTH);
            (!words.is_empty()).then(|| format!("  … {shown}"))
        }
        EventKind::ToolResult {
            name,
            content,
            is_error,
            ..
        } => Some(result(name, content, *is_error)),
        EventKind::ApprovalRequested { name, reason, .. } => {
            Some(format!("? {name} needs approval: {reason}"))
        }
        EventKind::ExternalRequested { name, .. } => Some(format!(
            "? {name} is done elsewhere; its result has to be handed in"
        )),
        EventKind::Warning { message } => Some(format!("! {message}")),
        EventKind::Compacted => Some("— the conversation so far was summed up".to_owned()),
        EventKind::End { reason, error } => Some(end(*reason, error.as_deref())),
        _ => None,
    }
}

/// Names the tool, since calls run side by side and their results come as they are ready.
fn result(name: &str, content: &[ContentBlock], is_error: bool) -> String {
    let text: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
    let text = text.join("\n");
    let mut shown = format!("{} {name}\n", if is_error { "✗" } else { "✓" });
    for line in text.lines().take(RESULT_LINES) {
        shown.push_str(&format!("    {}\n", output::first_line(line, LINE_WIDTH)));
    }
    match text.lines().count().saturating_sub(RESULT_LINES) {
        0 => {}
        1 => shown.push_str("    … 1 more line\n"),
        more => shown.push_str(&format!("    … {more} more lines\n")),
    }
    shown
}

fn end(reason: EndReason, error: Option<&str>) -> String {
    match (reason, error) {
        (EndReason::Finished, _) => "— finished".to_owned(),
        (EndReason::Interrupted, _) => "— interrupted".to_owned(),
        (reason, Some(error)) => format!("— ended: {reason}: {error}"),
        (reason, None) => format!("— ended: {reason}"),
    }
}
