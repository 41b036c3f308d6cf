//! Keys that are pressed while no question is open, such as during a turn of a chat, and those of an open question.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::timeout;

use super::input::Lines;
use super::prompt::{INPUT, open_questions};

/// How long the rest of an escape sequence is awaited, before the escape counts as the key Esc.
const ESCAPE_TIMEOUT: Duration = Duration::from_millis(50);

const ESCAPE: u8 = 0x1b;

/// A key that was pressed while a turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PressedKey {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Tab, on its own.
    Tab,
    /// Alt-Enter or Ctrl-J.
    NewLine,
    /// Backspace.
    Backspace,
    /// Ctrl-W.
    DeleteWord,
    /// Ctrl-U.
    DeleteLine,
    /// The arrow up.
    Up,
    /// The arrow down.
    Down,
    /// Esc.
    Escape,
    /// Ctrl-D.
    EndOfInput,
}

/// Reads keys until the input ends. While a question is open, the question has the input.
pub async fn read_keys(mut handle: impl FnMut(PressedKey)) {
    let mut questions = open_questions();
    loop {
        if questions.wait_for(|open| *open == 0).await.is_err() {
            return;
        }
        let mut input = INPUT.lock().await;
        let mut lines = input.start();
        let mut decoder = KeyDecoder::default();
        let before = decoder.push_translated(&lines.pending_bytes());
        before.into_iter().for_each(&mut handle);
        loop {
            let next = async {
                if decoder.is_in_escape() {
                    timeout(ESCAPE_TIMEOUT, lines.next_bytes()).await.ok()
                } else {
                    Some(lines.next_bytes().await)
                }
            };
            let keys = tokio::select! {
                biased;
                bytes = next => match bytes {
                    Some(Some(bytes)) => decoder.push(&bytes),
                    Some(None) => return,
                    None => decoder.flush(),
                },
                _ = questions.wait_for(|open| *open > 0) => break,
            };
            keys.into_iter().for_each(&mut handle);
        }
    }
}

/// Reads the keys that were pressed while nothing read them, such as while a command of the chat ran. The terminal must
/// be switched to single keys: an unfinished line cannot be read otherwise.
pub async fn read_pending_keys(handle: impl FnMut(PressedKey)) {
    let mut input = INPUT.lock().await;
    let pending = input.start().pending_bytes();
    let keys = KeyDecoder::default().push_translated(&pending);
    keys.into_iter().for_each(handle);
}

/// The keys of an open question.
pub(super) struct QuestionKeys<'l, 'i> {
    lines: &'l mut Lines<'i>,
    decoder: KeyDecoder,
    /// The keys that were pressed and are not handled yet.
    pressed: VecDeque<PressedKey>,
}

impl<'l, 'i> QuestionKeys<'l, 'i> {
    /// Reads keys from the terminal, which must be switched to single keys.
    pub(super) fn new(lines: &'l mut Lines<'i>) -> Self {
        Self {
            lines,
            decoder: KeyDecoder::default(),
            pressed: VecDeque::new(),
        }
    }

    /// Waits for a key; `None` if the input has ended.
    pub(super) async fn next(&mut self) -> Option<PressedKey> {
        loop {
            if let Some(key) = self.pressed.pop_front() {
                return Some(key);
            }
            let keys = if self.decoder.is_in_escape() {
                match timeout(ESCAPE_TIMEOUT, self.lines.next_bytes()).await {
                    Ok(bytes) => self.decoder.push(&bytes?),
                    Err(_) => self.decoder.flush(),
                }
            } else {
                self.decoder.push(&self.lines.next_bytes().await?)
            };
            self.pressed.extend(keys);
        }
    }
}

/// Decodes the bytes of a terminal into keys.
#[derive(Debug, Default)]
struct KeyDecoder {
    /// The beginning of a key.
    pending: Vec<u8>,
}

impl KeyDecoder {
    fn push(&mut self, bytes: &[u8]) -> Vec<PressedKey> {
        // A tab among other bytes was pasted.
        if self.pending.is_empty() && bytes == b"\t" {
            return vec![PressedKey::Tab];
        }
        self.pending.extend_from_slice(bytes);
        let mut keys = Vec::new();
        let mut rest = &self.pending[..];
        while let Some((length, key)) = decode_key(rest) {
            keys.extend(key);
            rest = &rest[length..];
        }
        self.pending = rest.to_vec();
        keys
    }

