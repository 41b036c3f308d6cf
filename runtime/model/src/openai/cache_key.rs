//! The key by which a provider finds the cache of a conversation.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::ModelRequest;

/// Makes a key of what stays the same for a whole conversation: the instructions, the tools, and the first message,
/// which distinguishes conversations.
pub(super) fn compute(request: &ModelRequest) -> String {
    let mut hasher = DefaultHasher::new();
    request.system.hash(&mut hasher);
    for tool in request.tools.iter() {
        tool.name.hash(&mut hasher);
    }
    if let Some(first) = request.messages.first() {
        // What cannot be written is no part of the key.
        serde_json::to_string(first).ok().hash(&mut hasher);
    }
    format!("helve-{:016x}", hasher.finish())
}
