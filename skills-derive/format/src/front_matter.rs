//! The front matter of a SKILL.md: where it ends, and its fields, read at the level of YAML events.
//!
//! No YAML value is ever built: every scalar stays the text that was written (`1.50` is `"1.50"`), and what could
//! expand (anchors, aliases) or change a type (tags) is refused.

mod allowed_tools;
mod characters;
mod explain;
mod fields;
mod reader;
mod recover;
mod split;
mod strict;
mod typed;
mod value;

pub use allowed_tools::allowed_tools;
pub use fields::{Field, FrontMatter};
pub(crate) use reader::read;
pub(crate) use recover::read_leniently;
pub(crate) use split::split;
pub(crate) use strict::read_strictly;
pub use typed::{TypedValue, parse_typed};
pub use value::Value;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
