//! A lenient parser of the front matter of a SKILL.md, for skills that are already in use.

use helve_skill_format::{ParsedManifest, Profile};

/// Parses the text of a SKILL.md leniently: name, description, fields, the offset of the body, and the
/// problems. For custom sources of skills.
#[must_use]
pub fn parse(text: &str) -> ParsedManifest {
    helve_skill_format::parse(text, None, Profile::Lenient)
}
