//! A turn on a terminal: what is finished, and what is still going on below it.

use std::time::Instant;

use super::calls::CallView;
use super::thinking::ThinkingView;
use super::totals::UsageTotals;
use super::{Prose, RenderOptions, formatting};
use crate::screen::{Colors, Line, ScreenFrame, ScreenView, theme};
use helve_agent::turn::EndReason;
use helve_agent::{AgentEvent, EventKind};
use helve_core::transcript::CallId;
use helve_model::Retry;

/// The frames of the sign that shows that something is going on.
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// The duration of a frame in milliseconds.
const SPINNER_FRAME_MS: u128 = 100;
/// The maximum number of running calls that are shown.
const MAX_CALLS: usize = 6;

/// The widest that text is set: longer lines are hard to read.
const MAX_TEXT_WIDTH: usize = 100;

/// Returns how wide text is set, the same while it comes and when it is finished.
fn text_width(frame: ScreenFrame) -> usize {
    (frame.size.columns - 1).min(MAX_TEXT_WIDTH)
}

/// A turn as a terminal shows it.
#[derive(Debug)]
pub(super) struct View {
    options: RenderOptions,
    prose: Prose,
    thinking: Option<ThinkingView>,
    calls: Vec<CallView>,
    totals: UsageTotals,
    started: Option<Instant>,
    is_over: bool,
    /// Whether finished lines contain text of the current reply.
    has_reply_text: bool,
    /// The kind of the last section, which a blank line separates from other kinds.
    last_kind: Option<SectionKind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionKind {
    Prose,
    Thinking,
    Call,
    Notice,
    Question,
    End,
}

impl View {
    pub(super) fn new(options: RenderOptions) -> Self {
        Self::with_colors(options, Colors::of_stdout())
    }

    pub(super) fn with_colors(options: RenderOptions, colors: Colors) -> Self {
        Self {
            options,
            prose: Prose::new(colors),
            thinking: None,
            calls: Vec::new(),
            totals: UsageTotals::default(),
            started: None,
            is_over: false,
            has_reply_text: false,
            last_kind: None,
        }
    }

    /// Appends finished lines of a kind.
    fn commit(&mut self, kind: SectionKind, lines: Vec<Line>, finished: &mut Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        if self.last_kind.is_some_and(|last| last != kind) {
            finished.push(Line::new());
        }
        self.last_kind = Some(kind);
        self.has_reply_text |= kind == SectionKind::Prose;
        finished.extend(lines);
    }

    fn notice(&mut self, text: &str, frame: ScreenFrame, finished: &mut Vec<Line>) {
        self.finish_text(frame, finished);
        let lines = Line::styled(text, theme::NOTICE).wrap(frame.size.columns);
        self.commit(SectionKind::Notice, lines, finished);
    }

    /// Finishes the text and the reasoning.
    fn finish_text(&mut self, frame: ScreenFrame, finished: &mut Vec<Line>) {
        self.finish_thinking(frame, finished);
        let mut lines = Vec::new();
        self.prose.finish(text_width(frame), &mut lines);
        self.commit(SectionKind::Prose, lines, finished);
    }

    fn finish_thinking(&mut self, frame: ScreenFrame, finished: &mut Vec<Line>) {
        if let Some(thinking) = self.thinking.take() {
            let mut lines = Vec::new();
            thinking.finish(frame, &mut lines);
            self.commit(SectionKind::Thinking, lines, finished);
        }
    }

    fn call(&mut self, id: &CallId) -> Option<&mut CallView> {
        self.calls.iter_mut().find(|call| call.id == *id)
    }

    /// Returns the call, which is shown as running until it has a result.
    fn get_or_add_call(&mut self, id: &CallId, name: &str, now: Instant) -> Option<&mut CallView> {
        if self.call(id).is_none() {
            self.calls.push(CallView::new(id.clone(), name, now));
        }
        self.call(id)
    }

    fn retry(&mut self, retry: &Retry, frame: ScreenFrame, finished: &mut Vec<Line>) {
        let mut text = formatting::render_retry(retry);
        self.prose.reset();
        if std::mem::take(&mut self.has_reply_text) {
            text.push_str("; the partial reply above is discarded");
        }
        self.thinking = None;
        self.calls.retain(CallView::is_complete);
        self.notice(&text, frame, finished);
    }

