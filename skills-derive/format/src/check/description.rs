//! The rules for `description`: 1 to 1,024 characters, by which a model selects skills.

use super::candidate::RuleInput;
use super::findings::{into_findings, missing, not_text, too_long};
use crate::Profile;
use crate::codes::Code;
use crate::problem::Finding;

const MAX: usize = 1024;

const HELP: &str = "say what the skill does and when to use it: a model chooses by it";

/// Checks that there is a `description`.
pub(super) fn is_present(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    into_findings(missing(skill, "description", code).map(|finding| finding.with_help(HELP)))
}

/// Checks that `description` is text, and not empty.
pub(super) fn is_text(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    into_findings(not_text(skill, "description", code).map(|finding| finding.with_help(HELP)))
}

/// Checks that `description` has at most 1,024 characters. The reference validator also counts the white space around
/// it.
pub(super) fn is_short(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    let Some((text, at)) = skill.text("description") else {
        return Vec::new();
    };
    let whole = || skill.front_matter.get("description")?.value.as_text();
    let text = match skill.profile {
        Profile::SkillsRef => whole().unwrap_or(text),
        _ => text,
    };
    into_findings(too_long("description", text, at, MAX, code))
}