    /// Decodes bytes that were typed before the terminal was switched to single keys: it translated Enter into a line feed.
    fn push_translated(&mut self, bytes: &[u8]) -> Vec<PressedKey> {
        let bytes = bytes.iter().map(|byte| match byte {
            b'\n' => b'\r',
            other => *other,
        });
        self.push(&bytes.collect::<Vec<_>>())
    }

    fn is_in_escape(&self) -> bool {
        self.pending.first() == Some(&ESCAPE)
    }

    /// Ends an escape sequence that was not continued.
    fn flush(&mut self) -> Vec<PressedKey> {
        let pending = std::mem::take(&mut self.pending);
        match &*pending {
            [ESCAPE] => vec![PressedKey::Escape],
            _ => Vec::new(),
        }
    }
}

/// Decodes the first key: the number of its bytes, and the key if it has a meaning. `None` if it is incomplete.
fn decode_key(bytes: &[u8]) -> Option<(usize, Option<PressedKey>)> {
    let key = match bytes {
        [] | [ESCAPE] => return None,
        [ESCAPE, ESCAPE, ..] => PressedKey::Escape,
        [ESCAPE, b'[' | b'O', rest @ ..] => {
            let end = rest.iter().position(|byte| matches!(byte, 0x40..=0x7e))?;
            let key = match rest[end] {
                b'A' => Some(PressedKey::Up),
                b'B' => Some(PressedKey::Down),
                _ => None,
            };
            return Some((end + 3, key));
        }
        [ESCAPE, b'\r' | b'\n', ..] => return Some((2, Some(PressedKey::NewLine))),
        // A letter with Alt.
        [ESCAPE, ..] => return Some((2, None)),
        [b'\r', ..] => PressedKey::Enter,
        [b'\n', ..] => PressedKey::NewLine,
        [0x7f | 0x08, ..] => PressedKey::Backspace,
        [0x15, ..] => PressedKey::DeleteLine,
        [0x17, ..] => PressedKey::DeleteWord,
        [b'\t', ..] => PressedKey::Char(' '),
        [0x04, ..] => PressedKey::EndOfInput,
        [0..0x20, ..] => return Some((1, None)),
        text => return decode_char(text),
    };
    Some((1, Some(key)))
}

fn decode_char(bytes: &[u8]) -> Option<(usize, Option<PressedKey>)> {
    let first = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(first) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&first[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(error) => return error.error_len().map(|length| (length, None)),
    };
    let character = valid.chars().next()?;
    Some((character.len_utf8(), Some(PressedKey::Char(character))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_keys_wherever_they_are_split() {
        let typed = "aé\u{1b}[A\u{1b}\r\n\r\u{7f}\u{1b}[200~€\u{1b}b".as_bytes();
        let keys = [
            PressedKey::Char('a'),
            PressedKey::Char('é'),
            PressedKey::Up,
            PressedKey::NewLine,
            PressedKey::NewLine,
            PressedKey::Enter,
            PressedKey::Backspace,
            PressedKey::Char('€'),
        ];
        for at in 0..=typed.len() {
            let mut decoder = KeyDecoder::default();
            let mut decoded = decoder.push(&typed[..at]);
            decoded.extend(decoder.push(&typed[at..]));
            assert_eq!(decoded, keys, "split at {at}");
        }
    }

    #[test]
    fn an_escape_alone_is_a_key() {
        let mut decoder = KeyDecoder::default();
        assert_eq!(decoder.push(b"\x1b"), []);
        assert!(decoder.is_in_escape());
        assert_eq!(decoder.flush(), [PressedKey::Escape]);
        assert_eq!(decoder.push(b"\x1b\x1b"), [PressedKey::Escape]);
        // The second one is pending, and a byte that is no text follows it.
        assert_eq!(decoder.push(b"\xffa"), [PressedKey::Char('a')]);
    }
}
