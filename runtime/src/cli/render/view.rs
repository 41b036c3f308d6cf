//! A turn on a terminal: what is finished, and what is still going on below it.

use std::time::Instant;

use super::calls::Call;
use super::thinking::Thinking;
use super::totals::Totals;
use super::{Options, Prose, words};
use crate::agent::turn::EndReason;
use crate::agent::{AgentEvent, EventKind};
use crate::cli::screen::{Colors, Line, Scene, Sight, theme};
use crate::model::Retry;
use crate::transcript::CallId;

/// The frames of the sign that shows that something is going on.
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// How long each frame stands, in milliseconds.
const FRAME: u128 = 100;
/// How many calls are shown at work.
const CALLS: usize = 6;

/// The widest that text is set: longer lines are hard to read.
const WIDEST: usize = 100;

/// Returns how wide text is set, the same while it comes and when it is finished.
fn text_width(sight: Sight) -> usize {
    (sight.size.columns - 1).min(WIDEST)
}

/// A turn as a terminal shows it.
#[derive(Debug)]
pub(super) struct View {
    options: Options,
    prose: Prose,
    thinking: Option<Thinking>,
    calls: Vec<Call>,
    totals: Totals,
    started: Option<Instant>,
    is_over: bool,
    /// Whether words of the reply that is coming are shown for good.
    has_shown: bool,
    /// What was shown last, from which other things are set apart.
    last: Option<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prose,
    Thinking,
    Call,
    Notice,
    Question,
    End,
}

impl View {
    pub(super) fn new(options: Options) -> Self {
        Self::with_colors(options, Colors::of_stdout())
    }

    pub(super) fn with_colors(options: Options, colors: Colors) -> Self {
        Self {
            options,
            prose: Prose::new(colors),
            thinking: None,
            calls: Vec::new(),
            totals: Totals::default(),
            started: None,
            is_over: false,
            has_shown: false,
            last: None,
        }
    }

    /// Puts finished lines of a kind behind what is there.
    fn commit(&mut self, kind: Kind, lines: Vec<Line>, finished: &mut Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        if self.last.is_some_and(|last| last != kind) {
            finished.push(Line::new());
        }
        self.last = Some(kind);
        self.has_shown |= kind == Kind::Prose;
        finished.extend(lines);
    }

    fn notice(&mut self, text: &str, sight: Sight, finished: &mut Vec<Line>) {
        self.settle(sight, finished);
        let lines = Line::of(text, theme::NOTICE).wrap(sight.size.columns);
        self.commit(Kind::Notice, lines, finished);
    }

    /// Takes the words and the thinking so far as finished.
    fn settle(&mut self, sight: Sight, finished: &mut Vec<Line>) {
        self.settle_thinking(sight, finished);
        let mut lines = Vec::new();
        self.prose.finish(text_width(sight), &mut lines);
        self.commit(Kind::Prose, lines, finished);
    }

    fn settle_thinking(&mut self, sight: Sight, finished: &mut Vec<Line>) {
        if let Some(thinking) = self.thinking.take() {
            let mut lines = Vec::new();
            thinking.finish(sight, &mut lines);
            self.commit(Kind::Thinking, lines, finished);
        }
    }

