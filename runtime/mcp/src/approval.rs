//! What a user has approved of a server: what it says of itself and its tools, and how it is reached.

mod definition;
mod reach;

#[cfg(feature = "skills")]
pub(super) use definition::skill_entry;
pub(super) use definition::{instructions_entry, tool_entry};
pub(super) use reach::subject;
