//! What the model thinks: a line or two while it does, and then how long it took.

use std::time::Instant;

use super::words::elapsed;
use crate::cli::screen::{Line, ScreenFrame, theme};
use crate::support::text::last_bytes;

/// How many lines of it are shown while it comes.
const SHOWN: usize = 2;
/// How much of it is kept for that.
const KEPT: usize = 4 << 10;
/// What stands before it.
const SIGN: &str = "∙ ";

/// Thinking that comes in pieces.
#[derive(Debug)]
pub(super) struct Thinking {
    since: Instant,
    /// The end of what came; all of the last paragraph where it is shown in full.
    text: String,
    characters: usize,
    is_shown: bool,
}

impl Thinking {
    pub(super) fn new(now: Instant, is_shown: bool) -> Self {
        Self {
            since: now,
            text: String::new(),
            characters: 0,
            is_shown,
        }
    }

    pub(super) fn push(&mut self, text: &str, frame: ScreenFrame, finished: &mut Vec<Line>) {
        self.characters += text.chars().count();
        self.text.push_str(text);
        if self.is_shown {
            while let Some(end) = self.text.find('\n') {
                let line: String = self.text.drain(..=end).collect();
                finished.extend(lines(line.trim_end(), frame));
            }
        } else if self.text.len() > 2 * KEPT {
            self.text = last_bytes(&self.text, KEPT).to_owned();
        }
    }

    /// Returns the end of it.
    pub(super) fn live(&self, frame: ScreenFrame) -> Vec<Line> {
        let text = self.text.trim();
        if text.is_empty() {
            return Vec::new();
        }
        let flowing = last_bytes(text, KEPT)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let mut lines = lines(&flowing, frame);
        let first = lines.len().saturating_sub(SHOWN);
        lines.split_off(first)
    }

    /// Ends it: what is left of it where it is shown in full, else how long it took.
    pub(super) fn finish(self, frame: ScreenFrame, finished: &mut Vec<Line>) {
        if self.is_shown {
            finished.extend(lines(self.text.trim_end(), frame));
            return;
        }
        let time = elapsed(frame.now.saturating_duration_since(self.since));
        let amount = super::amount(self.characters as u64);
        let text = format!("{SIGN}thought for {time} ({amount} characters)");
        finished.push(Line::of(&text, theme::DIM).cut(frame.size.columns));
    }
}

fn lines(text: &str, frame: ScreenFrame) -> Vec<Line> {
    let width = frame.size.columns.saturating_sub(SIGN.len());
    let wrapped = Line::of(text, theme::DIM).wrap(width);
    let signed = wrapped.into_iter().map(|line| {
        let mut signed = Line::of(SIGN, theme::DIM);
        signed.append(&line);
        signed
    });
    signed.collect()
}
