//! Input that is typed while a turn runs: Enter queues a message, Tab sends it to the model at work, and the rest is the
//! beginning of the next input.

use std::collections::VecDeque;

#[cfg(unix)]
use helve_agent::Delivery;
use helve_agent::NoteQueue;
#[cfg(unix)]
use helve_core::support::random;
#[cfg(unix)]
use helve_core::transcript::Note;
use helve_core::transcript::NoteSource;

#[cfg(unix)]
use helve_terminal::questions::PressedKey;
use helve_terminal::screen::{Line, theme};

/// The maximum number of queued messages that are shown.
const MAX_SHOWN: usize = 3;

#[derive(Debug, Default)]
pub(super) struct TypeAhead {
    queued: VecDeque<String>,
    /// What is said to the model at work, until it is recorded.
    notes: NoteQueue,
    /// The input that is not finished.
    text: String,
}

impl TypeAhead {
    /// Creates an empty input whose notes go to a queue.
    pub(super) fn new(notes: NoteQueue) -> Self {
        Self {
            notes,
            ..Self::default()
        }
    }

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
            PressedKey::Tab => self.send_now(),
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
                let queued = self.queued.pop_back().or_else(|| self.revoke_last());
                self.text = queued.unwrap_or_default();
            }
            PressedKey::Up | PressedKey::Down | PressedKey::EndOfInput => {}
            PressedKey::Escape => return true,
        }
        false
    }

    /// Sends the text, or else the first queued message, to the model at work. A command is for the chat, and is queued.
    #[cfg(unix)]
    fn send_now(&mut self) {
        let text = match self.text.trim().is_empty() {
            true => self.queued.pop_front().unwrap_or_default(),
            false => std::mem::take(&mut self.text),
        };
        if text.starts_with(['/', '!']) {
            self.queued.push_front(text);
        } else if !text.is_empty() {
            let note = Note::new(NoteSource::User, random::hex::<8>(), text);
            self.notes.push(note, Delivery::Now);
        }
    }

    /// Lists the notes that are not read yet: the id and the text.
    fn list_unread(&self) -> Vec<(String, String)> {
        let queued = self.notes.list().into_iter();
        let users = queued.filter(|queued| queued.note.source == NoteSource::User);
        users
            .map(|queued| (queued.note.id, queued.note.text))
            .collect()
    }

    /// Takes back the last note that is not recorded yet.
    #[cfg(unix)]
    fn revoke_last(&mut self) -> Option<String> {
        let (id, _) = self.list_unread().pop()?;
        self.notes.revoke(&id).map(|note| note.text)
    }

    /// Queues what the model did not read before the turn ended.
    pub(super) fn queue_unread(&mut self) {
        for (id, _) in self.list_unread().into_iter().rev() {
            if let Some(note) = self.notes.revoke(&id) {
                self.queued.push_front(note.text);
            }
        }
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
        for (_, text) in self.list_unread() {
            lines.push(short_line("sent: ", &text).truncated(width));
        }
        let hidden = self.queued.len().saturating_sub(MAX_SHOWN);
        for text in self.queued.iter().take(MAX_SHOWN) {
            lines.push(short_line("queued: ", text).truncated(width));
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

/// Renders the first line of a message.
fn short_line(title: &str, text: &str) -> Line {
    let first = text.lines().next().unwrap_or_default();
    let more = if text.contains('\n') { " …" } else { "" };
    Line::styled(&format!("{title}{first}{more}"), theme::DIM)
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
    fn what_is_sent_to_the_model_at_work_can_be_taken_back_until_it_is_read() {
        let mut input = TypeAhead::default();
        let notes = input.notes.clone();
        press(&mut input, "one\ntwo");
        input.press(PressedKey::Tab);
        press(&mut input, "/help");
        input.press(PressedKey::Tab);
        press(&mut input, "three");
        input.press(PressedKey::Tab);
        input.press(PressedKey::Tab);
        assert_eq!(
            shown(&input),
            ["sent: one …", "sent: three", "queued: /help"]
        );
        assert_eq!(input.next_queued().as_deref(), Some("/help"));
        input.press(PressedKey::Up);
        assert_eq!(shown(&input), ["sent: one …", "> three"]);
        assert_eq!(notes.list().len(), 1);
        input.queue_unread();
        assert_eq!(input.next_queued().as_deref(), Some("one\ntwo"));
        assert!(notes.list().is_empty());
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