    fn call(&mut self, id: &CallId) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.id == *id)
    }

    /// The call is shown at work until it has its result.
    fn begin(&mut self, id: &CallId, name: &str, now: Instant) -> Option<&mut Call> {
        if self.call(id).is_none() {
            self.calls.push(Call::written(id.clone(), name, now));
        }
        self.call(id)
    }

    fn retry(&mut self, retry: &Retry, sight: Sight, finished: &mut Vec<Line>) {
        let mut text = words::retry(retry);
        self.prose.forget();
        if std::mem::take(&mut self.has_shown) {
            text.push_str("; what is above of this reply is void");
        }
        self.thinking = None;
        self.calls.retain(Call::is_whole);
        self.notice(&text, sight, finished);
    }

    fn end(
        &mut self,
        reason: EndReason,
        error: Option<&str>,
        sight: Sight,
        finished: &mut Vec<Line>,
    ) {
        self.settle(sight, finished);
        self.is_over = true;
        self.calls.clear();
        let style = match reason {
            EndReason::Finished => theme::DIM,
            EndReason::Interrupted => theme::NOTICE,
            _ => theme::BAD,
        };
        let mut line = Line::of(&words::end(reason, error), style);
        let time = self
            .started
            .map(|since| sight.now.saturating_duration_since(since));
        for part in self.totals.words(time) {
            line.push(&format!(" · {part}"), theme::DIM);
        }
        let lines = line.wrap(sight.size.columns);
        self.commit(Kind::End, lines, finished);
    }

    /// What a delegate does is shown below the call that it works for.
    fn take_of_delegate(&mut self, event: &AgentEvent, sight: Sight, finished: &mut Vec<Line>) {
        let said = match &event.kind {
            EventKind::Usage { usage, cost, .. } => {
                self.totals.add(usage, *cost);
                return;
            }
            EventKind::Warning { message } => {
                self.notice(
                    &format!("! {}: {message}", event.origin.agent),
                    sight,
                    finished,
                );
                return;
            }
            EventKind::ToolCall {
                name, arguments, ..
            } => words::columns_of("→ ", name, words::text_of(arguments)).text(),
            EventKind::MessageDelta { .. } => "writing".to_owned(),
            EventKind::ReasoningDelta { .. } => "thinking".to_owned(),
            EventKind::ApprovalRequested { .. } => {
                return self.take_notice(&event.kind, sight, finished);
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
            call.say(&format!("{agent}: {said}"));
        }
    }

    fn take_own(&mut self, event: &AgentEvent, sight: Sight, finished: &mut Vec<Line>) {
        match &event.kind {
            EventKind::MessageDelta { text } => {
                self.settle_thinking(sight, finished);
                let mut lines = Vec::new();
                self.prose.push(text, text_width(sight), &mut lines);
                self.commit(Kind::Prose, lines, finished);
            }
            EventKind::ReasoningDelta { text } => self.think(text, sight, finished),
            EventKind::Retry(retry) => self.retry(retry, sight, finished),
            EventKind::Usage { usage, cost, .. } => {
                self.settle(sight, finished);
                self.has_shown = false;
                self.totals.add(usage, *cost);
            }
            EventKind::End { reason, error } => {
                self.end(*reason, error.as_deref(), sight, finished);
            }
            EventKind::ToolCallStarted { .. }
            | EventKind::ToolCallDelta { .. }
            | EventKind::ToolCall { .. }
            | EventKind::ToolProgress { .. }
            | EventKind::ToolResult { .. } => self.take_call(event, sight, finished),
            EventKind::ApprovalRequested {
                call,
                name,
                arguments,
                ..
            } => {
                // A turn that is gone on with tells of its questions and not of its calls.
                if let Some(call) = self.begin(call, name, sight.now) {
                    call.start(event.key.clone(), words::text_of(arguments), sight.now);
                }
                self.take_notice(&event.kind, sight, finished);
            }
            other => self.take_notice(other, sight, finished),
        }
    }

    fn take_call(&mut self, event: &AgentEvent, sight: Sight, finished: &mut Vec<Line>) {
        match &event.kind {
            EventKind::ToolCallStarted { call, name } => {
                self.settle(sight, finished);
                self.begin(call, name, sight.now);
            }
            EventKind::ToolCallDelta { call, arguments } => {
                if let Some(call) = self.call(call) {
                    call.write(arguments);
                }
            }
            EventKind::ToolCall {
                call,
                name,
                arguments,
            } => {
                self.settle(sight, finished);
                if let Some(call) = self.begin(call, name, sight.now) {
                    call.start(event.key.clone(), words::text_of(arguments), sight.now);
                }
            }
            EventKind::ToolProgress { call, update } => {
                if let Some(call) = self.call(call) {
                    call.progress(update);
                }
            }
            EventKind::ToolResult {
                call,
                name,
                content,
                is_error,
                ..
            } => {
                self.settle(sight, finished);
                self.begin(call, name, sight.now);
                let index = self.calls.iter().position(|known| known.id == *call);
                if let Some(index) = index {
                    let call = self.calls.remove(index);
                    let lines = call.result(content, *is_error, sight);
                    self.commit(Kind::Call, lines, finished);
                }
            }
            _ => {}
        }
    }

    /// Somebody else puts the question below what is finished.
    fn leave_question(&mut self, sight: Sight, finished: &mut Vec<Line>) {
        self.settle(sight, finished);
        self.last = Some(Kind::Question);
    }

    fn take_notice(&mut self, event: &EventKind, sight: Sight, finished: &mut Vec<Line>) {
        let text = match event {
            EventKind::ApprovalRequested { name, reason, .. } => {
                if self.options.leaves_questions {
                    return self.leave_question(sight, finished);
                }
                format!("? {name} needs approval: {reason}")
            }
            EventKind::ExternalRequested { name, .. } => {
                format!("? {name} is done elsewhere; its result has to be handed in")
            }
            EventKind::Warning { message } => format!("! {message}"),
            EventKind::Lagged { missed } => format!("! {missed} events were not shown"),
            EventKind::Compacted => "— the conversation so far was summed up".to_owned(),
            EventKind::Waiting { .. } => {
                self.settle(sight, finished);
                self.is_over = true;
                self.calls.clear();
                return;
            }
            _ => return,
        };
        self.notice(&text, sight, finished);
    }

    fn think(&mut self, text: &str, sight: Sight, finished: &mut Vec<Line>) {
        if self.thinking.is_none() {
            self.settle(sight, finished);
        }
        let is_shown = self.options.shows_thinking;
        let thinking = self
            .thinking
            .get_or_insert_with(|| Thinking::new(sight.now, is_shown));
        let mut lines = Vec::new();
        thinking.push(text, sight, &mut lines);
        self.commit(Kind::Thinking, lines, finished);
    }

    /// Says what is going on, and since when.
    fn status(&self, sight: Sight, is_writing: bool) -> Option<Line> {
        let started = self.started.filter(|_| !self.is_over)?;
        let time = sight.now.saturating_duration_since(started);
        let frame = SPINNER[usize::try_from(time.as_millis() / FRAME).unwrap_or(0) % SPINNER.len()];
        let doing = if self.thinking.is_some() {
            "thinking"
        } else if !self.calls.is_empty() {
            "working"
        } else if is_writing {
            "writing"
        } else {
            "waiting for the model"
        };
        let mut line = Line::of(&format!("{frame} {doing}"), theme::DIM);
        if time.as_secs() > 0 {
            line.push(&format!("  {}", words::elapsed(time)), theme::DIM);
        }
        line.push("  Ctrl-C stops", theme::DIM);
        Some(line)
    }
}

