//! Redaction of a text that arrives in pieces.

use super::Redactor;

/// The maximum number of bytes that are held back while no line ends.
const MAX_HELD_BYTES: usize = 64 * 1_024;

/// The maximum distance from the end at which an incomplete secret can begin, in bytes.
const MAX_SECRET_BYTES: usize = 4 * 1_024;

/// The maximum length of a name and of the characters between the name and its value, in bytes.
const MAX_NAME_BYTES: usize = 128;

/// Redacts a text that arrives in pieces.
///
/// Text that could be the beginning of a secret is held back until this is decided, in general until the word ends. A
/// secret that is split between two pieces is therefore found, and the whole text is redacted as if it arrived in one
/// piece.
///
/// ```
/// use helve::results::Redactor;
///
/// let mut stream = Redactor::new().stream();
/// assert_eq!(stream.push("the key: AKIAIOSF"), "the ");
/// assert_eq!(stream.push("ODNN7EXAMPLE\nnext"), "key: [REDACTED:aws-access-key]\n");
/// assert_eq!(stream.finish(), "next");
/// ```
#[derive(Debug)]
pub struct RedactedStream {
    redactor: Redactor,
    buffer: String,
}

impl RedactedStream {
    pub(super) fn new(redactor: Redactor) -> Self {
        let buffer = String::new();
        Self { redactor, buffer }
    }

    /// Adds a piece, and returns the redacted text that is final by now.
    pub fn push(&mut self, piece: &str) -> String {
        self.buffer.push_str(piece);
        let end = self.settled_length();
        let rest = self.buffer.split_off(end);
        let settled = std::mem::replace(&mut self.buffer, rest);
        self.redactor.redact(&settled).into_owned()
    }

    /// Returns the redacted rest of the text.
    #[must_use]
    pub fn finish(self) -> String {
        self.redactor.redact(&self.buffer).into_owned()
    }

    /// Returns the length of the text that later pieces cannot change.
    fn settled_length(&self) -> usize {
        let held = &self.buffer;
        let Some(inner) = &self.redactor.inner else {
            return held.len();
        };
        let line = held.rfind('\n').map_or(0, |line| line + 1);
        let words_end = match inner.secrets_are_words() && !held.contains("-----") {
            true => line + settled_words_end(&held[line..]),
            false => line,
        };
        let mut end = match words_end {
            0 if held.len() > MAX_HELD_BYTES + MAX_SECRET_BYTES => held.len() - MAX_SECRET_BYTES,
            0 => return 0,
            end => end,
        };
        // A key block continues after the end of a line, and so does a learned secret.
        let open = held[..end].rfind("-----BEGIN ").filter(|begin| {
            held.len() - begin < MAX_HELD_BYTES && !held[*begin..end].contains("-----END ")
        });
        end = open.unwrap_or(end);
        end = inner
            .learned
            .pending_start(held)
            .map_or(end, |start| end.min(start));
        end = held.floor_char_boundary(end);
        // A match across the end would be incomplete on either side, so it is held back with the name before it.
        let found = self.redactor.find(held);
        let begins = |start: usize| {
            let line = held[..start].rfind('\n').map_or(0, |line| line + 1);
            let from = held.floor_char_boundary(line.max(start.saturating_sub(MAX_NAME_BYTES)));
            // A rest of a word may read as a secret that the word is not.
            let word = held[line..from].rfind(|letter: char| letter.is_ascii_whitespace());
            word.map_or(line, |space| line + space + 1)
        };
        for found in found.iter().rev() {
            if found.range.end > end {
                end = end.min(begins(found.range.start));
            }
        }
        held.floor_char_boundary(end)
    }
}

/// Returns the length of the part of the last line whose words are settled: it ends where a word begins that cannot
/// belong to the previous one.
///
/// No secret with a known form contains white space, except for the scheme of a header and the spaces around the sign
/// between a name and its value.
fn settled_words_end(tail: &str) -> usize {
    let separates = |(at, byte): &(usize, u8)| {
        byte.is_ascii_whitespace()
            && (*byte != b' ' || separates_words(&tail[..*at], &tail[at + 1..]))
    };
    let last = tail.bytes().enumerate().rev().find(separates);
    last.map_or(0, |(at, _)| at + 1)
}

/// Reports whether a space separates two words that cannot belong to one secret.
fn separates_words(before: &str, after: &str) -> bool {
    let before = before.trim_end_matches(' ');
    let awaits_value = before.ends_with(['=', ':', '>', '"', '\'', '`', '\\'])
        || ["Bearer", "bearer", "Basic"]
            .iter()
            .any(|scheme| before.ends_with(scheme));
    let is_known = |next: char| next != ' ' && next != '=' && next != ':';
    !awaits_value && after.starts_with(is_known)
}
