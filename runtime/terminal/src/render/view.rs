//! A turn on a terminal: what is finished, and what is still going on below it.

use std::time::Instant;

use super::calls::CallView;
use super::formatting::ShownResult;
use super::notes::{render_note, render_review, render_suggestions, replaced_reply};
use super::thinking::ThinkingView;
use super::totals::usage_parts;
use super::{Prose, RenderOptions, formatting};
use crate::screen::{Colors, Line, ScreenFrame, ScreenView, theme};
use helve_agent::turn::{EndReason, Review};
use helve_agent::{AgentEvent, EventKind};
use helve_core::transcript::{CallAddress, CallId, Cost, Usage};
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
pub(super) struct View {
    options: RenderOptions,
    /// The time and the size of the terminal at the last event.
    frame: ScreenFrame,
    /// The lines that the current event finishes.
    finished: Vec<Line>,
    prose: Prose,
    thinking: Option<ThinkingView>,
    calls: Vec<CallView>,
    usage: Usage,
    cost: Cost,
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
            frame: ScreenFrame::current(),
            finished: Vec::new(),
            prose: Prose::new(colors),
            thinking: None,
            calls: Vec::new(),
            usage: Usage::default(),
            cost: Cost::default(),
            started: None,
            is_over: false,
            has_reply_text: false,
            last_kind: None,
        }
    }

    /// Appends finished lines of a kind.
    fn commit(&mut self, kind: SectionKind, lines: Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        if self.last_kind.is_some_and(|last| last != kind) {
            self.finished.push(Line::new());
        }
        self.last_kind = Some(kind);
        self.has_reply_text |= kind == SectionKind::Prose;
        self.finished.extend(lines);
    }

    fn notice(&mut self, text: &str) {
        self.finish_text();
        let width = self.frame.size.columns;
        let lines = text.lines();
        let lines = lines.flat_map(|line| {
            let indent = if line.starts_with("    ") { 4 } else { 0 };
            Line::styled(line, theme::NOTICE).wrap_hanging(width, indent)
        });
        let lines = lines.collect();
        self.commit(SectionKind::Notice, lines);
    }

    fn finish_text(&mut self) {
        self.finish_thinking();
        let mut lines = Vec::new();
        self.prose.finish(text_width(self.frame), &mut lines);
        self.commit(SectionKind::Prose, lines);
    }

    fn finish_thinking(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            let lines = thinking.finish(self.frame);
            self.commit(SectionKind::Thinking, lines);
        }
    }

    fn call(&mut self, id: &CallId) -> Option<&mut CallView> {
        self.calls.iter_mut().find(|call| call.id == *id)
    }

    /// Returns the index of a call, which is shown as running until it has a result.
    fn get_or_add_call(&mut self, id: &CallId, name: &str) -> usize {
        let known = self.calls.iter().position(|call| call.id == *id);
        known.unwrap_or_else(|| {
            self.calls
                .push(CallView::new(id.clone(), name, self.frame.now));
            self.calls.len() - 1
        })
    }

    fn start_call(&mut self, event: &AgentEvent, id: &CallId, name: &str, arguments: &str) {
        let index = self.get_or_add_call(id, name);
        self.calls[index].start(event.key.clone(), arguments, self.frame.now);
    }

    fn retry(&mut self, retry: &Retry) {
        let mut text = formatting::render_retry(retry);
        self.prose.reset();
        if std::mem::take(&mut self.has_reply_text) {
            text.push_str("; the partial reply above is discarded");
        }
        self.thinking = None;
        self.calls.retain(CallView::is_complete);
        self.notice(&text);
    }

    fn end(&mut self, reason: EndReason, error: Option<&str>) {
        self.finish_text();
        self.is_over = true;
        self.calls.clear();
        let style = match reason {
            EndReason::Finished | EndReason::HandedOff => theme::DIM,
            EndReason::Interrupted => theme::NOTICE,
            _ => theme::BAD,
        };
        let mut line = Line::styled(&formatting::render_end(reason, error), style);
        let time = self
            .started
            .map(|since| self.frame.now.saturating_duration_since(since));
        for part in usage_parts(&self.usage, self.cost, time) {
            line.push(&format!(" · {part}"), theme::DIM);
        }
        let lines = line.wrap(self.frame.size.columns);
        self.commit(SectionKind::End, lines);
    }

    /// Shows the events of a delegate below the call that runs the delegate.
    fn handle_delegate_event(&mut self, event: &AgentEvent) {
        let said = match &event.kind {
            EventKind::Usage { usage, cost, .. } => {
                self.usage += *usage;
                self.cost += *cost;
                return;
            }
            EventKind::Warning { message } => {
                self.notice(&format!("! {}: {message}", event.origin.agent));
                return;
            }
            EventKind::ToolCall {
                name, arguments, ..
            } => formatting::render_call("→ ", name, arguments).text(),
            EventKind::MessageDelta { .. } => "writing".to_owned(),
            EventKind::ReasoningDelta { .. } => "thinking".to_owned(),
            EventKind::ApprovalRequested { name, reason, .. } => {
                let agent = &event.origin.agent;
                let address = event.key.as_ref().map(|address| format!(" ({address})"));
                let address = address.unwrap_or_default();
                let question = format!("? {name} of {agent}{address} needs approval: {reason}");
                return self.question(&question);
            }
            EventKind::DelegateStarted { agent, label, .. } => match label {
                Some(label) => format!("{label} ({agent})"),
                None => agent.to_string(),
            },
            _ => return,
        };
        let agent = &event.origin.agent;
        // A delegate of a delegate is shown below the call of this turn, too.
        let turn = &event.origin.turn;
        let works_for = |address: &CallAddress| {
            let below = turn.strip_prefix(&*address.to_string());
            below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
        };
        let mut calls = self.calls.iter_mut();
        let call = calls.find(|call| call.address.as_ref().is_some_and(works_for));
        if let Some(call) = call {
            call.set_message(&format!("{agent}: {said}"));
        }
    }

    fn handle_own_event(&mut self, event: &AgentEvent) {
        match &event.kind {
            EventKind::MessageDelta { text } => {
                self.finish_thinking();
                let mut lines = Vec::new();
                self.prose.push(text, text_width(self.frame), &mut lines);
                self.commit(SectionKind::Prose, lines);
            }
            EventKind::ReasoningDelta { text } => self.push_thinking(text),
            EventKind::TurnStarted if self.is_over => self.go_on(),
            EventKind::Retry(retry) => self.retry(retry),
            EventKind::Usage { usage, cost, .. } => {
                self.finish_text();
                self.has_reply_text = false;
                self.usage += *usage;
                self.cost += *cost;
            }
            EventKind::End { reason, error } => {
                self.end(*reason, error.as_deref());
            }
            EventKind::ToolCallStarted { .. }
            | EventKind::ToolCallDelta { .. }
            | EventKind::ToolCall { .. }
            | EventKind::ToolProgress { .. }
            | EventKind::ToolResult { .. } => self.handle_call_event(event),
            EventKind::ApprovalRequested {
                call,
                name,
                arguments,
                ..
            } => {
                // A resumed turn has events of its questions, but not of its calls.
                self.start_call(event, call, name, arguments);
                self.handle_notice(&event.kind);
            }
            EventKind::DelegateStarted { call, agent, label } => {
                let index = self.get_or_add_call(call, "task");
                self.calls[index].address.clone_from(&event.key);
                self.calls[index].set_delegate(agent, label.as_deref());
            }
            other => self.handle_notice(other),
        }
    }

    fn handle_call_event(&mut self, event: &AgentEvent) {
        match &event.kind {
            EventKind::ToolCallStarted { call, name } => {
                self.finish_text();
                self.get_or_add_call(call, name);
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
                self.finish_text();
                self.start_call(event, call, name, arguments);
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
                exit,
                ..
            } => {
                self.finish_text();
                let index = self.get_or_add_call(call, name);
                let call = self.calls.remove(index);
                let result = ShownResult {
                    content,
                    is_error: *is_error,
                    exit: exit.as_ref(),
                };
                let lines = call.result_lines(&result, self.frame);
                self.commit(SectionKind::Call, lines);
            }
            _ => {}
        }
    }

    fn handle_notice(&mut self, event: &EventKind) {
        let text = match event {
            EventKind::ApprovalRequested { name, reason, .. } => {
                return self.question(&format!("? {name} needs approval: {reason}"));
            }
            EventKind::ExternalRequested { name, .. } => {
                format!("? {name} runs externally and needs a result")
            }
            EventKind::Warning { message } => format!("! {message}"),
            EventKind::Lagged { missed } => format!("! {missed} events were not shown"),
            EventKind::Note {
                source, name, text, ..
            } => render_note(*source, name, text),
            EventKind::Reviewed { round, by, review } => {
                return self.review(*round, by, review);
            }
            EventKind::Compacted => "— the conversation was summarized".to_owned(),
            EventKind::Suggested { prompts, .. } => return self.suggest(prompts),
            EventKind::Waiting { .. } => {
                self.finish_text();
                self.is_over = true;
                self.calls.clear();
                return;
            }
            _ => return,
        };
        self.notice(&text);
    }

    /// Shows what the user may say next.
    fn suggest(&mut self, prompts: &[String]) {
        let text = render_suggestions(prompts);
        let width = self.frame.size.columns;
        let lines = text.lines();
        let lines = lines.flat_map(|line| Line::styled(line, theme::DIM).wrap_hanging(width, 4));
        let lines = lines.collect();
        self.commit(SectionKind::Notice, lines);
    }

    /// Begins the turn of the agent that goes on after a hand-off.
    fn go_on(&mut self) {
        self.is_over = false;
        self.usage = Usage::default();
        self.cost = Cost::ZERO;
        self.started = Some(self.frame.now);
    }

    /// Shows what a guard decided, and the text that it put in the place of a reply.
    fn review(&mut self, round: u32, by: &str, review: &Review) {
        if let Some(text) = render_review(round, by, review) {
            self.notice(&text);
        }
        if let Some(text) = replaced_reply(round, review) {
            let mut lines = Vec::new();
            self.prose.push(text, text_width(self.frame), &mut lines);
            self.commit(SectionKind::Prose, lines);
            self.finish_text();
        }
    }

    fn question(&mut self, text: &str) {
        if self.options.hides_questions {
            // The approver shows the question below the finished lines.
            self.finish_text();
            self.last_kind = Some(SectionKind::Question);
        } else {
            self.notice(text);
        }
    }

    fn push_thinking(&mut self, text: &str) {
        if self.thinking.is_none() {
            self.finish_text();
        }
        let is_shown = self.options.shows_thinking;
        let thinking = self
            .thinking
            .get_or_insert_with(|| ThinkingView::new(self.frame.now, is_shown));
        let lines = thinking.push(text, self.frame);
        self.commit(SectionKind::Thinking, lines);
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
        let key = if self.options.reads_keys {
            "Esc"
        } else {
            "Ctrl-C"
        };
        line.push(&format!("  {key} to interrupt"), theme::DIM);
        Some(line)
    }
}

impl ScreenView for View {
    fn handle_event(&mut self, event: &AgentEvent, frame: ScreenFrame) -> Vec<Line> {
        self.frame = frame;
        self.started.get_or_insert(frame.now);
        if event.origin.parent_call.is_some() {
            self.handle_delegate_event(event);
        } else {
            self.handle_own_event(event);
        }
        std::mem::take(&mut self.finished)
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

    fn finish(&mut self, frame: ScreenFrame) -> Vec<Line> {
        self.frame = frame;
        self.finish_text();
        std::mem::take(&mut self.finished)
    }
}

#[cfg(test)]
mod tests;