impl Scene for View {
    fn take(&mut self, event: &AgentEvent, sight: Sight, finished: &mut Vec<Line>) {
        self.started.get_or_insert(sight.now);
        if event.origin.parent_call.is_some() {
            self.take_of_delegate(event, sight, finished);
        } else {
            self.take_own(event, sight, finished);
        }
    }

    fn live(&self, sight: Sight) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut add = |kind: Option<Kind>, more: Vec<Line>| {
            if more.is_empty() {
                return;
            }
            let is_first = lines.is_empty();
            if !is_first || (self.last.is_some() && self.last != kind) {
                lines.push(Line::new());
            }
            lines.extend(more);
        };
        let tail = self.prose.tail(text_width(sight));
        let is_writing = !tail.is_empty();
        add(Some(Kind::Prose), tail);
        let thinking = self.thinking.as_ref();
        add(
            Some(Kind::Thinking),
            thinking
                .map(|thinking| thinking.live(sight))
                .unwrap_or_default(),
        );
        let hidden = self.calls.len().saturating_sub(CALLS);
        let shown = self.calls.iter().skip(hidden);
        let mut calls: Vec<Line> = shown.flat_map(|call| call.live(sight)).collect();
        if hidden > 0 {
            calls.push(Line::of(&format!("  and {hidden} more"), theme::DIM));
        }
        add(Some(Kind::Call), calls);
        add(None, self.status(sight, is_writing).into_iter().collect());
        lines
    }

    fn finish(&mut self, sight: Sight, finished: &mut Vec<Line>) {
        self.settle(sight, finished);
    }
}

#[cfg(test)]
mod tests;
