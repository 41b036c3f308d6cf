//! Calls: what runs, how it is getting on, and what came of it.

use std::time::Instant;

use super::words::{self, amount, elapsed};
use crate::cli::screen::{Line, ScreenFrame, theme};
use crate::tool::ProgressUpdate;
use crate::transcript::{CallAddress, CallId, ContentBlock};

/// How many lines of a result are shown.
const RESULT_LINES: usize = 4;
/// How wide a bar is.
const BAR: usize = 20;
/// How far what belongs to a call is set off.
const INDENT: &str = "    ";
/// How much of a line of progress is kept.
const KEPT: usize = 400;

/// A call that has no result yet.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: CallId,
    pub(super) address: Option<CallAddress>,
    name: String,
    arguments: String,
    /// How much of the arguments the model has written, while it writes them.
    writing: Option<usize>,
    since: Instant,
    fraction: Option<f64>,
    message: Option<String>,
}

impl Call {
    /// Begins a call that the model writes.
    pub(super) fn written(id: CallId, name: &str, now: Instant) -> Self {
        Self {
            id,
            address: None,
            name: name.to_owned(),
            arguments: String::new(),
            writing: Some(0),
            since: now,
            fraction: None,
            message: None,
        }
    }

    /// Reports whether the model is done with writing it.
    pub(super) fn is_whole(&self) -> bool {
        self.writing.is_none()
    }

    pub(super) fn write(&mut self, arguments: &str) {
        if let Some(characters) = &mut self.writing {
            *characters += arguments.chars().count();
        }
    }

    /// The call is whole.
    pub(super) fn start(&mut self, address: Option<CallAddress>, arguments: &str, now: Instant) {
        self.address = address;
        arguments.clone_into(&mut self.arguments);
        self.writing = None;
        self.since = now;
    }

    /// Takes what the tool says of how it is getting on.
    pub(super) fn progress(&mut self, update: &ProgressUpdate) {
        if let Some(done) = update.progress {
            self.fraction = match update.total {
                Some(total) if total > 0.0 => Some((done / total).clamp(0.0, 1.0)),
                _ => None,
            };
        }
        // What a program draws in place ends with what it drew last.
        let pieces = update.text.rsplit(['\n', '\r']);
        let last = pieces.map(str::trim).find(|line| !line.is_empty());
        if let Some(line) = update.message.as_deref().or(last) {
            self.say(line);
        }
    }

    /// Shows a line below the call.
    pub(super) fn say(&mut self, line: &str) {
        self.message = Some(line.trim().chars().take(KEPT).collect());
    }

    /// Returns its line, and one of how it is getting on.
    pub(super) fn live(&self, frame: ScreenFrame) -> Vec<Line> {
        let width = frame.size.columns - 1;
        let time = frame.now.saturating_duration_since(self.since);
        let behind = match self.writing {
            Some(0) => String::new(),
            Some(characters) => format!("  {} characters", amount(characters as u64)),
            // What is over at once needs no clock.
            None if time.as_secs() == 0 => String::new(),
            None => format!("  {}", elapsed(time)),
        };
        let call = self.line("→ ", theme::PLAIN);
        let mut first = call.cut(width.saturating_sub(behind.chars().count()));
        first.push(&behind, theme::DIM);
        let mut lines = vec![first];
        if self.fraction.is_some() || self.message.is_some() {
            lines.push(self.progress_line().cut(width));
        }
        lines
    }

    fn progress_line(&self) -> Line {
        let mut line = Line::of(INDENT, theme::PLAIN);
        if let Some(fraction) = self.fraction {
            // Between 0 and 1, so that neither cast loses anything that is shown.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "see above"
            )]
            let (full, percent) = (
                (fraction * BAR as f64) as usize,
                (fraction * 100.0) as usize,
            );
            line.push(&"━".repeat(full), theme::GOOD);
            line.push(&"─".repeat(BAR - full), theme::DIM);
            line.push(&format!(" {percent:3} % "), theme::PLAIN);
        }
        line.push(self.message.as_deref().unwrap_or_default(), theme::DIM);
        line
    }

    fn line(&self, sign: &str, style: anstyle::Style) -> Line {
        let mut line = Line::of(sign, style);
        line.append(&words::columns_of("", &self.name, &self.arguments));
        line
    }

    /// Returns the call and the beginning of its result.
    pub(super) fn result(
        &self,
        content: &[ContentBlock],
        is_error: bool,
        frame: ScreenFrame,
    ) -> Vec<Line> {
        let width = frame.size.columns;
        let (sign, style) = match is_error {
            true => ("✗ ", theme::BAD),
            false => ("✓ ", theme::GOOD),
        };
        let mut lines = vec![self.line(sign, style).cut(width)];
        let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
        let text = texts.join("\n");
        let text = text.trim_end();
        for line in text.lines().take(RESULT_LINES) {
            let mut shown = Line::of(INDENT, theme::PLAIN)
                .with(line, theme::DIM)
                .cut(width);
            shown.trim_end();
            lines.push(shown);
        }
        let more = match text.lines().count().saturating_sub(RESULT_LINES) {
            0 => return lines,
            1 => "… 1 more line".to_owned(),
            more => format!("… {} more lines", amount(more as u64)),
        };
        lines.push(Line::of(INDENT, theme::PLAIN).with(&more, theme::DIM));
        lines
    }
}
