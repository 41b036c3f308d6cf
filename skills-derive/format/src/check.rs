//! The rules for the fields of one skill: one function per rule, and a table of the rules.

mod candidate;
mod compatibility;
mod description;
mod fields;
mod findings;
pub(crate) mod name;
mod types;

use crate::codes::{self, Code};
use crate::problem::Finding;

pub(crate) use candidate::RuleInput;
pub use fields::HOST_FIELDS;

/// One rule: its code, and the function that applies it.
struct RuleEntry {
    code: Code,
    check: fn(&RuleInput<'_>, Code) -> Vec<Finding>,
}

const fn rule(code: Code, check: fn(&RuleInput<'_>, Code) -> Vec<Finding>) -> RuleEntry {
    RuleEntry { code, check }
}

/// All rules, in the order in which problems at the same position are reported.
const RULES: &[RuleEntry] = &[
    rule(codes::NAME_REQUIRED, name::is_present),
    rule(codes::NAME_EMPTY, name::is_text),
    rule(codes::NAME_LENGTH, name::is_short),
    rule(codes::NAME_UPPER_CASE, name::is_lower_case),
    rule(codes::NAME_CHARACTERS, name::is_alphanumeric),
    rule(codes::NAME_EDGE_HYPHEN, name::has_inner_hyphens),
    rule(codes::NAME_DOUBLE_HYPHEN, name::has_single_hyphens),
    rule(codes::NAME_IS_FOLDER, name::is_the_folders),
    rule(codes::NAME_NOT_ASCII, name::is_ascii),
    rule(codes::DESCRIPTION_REQUIRED, description::is_present),
    rule(codes::DESCRIPTION_EMPTY, description::is_text),
    rule(codes::DESCRIPTION_LENGTH, description::is_short),
    rule(codes::COMPATIBILITY_TEXT, compatibility::is_text),
    rule(codes::COMPATIBILITY_EMPTY, compatibility::is_not_empty),
    rule(codes::COMPATIBILITY_LENGTH, compatibility::is_short),
    rule(codes::LICENSE_TEXT, types::license_is_text),
    rule(codes::METADATA_TEXT, types::metadata_is_text),
    rule(codes::ALLOWED_TOOLS_TEXT, types::allowed_tools_are_text),
    rule(codes::UNKNOWN_FIELD, fields::are_known),
];

/// Applies all rules of the profile, and returns their findings.
pub(crate) fn check(candidate: &RuleInput<'_>) -> Vec<Finding> {
    RULES
        .iter()
        .filter(|rule| candidate.profile.severity(rule.code).is_some())
        .flat_map(|rule| (rule.check)(candidate, rule.code))
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
