//! The rules for `name`: 1 to 64 lower-case letters, digits and hyphens, equal to the name of the folder.
//!
//! The rules apply to the name in the normal form NFKC: `é` is a letter, however it was typed.

use std::borrow::Cow;

use unicode_general_category::{GeneralCategory as Category, get_general_category};

use super::candidate::{RuleInput, nfkc};
use super::findings::{into_findings, missing, not_text, too_long};
use crate::codes::Code;
use crate::problem::Finding;
use crate::{Profile, problem::Position};

const MAX: usize = 64;

/// Checks that there is a `name`.
pub(super) fn is_present(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    into_findings(missing(skill, "name", code).map(|finding| with_example(skill, finding)))
}

/// Checks that `name` is text, and not empty.
pub(super) fn is_text(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    into_findings(not_text(skill, "name", code).map(|finding| with_example(skill, finding)))
}

/// Checks that `name` has at most 64 characters.
pub(super) fn is_short(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    into_findings(
        skill
            .name()
            .and_then(|(name, at)| too_long("name", &name, at, MAX, code)),
    )
}

/// Checks that `name` has no upper-case letter.
pub(super) fn is_lower_case(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    name_finding(skill, code, |name| {
        let upper = name.chars().find(|&c| !c.to_lowercase().eq([c]))?;
        Some(format!(
            "`{upper}` is an upper-case letter, which a name may not have"
        ))
    })
}

/// Checks that `name` consists of letters, digits and `-`.
pub(super) fn is_alphanumeric(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    name_finding(skill, code, |name| {
        let shown = match name.chars().find(|&c| !is_name_character(c))? {
            ' ' => "a space".to_owned(),
            wrong if wrong.is_control() || is_invisible(wrong) => {
                format!("U+{:04X}", u32::from(wrong))
            }
            wrong => format!("`{wrong}`"),
        };
        Some(format!(
            "{shown} is not allowed in a name: lower-case letters, digits and `-` are"
        ))
    })
}

/// Checks that `name` neither begins nor ends with `-`.
pub(super) fn has_inner_hyphens(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    name_finding(skill, code, |name| {
        (name.starts_with('-') || name.ends_with('-'))
            .then(|| "a name may not begin or end with `-`".to_owned())
    })
}

/// Checks that `name` has no two consecutive `-`.
pub(super) fn has_single_hyphens(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    name_finding(skill, code, |name| {
        name.contains("--")
            .then(|| "a name may not have two `-` in a row".to_owned())
    })
}

/// Checks that `name` is the name of the skill's folder. A malformed name is only checked in the profile of the
/// reference validator; in the other profiles, another rule has reported the name already.
pub(super) fn is_the_folders(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    let (Some((name, at)), Some(folder)) = (skill.name(), skill.folder) else {
        return Vec::new();
    };
    let judged = is_well_formed(&name) || skill.profile == Profile::SkillsRef;
    if !judged || name == nfkc(folder) {
        return Vec::new();
    }
    let help = match (is_well_formed(&name), is_well_formed(&nfkc(folder))) {
        (true, true) => format!("write `name: {folder}`, or rename the folder to `{name}`"),
        (_, true) => format!("write `name: {folder}`"),
        (true, false) => format!("rename the folder to `{name}`"),
        (false, false) => "call both the same".to_owned(),
    };
    let message = format!("the name is `{name}`, but the folder is `{folder}`");
    vec![
        Finding::new(code, message)
            .with_position(at)
            .with_help(help),
    ]
}

/// Checks that `name` is ASCII, so that every host can address the skill.
pub(super) fn is_ascii(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    let Some((name, at)) = skill.name() else {
        return Vec::new();
    };
    let Some(wrong) = name.chars().find(|c| !c.is_ascii()) else {
        return Vec::new();
    };
    // An invalid character is reported by another rule.
    if !is_name_character(wrong) {
        return Vec::new();
    }
    let message =
        format!("`{wrong}` is not ASCII: MCP and some hosts take only `a` to `z`, digits and `-`");
    vec![Finding::new(code, message).with_position(at)]
}

/// Determines the name of a skill in a folder that is read at run time: the declared name, else the folder's name,
/// else the closest valid spelling of either.
pub(crate) fn resolve_name(skill: &RuleInput<'_>) -> Option<String> {
    let written = skill.name().map(|(name, _)| name);
    let folder = skill.folder.map(nfkc);
    let names = || written.iter().chain(&folder).map(Cow::as_ref);
    let good = names().find(|name| is_well_formed(name)).map(str::to_owned);
    good.or_else(|| names().find_map(suggestion))
}

/// Creates a finding about the name, with a suggestion.
fn name_finding(
    skill: &RuleInput<'_>,
    code: Code,
    wrong: impl Fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let Some((name, at)) = skill.name() else {
        return Vec::new();
    };
    let Some(message) = wrong(&name) else {
        return Vec::new();
    };
    vec![at_name(code, message, at).with_help(rename_help(skill, &name))]
}

fn at_name(code: Code, message: String, at: Position) -> Finding {
    Finding::new(code, message).with_position(at)
}

fn with_example(skill: &RuleInput<'_>, finding: Finding) -> Finding {
    let folder = skill.folder.map(nfkc);
    let name = folder
        .as_deref()
        .and_then(|folder| match is_well_formed(folder) {
            true => Some(folder.to_owned()),
            false => suggestion(folder),
        });
    finding.with_help(format!(
        "write `name: {}`",
        name.as_deref().unwrap_or("pdf-tools")
    ))
}

/// Suggests the folder's name if it is valid, else the closest valid spelling of `name`.
fn rename_help(skill: &RuleInput<'_>, name: &str) -> String {
    if let Some(folder) = skill.folder
        && is_well_formed(&nfkc(folder))
    {
        return format!("write `name: {folder}`, as the folder is called");
    }
    match suggestion(name) {
        Some(suggestion) => format!("write `name: {suggestion}`, and call the folder the same"),
        None => "a good name is like `pdf-tools`".to_owned(),
    }
}

/// Returns the closest valid spelling of a name; `None` if no character can be kept.
pub(crate) fn suggestion(name: &str) -> Option<String> {
    let lower = nfkc(name).to_lowercase();
    let words = lower
        .split(|c| !is_name_character(c) || c == '-')
        .filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("-");
    let short: String = joined.chars().take(MAX).collect();
    let short = short.trim_end_matches('-');
    is_well_formed(short).then(|| short.to_owned())
}

/// Returns whether a name follows all rules, except that of the folder.
pub(crate) fn is_well_formed(name: &str) -> bool {
    (1..=MAX).contains(&name.chars().count())
        && name
            .chars()
            .all(|c| is_name_character(c) && c.to_lowercase().eq([c]))
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

/// Returns whether a name may contain `c`. `char::is_alphanumeric` is not used, because it accepts combining vowels.
fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || c == '-'
        || !c.is_ascii()
            && matches!(
                get_general_category(c),
                Category::UppercaseLetter
                    | Category::LowercaseLetter
                    | Category::TitlecaseLetter
                    | Category::ModifierLetter
                    | Category::OtherLetter
                    | Category::DecimalNumber
                    | Category::LetterNumber
                    | Category::OtherNumber
            )
}

fn is_invisible(c: char) -> bool {
    matches!(
        get_general_category(c),
        Category::Format | Category::SpaceSeparator | Category::NonspacingMark
    )
}
