//! Calls: what runs, how it is getting on, and what came of it.

use std::time::Instant;

use super::formatting::{self, ShownResult, format_count, format_duration};
use crate::screen::{Line, ScreenFrame, theme};
use helve_core::tool::ProgressUpdate;
use helve_core::transcript::{CallAddress, CallId};

const MAX_RESULT_LINES: usize = 4;
const BAR_WIDTH: usize = 20;
const INDENT: &str = "    ";
/// The maximum length of a line of progress, in characters.
const MAX_MESSAGE_CHARS: usize = 400;

#[derive(Debug)]
pub(super) struct CallView {
    pub(super) id: CallId,
    pub(super) address: Option<CallAddress>,
    name: String,
    arguments: String,
    /// The agent that works on the call, with the name and the address of its task.
    delegate: Option<String>,
    /// The number of characters of the arguments so far, while the model writes them.
    written_chars: Option<usize>,
    started: Instant,
    fraction: Option<f64>,
    message: Option<String>,
}

impl CallView {
    /// Starts a call that the model is writing.
    pub(super) fn new(id: CallId, name: &str, now: Instant) -> Self {
        Self {
            id,
            address: None,
            name: name.to_owned(),
            arguments: String::new(),
            delegate: None,
            written_chars: Some(0),
            started: now,
            fraction: None,
            message: None,
        }
    }

    /// Reports whether the model is done with writing it.
    pub(super) fn is_complete(&self) -> bool {
        self.written_chars.is_none()
    }

    pub(super) fn push_arguments(&mut self, arguments: &str) {
        if let Some(characters) = &mut self.written_chars {
            *characters += arguments.chars().count();
        }
    }

    /// The call is whole.
    pub(super) fn start(&mut self, address: Option<CallAddress>, arguments: &str, now: Instant) {
        self.address = address;
        arguments.clone_into(&mut self.arguments);
        self.written_chars = None;
        self.started = now;
    }

    pub(super) fn update_progress(&mut self, update: &ProgressUpdate) {
        if let Some(done) = update.progress {
            self.fraction = match update.total {
                Some(total) if total > 0.0 => Some((done / total).clamp(0.0, 1.0)),
                _ => None,
            };
        }
        // Output that redraws a line ends with the last state of the line.
        let pieces = update.text.rsplit(['\n', '\r']);
        let last = pieces.map(str::trim).find(|line| !line.is_empty());
        if let Some(line) = update.message.as_deref().or(last) {
            self.set_message(line);
        }
    }

    /// Another agent works on the call, for a task with this name.
    pub(super) fn set_delegate(&mut self, agent: &str, label: Option<&str>) {
        let address = self.address.as_ref().map(|address| format!(" {address}"));
        let address = address.unwrap_or_default();
        self.delegate = Some(match label {
            Some(label) => format!("{label} ({agent}{address})"),
            None => format!("{agent}{address}"),
        });
    }

    pub(super) fn set_message(&mut self, line: &str) {
        self.message = Some(line.trim().chars().take(MAX_MESSAGE_CHARS).collect());
    }

    /// Returns the line of the call, and a line of its progress.
    pub(super) fn live_lines(&self, frame: ScreenFrame) -> Vec<Line> {
        let width = frame.size.columns - 1;
        let time = frame.now.saturating_duration_since(self.started);
        let behind = match self.written_chars {
            Some(0) => String::new(),
            Some(characters) => format!("  {} characters", format_count(characters as u64)),
            // A duration is not shown within the first second.
            None if time.as_secs() == 0 => String::new(),
            None => format!("  {}", format_duration(time)),
        };
        let call = self.head_line("→ ", theme::PLAIN);
        let mut first = call.truncated(width.saturating_sub(behind.chars().count()));
        first.push(&behind, theme::DIM);
        let mut lines = vec![first];
        if self.fraction.is_some() || self.message.is_some() {
            lines.push(self.progress_line().truncated(width));
        }
        lines
    }

    fn progress_line(&self) -> Line {
        let mut line = Line::styled(INDENT, theme::PLAIN);
        if let Some(fraction) = self.fraction {
            // Between 0 and 1, so that neither cast loses anything that is shown.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "see above"
            )]
            let (full, percent) = (
                (fraction * BAR_WIDTH as f64) as usize,
                (fraction * 100.0) as usize,
            );
            line.push(&"━".repeat(full), theme::GOOD);
            line.push(&"─".repeat(BAR_WIDTH - full), theme::DIM);
            line.push(&format!(" {percent:3} % "), theme::PLAIN);
        }
        line.push(self.message.as_deref().unwrap_or_default(), theme::DIM);
        line
    }

    fn head_line(&self, sign: &str, style: anstyle::Style) -> Line {
        let call = match &self.delegate {
            Some(delegate) => formatting::render_task(&self.name, delegate, &self.arguments),
            None => formatting::render_call("", &self.name, &self.arguments),
        };
        call.prefixed(sign, style)
    }

    /// Returns the call and the beginning of its result.
    pub(super) fn result_lines(&self, result: &ShownResult<'_>, frame: ScreenFrame) -> Vec<Line> {
        let width = frame.size.columns;
        let (sign, style) = if result.is_success() {
            ("✓ ", theme::GOOD)
        } else {
            ("✗ ", theme::BAD)
        };
        let exit = result.failed_exit().map(|exit| format!("  {exit}"));
        let exit = exit.unwrap_or_default();
        let call = self.head_line(sign, style);
        let mut first = call.truncated(width.saturating_sub(exit.chars().count()));
        first.push(&exit, theme::BAD);
        let mut lines = vec![first.truncated(width)];
        let text = result.text();
        let text = text.trim_end();
        for line in text.lines().take(MAX_RESULT_LINES) {
            let mut shown = Line::styled(INDENT, theme::PLAIN)
                .with(line, theme::DIM)
                .truncated(width);
            shown.trim_end();
            lines.push(shown);
        }
        let more = match text.lines().count().saturating_sub(MAX_RESULT_LINES) {
            0 => return lines,
            1 => "… 1 more line".to_owned(),
            more => format!("… {} more lines", format_count(more as u64)),
        };
        lines.push(Line::styled(INDENT, theme::PLAIN).with(&more, theme::DIM));
        lines
    }
}
