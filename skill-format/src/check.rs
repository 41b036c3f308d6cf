//! The rules for the fields of one skill: one function a rule, and a table of them.

mod compatibility;
mod description;
mod fields;
pub(crate) mod name;
mod types;

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::Profile;
use crate::codes::{self, Code};
use crate::front_matter::{Field, FrontMatter, Value};
use crate::problem::{Finding, Position};
use crate::report::plural;

pub use fields::HOST_FIELDS;

/// A skill as the rules see it.
pub(crate) struct Candidate<'a> {
    /// The name of its folder, if it has one.
    pub(crate) folder: Option<&'a str>,
    pub(crate) front_matter: &'a FrontMatter,
    /// Whether the front matter was read to its end.
    pub(crate) complete: bool,
    pub(crate) profile: Profile,
}

/// One rule: its code, and the function that applies it.
struct Rule {
    code: Code,
    check: fn(&Candidate<'_>, Code) -> Vec<Finding>,
}

const fn rule(code: Code, check: fn(&Candidate<'_>, Code) -> Vec<Finding>) -> Rule {
    Rule { code, check }
}

/// Every rule, in the order in which problems of one place are reported.
const RULES: &[Rule] = &[
    rule(codes::NAME_REQUIRED, name::is_there),
    rule(codes::NAME_EMPTY, name::is_text),
    rule(codes::NAME_LENGTH, name::is_short),
    rule(codes::NAME_UPPER_CASE, name::is_lower_case),
    rule(codes::NAME_CHARACTERS, name::is_alphanumeric),
    rule(codes::NAME_EDGE_HYPHEN, name::has_inner_hyphens),
    rule(codes::NAME_DOUBLE_HYPHEN, name::has_single_hyphens),
    rule(codes::NAME_IS_FOLDER, name::is_the_folders),
    rule(codes::NAME_NOT_ASCII, name::is_ascii),
    rule(codes::DESCRIPTION_REQUIRED, description::is_there),
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

/// Applies every rule that the profile has, and gives what each of them found.
pub(crate) fn check(candidate: &Candidate<'_>) -> Vec<Finding> {
    RULES
        .iter()
        .filter(|rule| candidate.profile.severity(rule.code).is_some())
        .flat_map(|rule| (rule.check)(candidate, rule.code))
        .collect()
}

impl<'a> Candidate<'a> {
    /// The text of a field without the white space around it, if there is any text, and where it stands.
    fn text(&self, key: &str) -> Option<(&'a str, Position)> {
        let field = self.front_matter.get(key)?;
        let text = field.value.as_text()?.trim();
        (!text.is_empty()).then_some((text, field.at))
    }

    /// The name in its normal form, which is what every rule is about.
    pub(crate) fn name(&self) -> Option<(Cow<'a, str>, Position)> {
        let (name, at) = self.text("name")?;
        Some((nfkc(name), at))
    }
}

/// Brings text to the normal form NFKC: `é` is one character however it was typed.
pub(crate) fn nfkc(text: &str) -> Cow<'_, str> {
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        IsNormalized::No | IsNormalized::Maybe => Cow::Owned(text.nfkc().collect()),
    }
}

/// Finds that a field is missing, and which other one may be meant.
fn missing(skill: &Candidate<'_>, key: &str, code: Code) -> Option<Finding> {
    if !skill.complete || skill.front_matter.get(key).is_some() {
        return None;
    }
    let meant = fields::nearest_of(key, &skill.front_matter.fields);
    Some(match meant {
        Some(Field { key: other, at, .. }) => {
            let message = format!("`{key}` is missing; `{other}` is another field");
            Finding::new(code, message).at(*at)
        }
        None => Finding::new(code, format!("`{key}` is missing")).at(Position::START),
    })
}

/// Finds that a field is there and has no text.
fn not_text(skill: &Candidate<'_>, key: &str, code: Code) -> Option<Finding> {
    let field = skill.front_matter.get(key)?;
    let message = match &field.value {
        Value::Text(text) if text.trim().is_empty() => format!("`{key}` is empty"),
        Value::Text(_) => return None,
        value => format!("`{key}` is {}, not text", value.kind()),
    };
    Some(Finding::new(code, message).at(field.at))
}

/// Finds that a text is too long.
fn too_long(key: &str, text: &str, at: Position, max: usize, code: Code) -> Option<Finding> {
    // Bytes are cheap to count, and never fewer than characters.
    if text.len() <= max {
        return None;
    }
    let length = text.chars().count();
    (length > max).then(|| {
        let message = format!(
            "`{key}` is {} long; at most {max} are allowed",
            plural(length, "character")
        );
        Finding::new(code, message).at(at)
    })
}

fn found(finding: Option<Finding>) -> Vec<Finding> {
    finding.into_iter().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
