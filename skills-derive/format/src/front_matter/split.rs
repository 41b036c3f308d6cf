//! Splits a SKILL.md into its front matter and its body.

use crate::codes;
use crate::limits::MAX_FRONT_MATTER;
use crate::problem::{Finding, Position};

/// The two parts of a SKILL.md.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SplitText<'a> {
    /// The text between the two `---` lines.
    pub(crate) yaml: &'a str,
    /// The byte offset of the body.
    pub(crate) body_start: usize,
}

/// Splits a SKILL.md at its two `---` lines. A `---` within a line, or an indented one, does not count.
pub(crate) fn split(text: &str) -> Result<SplitText<'_>, Finding> {
    const FENCE: &str = "---";
    let bom = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut lines = text[bom..].split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != FENCE {
        let message = "the file does not begin with front matter";
        let help =
            "make `---` its first line, then `name: …` and `description: …`, then `---` again";
        return Err(Finding::new(codes::FRONT_MATTER_MISSING, message)
            .with_position(Position::START)
            .with_help(help));
    }
    let yaml_start = bom + first.len();
    let mut offset = yaml_start;
    for line in lines {
        if line.trim_end() == FENCE {
            let yaml = &text[yaml_start..offset];
            if yaml.len() > MAX_FRONT_MATTER {
                let message = format!(
                    "the front matter is {} bytes long; at most {MAX_FRONT_MATTER} are read",
                    yaml.len()
                );
                return Err(
                    Finding::new(codes::FRONT_MATTER_SIZE, message).with_position(Position::START)
                );
            }
            return Ok(SplitText {
                yaml,
                body_start: offset + line.len(),
            });
        }
        offset += line.len();
    }
    Err(
        Finding::new(codes::FRONT_MATTER_OPEN, "the front matter is not closed")
            .with_position(Position::START)
            .with_help("end it with a line that is only `---`"),
    )
}
