//! Findings that the rules for several fields share.

use super::candidate::RuleInput;
use super::fields;
use crate::codes::Code;
use crate::front_matter::{Field, Value};
use crate::problem::{Finding, Position};
use crate::report::plural;

/// Returns the finding of a missing field, with the field that may be a misspelling of it.
pub(super) fn missing(skill: &RuleInput<'_>, key: &str, code: Code) -> Option<Finding> {
    if !skill.complete || skill.front_matter.get(key).is_some() {
        return None;
    }
    let meant = fields::find_misspelled(key, &skill.front_matter.fields);
    Some(match meant {
        Some(Field { key: other, at, .. }) => {
            let message = format!("`{key}` is missing; `{other}` is another field");
            Finding::new(code, message).with_position(*at)
        }
        None => Finding::new(code, format!("`{key}` is missing")).with_position(Position::START),
    })
}

/// Returns the finding of a field that is present, and is not text.
pub(super) fn not_text(skill: &RuleInput<'_>, key: &str, code: Code) -> Option<Finding> {
    let field = skill.front_matter.get(key)?;
    let message = match &field.value {
        Value::Text(text) if text.trim().is_empty() => format!("`{key}` is empty"),
        Value::Text(_) => return None,
        value => format!("`{key}` is {}, not text", value.kind()),
    };
    Some(Finding::new(code, message).with_position(field.at))
}

/// Returns the finding of a text that is too long.
pub(super) fn too_long(
    key: &str,
    text: &str,
    at: Position,
    max: usize,
    code: Code,
) -> Option<Finding> {
    // The number of bytes is known, and never less than the number of characters.
    if text.len() <= max {
        return None;
    }
    let length = text.chars().count();
    (length > max).then(|| {
        let message = format!(
            "`{key}` is {} long; at most {max} are allowed",
            plural(length, "character")
        );
        Finding::new(code, message).with_position(at)
    })
}

pub(super) fn into_findings(finding: Option<Finding>) -> Vec<Finding> {
    finding.into_iter().collect()
}