    fn end(
        &mut self,
        reason: EndReason,
        error: Option<&str>,
        frame: ScreenFrame,
        finished: &mut Vec<Line>,
    ) {
        self.finish_text(frame, finished);
        self.is_over = true;
        self.calls.clear();
        let style = match reason {
            EndReason::Finished => theme::DIM,
            EndReason::Interrupted => theme::NOTICE,
            _ => theme::BAD,
        };
        let mut line = Line::styled(&formatting::render_end(reason, error), style);
        let time = self
            .started
            .map(|since| frame.now.saturating_duration_since(since));
        for part in self.totals.parts(time) {
            line.push(&format!(" · {part}"), theme::DIM);
        }
        let lines = line.wrap(frame.size.columns);
        self.commit(SectionKind::End, lines, finished);
    }

    /// Shows the events of a delegate below the call that runs the delegate.
    fn handle_delegate_event(
        &mut self,
        event: &AgentEvent,
        frame: ScreenFrame,
        finished: &mut Vec<Line>,
    ) {
        let said = match &event.kind {
            EventKind::Usage { usage, cost, .. } => {
                self.totals.add(usage, *cost);
                return;
            }
            EventKind::Warning { message } => {
                self.notice(
                    &format!("! {}: {message}", event.origin.agent),
                    frame,
                    finished,
                );
                return;
            }
            EventKind::ToolCall {
                name, arguments, ..
            } => formatting::render_call("→ ", name, formatting::arguments_text(arguments)).text(),
            EventKind::MessageDelta { .. } => "writing".to_owned(),
            EventKind::ReasoningDelta { .. } => "thinking".to_owned(),
            EventKind::ApprovalRequested { .. } => {
                return self.handle_notice(&event.kind, frame, finished);
            }
            _ => return,
        };
        let agent = &event.origin.agent;
        let parent = event.origin.parent_call.as_ref();
        let call = self
            .calls
            .iter_mut()
            .find(|call| call.address.as_ref() == parent);
        if let Some(call) = call {
            call.set_message(&format!("{agent}: {said}"));
        }
    }

    fn handle_own_event(
        &mut self,
        event: &AgentEvent,
        frame: ScreenFrame,
        finished: &mut Vec<Line>,
    ) {
        match &event.kind {
            EventKind::MessageDelta { text } => {
                self.finish_thinking(frame, finished);
                let mut lines = Vec::new();
                self.prose.push(text, text_width(frame), &mut lines);
                self.commit(SectionKind::Prose, lines, finished);
            }
            EventKind::ReasoningDelta { text } => self.push_thinking(text, frame, finished),
            EventKind::Retry(retry) => self.retry(retry, frame, finished),
            EventKind::Usage { usage, cost, .. } => {
                self.finish_text(frame, finished);
                self.has_reply_text = false;
                self.totals.add(usage, *cost);
            }
            EventKind::End { reason, error } => {
                self.end(*reason, error.as_deref(), frame, finished);
            }
            EventKind::ToolCallStarted { .. }
            | EventKind::ToolCallDelta { .. }
            | EventKind::ToolCall { .. }
            | EventKind::ToolProgress { .. }
            | EventKind::ToolResult { .. } => self.handle_call_event(event, frame, finished),
            EventKind::ApprovalRequested {
                call,
                name,
                arguments,
                ..
            } => {
                // A resumed turn has events of its questions, but not of its calls.
                if let Some(call) = self.get_or_add_call(call, name, frame.now) {
                    call.start(
                        event.key.clone(),
                        formatting::arguments_text(arguments),
                        frame.now,
                    );
                }
                self.handle_notice(&event.kind, frame, finished);
            }
            other => self.handle_notice(other, frame, finished),
        }
    }

    fn handle_call_event(
        &mut self,
        event: &AgentEvent,
        frame: ScreenFrame,
        finished: &mut Vec<Line>,
    ) {
        match &event.kind {
            EventKind::ToolCallStarted { call, name } => {
                self.finish_text(frame, finished);
                self.get_or_add_call(call, name, frame.now);
            }
            EventKind::ToolCallDelta { call, arguments } => {
                if let Some(call) = self.call(call) {
                    call.push_arguments(arguments);
                }
            }
            EventKind::ToolCall {
                call,
                name,
                arguments,
            } => {
                self.finish_text(frame, finished);
                if let Some(call) = self.get_or_add_call(call, name, frame.now) {
                    call.start(
                        event.key.clone(),
                        formatting::arguments_text(arguments),
                        frame.now,
                    );
                }
            }
            EventKind::ToolProgress { call, update } => {
                if let Some(call) = self.call(call) {
                    call.update_progress(update);
                }
            }
            EventKind::ToolResult {
                call,
                name,
                content,
                is_error,
                ..
            } => {
                self.finish_text(frame, finished);
                self.get_or_add_call(call, name, frame.now);
                let index = self.calls.iter().position(|known| known.id == *call);
                if let Some(index) = index {
                    let call = self.calls.remove(index);
                    let lines = call.result_lines(content, *is_error, frame);
                    self.commit(SectionKind::Call, lines, finished);
                }
            }
            _ => {}
        }
    }

