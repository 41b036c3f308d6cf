//! Renders a turn line by line, without escape sequences, for pipes and files.

use super::formatting::ShownResult;
use super::notes::{render_note, render_review, render_suggestions, replaced_reply};
use super::{RenderOptions, formatting};
use crate::{output, sanitize};
use helve_agent::{AgentEvent, EventKind};
use helve_core::tool::{ProgressStream, ProgressUpdate};

const MAX_RESULT_LINES: usize = 4;
/// The maximum width of a line of a call or a result.
const MAX_LINE_CHARS: usize = 110;

#[derive(Debug)]
pub(super) struct PipeRenderer {
    options: RenderOptions,
    /// Whether the last output is text of the model.
    is_in_text: bool,
}

impl PipeRenderer {
    pub(super) fn new(options: RenderOptions) -> Self {
        Self {
            options,
            is_in_text: false,
        }
    }

    pub(super) fn show(&mut self, event: &AgentEvent) {
        let is_own = event.origin.parent_call.is_none();
        if let EventKind::MessageDelta { text } = &event.kind {
            // The result of its task holds what a delegate says. Of several delegates, the texts would be mixed.
            if !is_own {
                return;
            }
            // A pipe may end in a terminal, as with `less -R` or `tee`. `--json` gives the exact text.
            output::print(&sanitize::replace_controls(text));
            self.is_in_text = true;
            return;
        }
        let Some(text) = self.describe(event) else {
            return;
        };
        if std::mem::take(&mut self.is_in_text) {
            output::line("\n");
        }
        output::line(&sanitize::replace_controls(&text));
    }

    fn describe(&self, event: &AgentEvent) -> Option<String> {
        let is_own = event.origin.parent_call.is_none();
        match &event.kind {
            EventKind::End { .. } if !is_own => None,
            EventKind::Retry(retry) => Some(self.render_retry(retry)),
            EventKind::ApprovalRequested { .. } if self.options.hides_questions => None,
            // The error is printed to standard error at the end of the command.
            EventKind::End { reason, .. } => Some(formatting::render_end(*reason, None)),
            other if is_own => render_event(other),
            other => render_event(other).map(|text| with_agent(&text, &event.origin.agent)),
        }
    }

    /// Renders a retry. The written part of the reply cannot be removed from a pipe.
    fn render_retry(&self, retry: &helve_model::Retry) -> String {
        let text = formatting::render_retry(retry);
        match self.is_in_text {
            true => format!("{text}; the partial reply above is discarded"),
            false => text,
        }
    }
}

/// Puts the name of a delegate behind the sign with which a text begins.
fn with_agent(text: &str, agent: &str) -> String {
    let agent = sanitize::one_line(agent);
    match text.split_once(' ') {
        Some((sign, rest)) if sign.chars().count() == 1 => format!("{sign} {agent}: {rest}"),
        _ => format!("  {agent}: {}", text.trim_start()),
    }
}

fn render_event(event: &EventKind) -> Option<String> {
    match event {
        EventKind::ToolCall {
            name, arguments, ..
        } => Some(format!(
            "→ {} {}",
            sanitize::one_line(name),
            sanitize::first_line(arguments, MAX_LINE_CHARS)
        )),
        EventKind::ToolProgress { update, .. } => render_progress(update),
        EventKind::ToolResult {
            name,
            content,
            is_error,
            exit,
            ..
        } => Some(render_result(
            name,
            &ShownResult {
                content,
                is_error: *is_error,
                exit: exit.as_ref(),
            },
        )),
        EventKind::ApprovalRequested { name, reason, .. } => {
            let (name, reason) = (sanitize::one_line(name), sanitize::one_line(reason));
            Some(format!("? {name} needs approval: {reason}"))
        }
        EventKind::ExternalRequested { name, .. } => Some(format!(
            "? {} runs externally and needs a result",
            sanitize::one_line(name)
        )),
        EventKind::Warning { message } => Some(format!("! {message}")),
        EventKind::Lagged { missed } => Some(format!("! {missed} events were not shown")),
        EventKind::Note {
            source, name, text, ..
        } => {
            let note = render_note(*source, name, text);
            // The lines of what was recalled stand apart from the reply.
            let end = if note.contains('\n') { "\n" } else { "" };
            Some(note + end)
        }
        EventKind::Reviewed { round, by, review } => {
            let said = render_review(*round, by, review)?;
            let text = replaced_reply(*round, review);
            Some(text.map_or(said.clone(), |text| format!("{said}\n\n{text}")))
        }
        EventKind::Suggested { prompts, .. } => Some(render_suggestions(prompts)),
        EventKind::Compacted => Some("— the conversation was summarized".to_owned()),
        _ => None,
    }
}

/// Renders the message of a tool, or the first line of its information. The output of a command is in the result.
fn render_progress(update: &ProgressUpdate) -> Option<String> {
    let information = match update.stream {
        Some(ProgressStream::Info) => update.text.trim(),
        _ => "",
    };
    let words = update.message.as_deref().unwrap_or(information);
    let shown = sanitize::first_line(words, MAX_LINE_CHARS);
    (!words.is_empty()).then(|| format!("  … {shown}"))
}

/// Renders a result with the name of the tool, since calls run concurrently and finish in any order.
fn render_result(name: &str, result: &ShownResult<'_>) -> String {
    let name = sanitize::one_line(name);
    let sign = if result.is_success() { "✓" } else { "✗" };
    let mut shown = match result.failed_exit() {
        Some(exit) => format!("{sign} {name}: {}\n", sanitize::one_line(&exit)),
        None => format!("{sign} {name}\n"),
    };
    let text = result.text();
    for line in text.lines().take(MAX_RESULT_LINES) {
        let line = sanitize::first_line(line, MAX_LINE_CHARS);
        shown.push_str(&format!("    {line}\n"));
    }
    match text.lines().count().saturating_sub(MAX_RESULT_LINES) {
        0 => {}
        1 => shown.push_str("    … 1 more line\n"),
        more => shown.push_str(&format!("    … {more} more lines\n")),
    }
    shown
}
