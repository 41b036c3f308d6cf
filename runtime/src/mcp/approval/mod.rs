//! What a user has approved of a server: what it says of itself and its tools, and how it is reached.

mod definition;
mod reach;

#[cfg(feature = "skills")]
pub(super) use definition::of_skill;
pub(super) use definition::{of_instructions, of_tool};
pub(super) use reach::subject;
