//! The front matter of a SKILL.md, read as leniently as a skill that is already in use deserves.

use helve_skill_format::{ParsedManifest, Profile};

/// Reads the text of a SKILL.md: name, description, fields, and where its body begins. For a source of your own; it is
/// lenient, as a skill that is already in use deserves, and says what is wrong.
#[must_use]
pub fn parse(text: &str) -> ParsedManifest {
    helve_skill_format::parse(text, None, Profile::Lenient)
}
