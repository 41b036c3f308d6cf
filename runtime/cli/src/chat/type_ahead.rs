//! Input that is typed while a turn runs: Enter queues a message, and the rest is the beginning of the next input.

use std::collections::VecDeque;

#[cfg(unix)]
use helve_terminal::questions::PressedKey;
use helve_terminal::screen::{Line, theme};

/// The maximum number of queued messages that are shown.
const MAX_SHOWN: usize = 3;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TypeAhead {
    queued: VecDeque<String>,
    /// The input that is not finished.
    text: String,
}

impl TypeAhead {
    /// Applies a key. Returns whether the key interrupts the turn.
    #[cfg(unix)]
    pub(super) fn press(&mut self, key: PressedKey) -> bool {
        match key {
            PressedKey::Char(character) => self.text.push(character),
            PressedKey::NewLine => self.text.push('\n'),
            PressedKey::Enter if self.text.ends_with('\\') => {
                self.text.pop();
                self.text.push('\n');
            }
            PressedKey::Enter => {
                let text = std::mem::take(&mut self.text);
                if !text.trim().is_empty() {
                    self.queued.push_back(text);
                }
            }
            PressedKey::Backspace => {
                self.text.pop();
            }
            PressedKey::DeleteWord => {
                let kept = self.text.trim_end();
                let kept = kept.trim_end_matches(|c: char| !c.is_whitespace());
                self.text.truncate(kept.len());
            }
            PressedKey::DeleteLine => self.text.clear(),
            PressedKey::Up if self.text.is_empty() => {
                self.text = self.queued.pop_back().unwrap_or_default();
            }
            PressedKey::Up | PressedKey::Down | PressedKey::EndOfInput => {}
            PressedKey::Escape => return true,
        }
        false
    }

    /// Returns the next queued message.
    pub(super) fn next_queued(&mut self) -> Option<String> {
        self.queued.pop_front()
    }

    /// Returns the beginning of the next input.
    pub(super) fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Puts a text before what is typed next.
    pub(super) fn set_text(&mut self, text: String) {
        self.text = text;
    }

    /// Makes the queued messages input again: after an interruption, the user decides whether they still apply.
    pub(super) fn unqueue(&mut self) {
        self.queued.push_back(std::mem::take(&mut self.text));
        self.queued.retain(|text| !text.is_empty());
        let texts: Vec<String> = self.queued.drain(..).collect();
        self.text = texts.join("\n");
    }

    /// Renders the queued messages and the input, as they are shown below a turn.
    pub(super) fn lines(&self, prompt: &Line, width: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        let hidden = self.queued.len().saturating_sub(MAX_SHOWN);
        for text in self.queued.iter().take(MAX_SHOWN) {
            let first = text.lines().next().unwrap_or_default();
            let more = if text.contains('\n') { " …" } else { "" };
            let line = Line::styled(&format!("queued: {first}{more}"), theme::DIM);
            lines.push(line.truncated(width));
        }
        if hidden > 0 {
            lines.push(Line::styled(&format!("queued: {hidden} more"), theme::DIM));
        }
        if !self.text.is_empty() {
            for (index, part) in self.text.split('\n').enumerate() {
                let line = match index {
                    0 => prompt.clone().with(part, theme::PLAIN),
                    _ => Line::styled(part, theme::PLAIN),
                };
                lines.extend(line.wrap_anywhere(width, 0));
            }
        }
        lines
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn press(input: &mut TypeAhead, text: &str) {
        for character in text.chars() {
            assert!(!input.press(PressedKey::Char(character)));
        }
    }

    fn shown(input: &TypeAhead) -> Vec<String> {
        let prompt = Line::styled("> ", theme::PLAIN);
        let lines = input.lines(&prompt, 16);
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn messages_are_queued_and_the_rest_is_kept() {
        let mut input = TypeAhead::default();
        press(&mut input, "one");
        input.press(PressedKey::NewLine);
        press(&mut input, "more\\");
        input.press(PressedKey::Enter);
        press(&mut input, "of it");
        input.press(PressedKey::Enter);
        input.press(PressedKey::Enter);
        press(&mut input, "a longer second one");
        input.press(PressedKey::DeleteWord);
        assert_eq!(shown(&input), ["queued: one …", "> a longer secon", "d "]);
        assert_eq!(input.next_queued().as_deref(), Some("one\nmore\nof it"));
        assert_eq!(input.next_queued(), None);
        assert_eq!(input.take_text(), "a longer second ");
    }

    #[test]
    fn a_queued_message_can_be_taken_back() {
        let mut input = TypeAhead::default();
        for text in ["1", "2", "3", "4", "5"] {
            press(&mut input, text);
            input.press(PressedKey::Enter);
        }
        assert_eq!(
            shown(&input),
            ["queued: 1", "queued: 2", "queued: 3", "queued: 2 more"]
        );
        input.press(PressedKey::Up);
        assert_eq!(shown(&input)[3..], ["queued: 1 more", "> 5"]);
        input.press(PressedKey::DeleteLine);
        press(&mut input, "no");
        assert!(input.press(PressedKey::Escape));
        input.unqueue();
        assert_eq!(input.next_queued(), None);
        assert_eq!(input.take_text(), "1\n2\n3\n4\nno");
    }
}
