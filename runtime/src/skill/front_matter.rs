//! The front matter of a SKILL.md, read as leniently as a skill that is already in use deserves.

use helve_skill_format::{Parsed, Profile};

/// Reads a SKILL.md for its fields and for where its body begins.
pub(super) fn parse(text: &str) -> Parsed {
    helve_skill_format::parse(text, None, Profile::Lenient)
}
