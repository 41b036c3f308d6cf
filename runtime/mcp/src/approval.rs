//! The approval of a server: its definitions and its transport.

mod definition;
mod reach;

#[cfg(feature = "skills")]
pub(super) use definition::skill_entry;
pub(super) use definition::{instructions_entry, tool_entry};
pub(super) use reach::subject;
