//! Text that comes in pieces, redacted as it comes.

use super::Redactor;

/// Redacts a text that comes in pieces: what could be the beginning of a secret is held back until it is known.
#[derive(Debug)]
pub struct RedactedStream {
    redactor: Redactor,
    held: String,
}

impl RedactedStream {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            held: String::new(),
        }
    }

    /// Takes a piece and returns what can be shown by now.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        String::new()
    }

    /// Returns the rest.
    #[must_use]
    pub fn finish(self) -> String {
        self.redactor.redact(&self.held).into_owned()
    }
}