    /// Finishes the text, since the approver shows the question below the finished lines.
    fn skip_question(&mut self, frame: ScreenFrame, finished: &mut Vec<Line>) {
        self.finish_text(frame, finished);
        self.last_kind = Some(SectionKind::Question);
    }

    fn handle_notice(&mut self, event: &EventKind, frame: ScreenFrame, finished: &mut Vec<Line>) {
        let text = match event {
            EventKind::ApprovalRequested { name, reason, .. } => {
                if self.options.hides_questions {
                    return self.skip_question(frame, finished);
                }
                format!("? {name} needs approval: {reason}")
            }
            EventKind::ExternalRequested { name, .. } => {
                format!("? {name} runs externally and needs a result")
            }
            EventKind::Warning { message } => format!("! {message}"),
            EventKind::Lagged { missed } => format!("! {missed} events were not shown"),
            EventKind::Compacted => "— the conversation was summarized".to_owned(),
            EventKind::Waiting { .. } => {
                self.finish_text(frame, finished);
                self.is_over = true;
                self.calls.clear();
                return;
            }
            _ => return,
        };
        self.notice(&text, frame, finished);
    }

    fn push_thinking(&mut self, text: &str, frame: ScreenFrame, finished: &mut Vec<Line>) {
        if self.thinking.is_none() {
            self.finish_text(frame, finished);
        }
        let is_shown = self.options.shows_thinking;
        let thinking = self
            .thinking
            .get_or_insert_with(|| ThinkingView::new(frame.now, is_shown));
        let mut lines = Vec::new();
        thinking.push(text, frame, &mut lines);
        self.commit(SectionKind::Thinking, lines, finished);
    }

    /// Renders the current activity and its duration.
    fn status_line(&self, frame: ScreenFrame, is_writing: bool) -> Option<Line> {
        let started = self.started.filter(|_| !self.is_over)?;
        let time = frame.now.saturating_duration_since(started);
        let frame = SPINNER
            [usize::try_from(time.as_millis() / SPINNER_FRAME_MS).unwrap_or(0) % SPINNER.len()];
        let doing = if self.thinking.is_some() {
            "thinking"
        } else if !self.calls.is_empty() {
            "working"
        } else if is_writing {
            "writing"
        } else {
            "waiting for the model"
        };
        let mut line = Line::styled(&format!("{frame} {doing}"), theme::DIM);
        if time.as_secs() > 0 {
            line.push(
                &format!("  {}", formatting::format_duration(time)),
                theme::DIM,
            );
        }
        line.push("  Ctrl-C to interrupt", theme::DIM);
        Some(line)
    }
}

impl ScreenView for View {
    fn handle_event(&mut self, event: &AgentEvent, frame: ScreenFrame, finished: &mut Vec<Line>) {
        self.started.get_or_insert(frame.now);
        if event.origin.parent_call.is_some() {
            self.handle_delegate_event(event, frame, finished);
        } else {
            self.handle_own_event(event, frame, finished);
        }
    }

    fn live_lines(&self, frame: ScreenFrame) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut add = |kind: Option<SectionKind>, more: Vec<Line>| {
            if more.is_empty() {
                return;
            }
            let is_first = lines.is_empty();
            if !is_first || (self.last_kind.is_some() && self.last_kind != kind) {
                lines.push(Line::new());
            }
            lines.extend(more);
        };
        let tail = self.prose.tail(text_width(frame));
        let is_writing = !tail.is_empty();
        add(Some(SectionKind::Prose), tail);
        let thinking = self.thinking.as_ref();
        add(
            Some(SectionKind::Thinking),
            thinking
                .map(|thinking| thinking.live_lines(frame))
                .unwrap_or_default(),
        );
        let hidden = self.calls.len().saturating_sub(MAX_CALLS);
        let shown = self.calls.iter().skip(hidden);
        let mut calls: Vec<Line> = shown.flat_map(|call| call.live_lines(frame)).collect();
        if hidden > 0 {
            calls.push(Line::styled(
                &format!("  … {hidden} more calls"),
                theme::DIM,
            ));
        }
        add(Some(SectionKind::Call), calls);
        add(
            None,
            self.status_line(frame, is_writing).into_iter().collect(),
        );
        lines
    }

    fn finish(&mut self, frame: ScreenFrame, finished: &mut Vec<Line>) {
        self.finish_text(frame, finished);
    }
}

#[cfg(test)]
mod tests;
