//! The rules for `compatibility`: 1 to 500 characters about the skill's requirements, if there are any.

use super::candidate::RuleInput;
use super::findings::{into_findings, not_text, too_long};
use crate::codes::Code;
use crate::front_matter::Value;
use crate::problem::Finding;

const KEY: &str = "compatibility";
const MAX: usize = 500;

/// Checks that `compatibility` is text.
pub(super) fn is_text(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    into_findings(check_kind(skill, code, false).map(|finding| {
        finding.with_help("write it as text: `compatibility: Needs Python 3.11 and network access`")
    }))
}

/// Checks that `compatibility` is not empty.
pub(super) fn is_not_empty(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    into_findings(
        check_kind(skill, code, true).map(|finding| finding.with_help("leave the field out")),
    )
}

/// Checks that `compatibility` has at most 500 characters.
pub(super) fn is_short(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    into_findings(
        skill
            .text(KEY)
            .and_then(|(text, at)| too_long(KEY, text, at, MAX, code)),
    )
}

fn check_kind(skill: &RuleInput<'_>, code: Code, scalar: bool) -> Option<Finding> {
    let field = skill.front_matter.get(KEY)?;
    if matches!(field.value, Value::Text(_)) != scalar {
        return None;
    }
    not_text(skill, KEY, code)
}
