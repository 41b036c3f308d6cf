//! What is in a text without being seen.

use std::borrow::Cow;

/// Removes the escape sequences with which a program talks to its terminal.
#[must_use]
pub fn strip_escapes(text: &str) -> Cow<'_, str> {
    text.into()
}

/// Removes characters that show nothing or change the direction of what follows.
#[must_use]
pub fn strip_invisible(text: &str) -> Cow<'_, str> {
    text.into()
}
