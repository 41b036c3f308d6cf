//! The reasoning of the model: a few live lines, and then its duration.

use std::time::Instant;

use super::formatting::format_duration;
use crate::screen::{Line, ScreenFrame, theme};
use helve_core::support::text::last_bytes;

const MAX_LIVE_LINES: usize = 2;
/// The maximum size of the text that is kept for the live lines.
const MAX_TEXT_BYTES: usize = 4 << 10;
const PREFIX: &str = "∙ ";

#[derive(Debug)]
pub(super) struct ThinkingView {
    started: Instant,
    /// The end of the text, or the whole last paragraph if the reasoning is shown in full.
    text: String,
    characters: usize,
    is_shown: bool,
}

impl ThinkingView {
    pub(super) fn new(now: Instant, is_shown: bool) -> Self {
        Self {
            started: now,
            text: String::new(),
            characters: 0,
            is_shown,
        }
    }

    /// Adds text, and returns the lines that it finishes.
    pub(super) fn push(&mut self, text: &str, frame: ScreenFrame) -> Vec<Line> {
        let mut finished = Vec::new();
        self.characters += text.chars().count();
        self.text.push_str(text);
        if self.is_shown {
            while let Some(end) = self.text.find('\n') {
                let line: String = self.text.drain(..=end).collect();
                finished.extend(prefixed_lines(line.trim_end(), frame));
            }
        } else if self.text.len() > 2 * MAX_TEXT_BYTES {
            self.text = last_bytes(&self.text, MAX_TEXT_BYTES).to_owned();
        }
        finished
    }

    /// Returns the end of it.
    pub(super) fn live_lines(&self, frame: ScreenFrame) -> Vec<Line> {
        let text = self.text.trim();
        if text.is_empty() {
            return Vec::new();
        }
        let flowing = last_bytes(text, MAX_TEXT_BYTES)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let mut lines = prefixed_lines(&flowing, frame);
        let first = lines.len().saturating_sub(MAX_LIVE_LINES);
        lines.split_off(first)
    }

    /// Ends it: what is left of it where it is shown in full, else how long it took.
    pub(super) fn finish(self, frame: ScreenFrame) -> Vec<Line> {
        if self.is_shown {
            return prefixed_lines(self.text.trim_end(), frame);
        }
        let time = format_duration(frame.now.saturating_duration_since(self.started));
        let amount = super::format_count(self.characters as u64);
        let text = format!("{PREFIX}thought for {time} ({amount} characters)");
        vec![Line::styled(&text, theme::DIM).truncated(frame.size.columns)]
    }
}

fn prefixed_lines(text: &str, frame: ScreenFrame) -> Vec<Line> {
    let width = frame.size.columns.saturating_sub(PREFIX.len());
    let wrapped = Line::styled(text, theme::DIM).wrap(width);
    let signed = wrapped.iter().map(|line| line.prefixed(PREFIX, theme::DIM));
    signed.collect()
}
