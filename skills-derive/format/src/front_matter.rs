//! The front matter of a SKILL.md: its end, and its fields, parsed from YAML events.
//!
//! Scalars keep their written text (`1.50` is `"1.50"`), because no YAML value is built. Constructs that could expand
//! (anchors, aliases) or change a type (tags) are rejected.

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
