//! Text that comes in pieces, redacted as it comes.

use super::Redactor;

/// How much is held back at most where no line ends.
const MAX_HELD_BYTES: usize = 64 * 1_024;

/// How far from the end a secret can begin that is not whole yet.
const MAX_SECRET_BYTES: usize = 4 * 1_024;

/// How long a name is, with what stands between it and its value.
const MAX_NAME_BYTES: usize = 128;

/// Redacts a text that comes in pieces.
///
/// What could be the beginning of a secret is held back until it is known, in general until the word ends: so a secret
/// that is parted between two pieces is found, and the whole is redacted as it would be in one piece.
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

    /// Takes a piece and returns what can be shown by now.
    pub fn push(&mut self, piece: &str) -> String {
        self.buffer.push_str(piece);
        let end = self.settled_length();
        let rest = self.buffer.split_off(end);
        let settled = std::mem::replace(&mut self.buffer, rest);
        self.redactor.redact(&settled).into_owned()
    }

    /// Returns the rest.
    #[must_use]
    pub fn finish(self) -> String {
        self.redactor.redact(&self.buffer).into_owned()
    }

    /// Returns up to where nothing can change any more.
    fn settled_length(&self) -> usize {
        let held = &self.buffer;
        let Some(inner) = &self.redactor.inner else {
            return held.len();
        };
        let reach = inner.learned.max_length().max(MAX_SECRET_BYTES);
        let line = held.rfind('\n').map_or(0, |line| line + 1);
        let words_end = match inner.secrets_are_words() && !held.contains("-----") {
            true => line + settled_words_end(&held[line..]),
            false => line,
        };
        let mut end = match words_end {
            0 if held.len() > MAX_HELD_BYTES + reach => held.len() - reach,
            0 => return 0,
            end => end,
        };
        // A key's block and a secret of several lines go on behind a line's end.
        let open = held[..end].rfind("-----BEGIN ").filter(|begin| {
            held.len() - begin < MAX_HELD_BYTES && !held[*begin..end].contains("-----END ")
        });
        end = open.unwrap_or(end);
        if inner.learned.contains(|c| c == '\n') {
            end = end.min(held.len().saturating_sub(reach));
        }
        end = held.floor_char_boundary(end);
        // What is found across the end is not whole on either side of it, and goes with the name that stands before it.
        let found = self.redactor.find(held);
        let begins = |start: usize| {
            let line = held[..start].rfind('\n').map_or(0, |line| line + 1);
            line.max(start.saturating_sub(MAX_NAME_BYTES))
        };
        for found in found.iter().rev() {
            if found.range.end > end {
                end = end.min(begins(found.range.start));
            }
        }
        held.floor_char_boundary(end)
    }
}

/// Returns how far the words of the last line are settled: to where one begins that cannot belong to the one before.
///
/// No secret that is known by its form has white space in it, but for the scheme of a header and the spaces around the
/// sign between a name and its value.
fn settled_words_end(tail: &str) -> usize {
    let separates = |(at, byte): &(usize, u8)| {
        byte.is_ascii_whitespace()
            && (*byte != b' ' || separates_words(&tail[..*at], &tail[at + 1..]))
    };
    let last = tail.bytes().enumerate().rev().find(separates);
    last.map_or(0, |(at, _)| at + 1)
}

/// Reports whether a space parts two words that have nothing to do with each other, as far as that is known.
fn separates_words(before: &str, after: &str) -> bool {
    let before = before.trim_end_matches(' ');
    let awaits_value = before.ends_with(['=', ':', '>', '"', '\'', '`', '\\'])
        || ["Bearer", "bearer", "Basic"]
            .iter()
            .any(|scheme| before.ends_with(scheme));
    let is_known = |next: char| next != ' ' && next != '=' && next != ':';
    !awaits_value && after.starts_with(is_known)
}
