//! The rules of the specification for one skill: one function a rule, and a table of them.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

use crate::codes;
use crate::front_matter::{Field, FrontMatter};
use crate::report::{Code, Finding, Position, plural};

/// A skill as the rules see it.
pub(crate) struct Candidate<'a> {
    /// The name of its folder.
    pub(crate) folder: &'a str,
    pub(crate) front_matter: &'a FrontMatter,
}

/// One rule: its code, and the function that applies it.
struct Rule {
    code: Code,
    check: fn(&Candidate<'_>, Code) -> Result<(), Finding>,
}

/// Every rule, in the order in which problems of one line are reported.
const RULES: &[Rule] = &[
    Rule {
        code: codes::NAME_REQUIRED,
        check: name_is_there,
    },
    Rule {
        code: codes::NAME_LENGTH,
        check: name_is_short,
    },
    Rule {
        code: codes::NAME_CHARACTERS,
        check: name_is_lower_case,
    },
    Rule {
        code: codes::NAME_HYPHENS,
        check: name_has_single_inner_hyphens,
    },
    Rule {
        code: codes::NAME_IS_FOLDER,
        check: name_is_the_folders,
    },
    Rule {
        code: codes::DESCRIPTION_REQUIRED,
        check: description_is_there,
    },
    Rule {
        code: codes::DESCRIPTION_LENGTH,
        check: description_is_short,
    },
];

const NAME_MAX: usize = 64;
const DESCRIPTION_MAX: usize = 1024;

/// Applies every rule, and gives what each of them found.
pub(crate) fn check(candidate: &Candidate<'_>) -> Vec<Finding> {
    RULES
        .iter()
        .filter_map(|rule| (rule.check)(candidate, rule.code).err())
        .collect()
}

impl Candidate<'_> {
    /// The text of a field without the white space around it, if there is any text, and where it stands.
    fn text(&self, key: &str) -> Option<(&str, Position)> {
        let field = self.front_matter.get(key)?;
        let text = field.text.as_deref()?.trim();
        (!text.is_empty()).then_some((text, field.at))
    }
}

/// `name` is required.
fn name_is_there(skill: &Candidate<'_>, code: Code) -> Result<(), Finding> {
    required(skill, "name", code)
        .map_err(|finding| finding.help(format!("write `name: {}`", skill.folder)))
}

/// `name` has at most 64 characters.
fn name_is_short(skill: &Candidate<'_>, code: Code) -> Result<(), Finding> {
    at_most(skill, "name", NAME_MAX, code)
}

/// `name` consists of lower-case letters, digits and `-`.
fn name_is_lower_case(skill: &Candidate<'_>, code: Code) -> Result<(), Finding> {
    let Some((name, at)) = skill.text("name") else {
        return Ok(());
    };
    let Some(wrong) = name.chars().find(|&c| !is_name_character(c)) else {
        return Ok(());
    };
    let message =
        format!("`{wrong}` is not allowed in a name: lower-case letters, digits and `-` are");
    Err(Finding::new(code, message.replace("` `", "a space"))
        .at(at)
        .help(rename_help(skill, name)))
}

/// `name` neither begins nor ends with `-`, nor has two of them in a row.
fn name_has_single_inner_hyphens(skill: &Candidate<'_>, code: Code) -> Result<(), Finding> {
    match skill.text("name") {
        Some((name, at)) if !has_single_inner_hyphens(name) => {
            let message = "a name may not begin or end with `-`, nor have two of them in a row";
            Err(Finding::new(code, message)
                .at(at)
                .help(rename_help(skill, name)))
        }
        _ => Ok(()),
    }
}

/// `name` is the name of the skill's folder. A name that is malformed has been reported as that already.
fn name_is_the_folders(skill: &Candidate<'_>, code: Code) -> Result<(), Finding> {
    match skill.text("name") {
        Some((name, at)) if is_well_formed(name) && name != skill.folder => {
            let folder = skill.folder;
            let help = if is_well_formed(folder) {
                format!("write `name: {folder}`, or rename the folder to `{name}`")
            } else {
                format!("rename the folder to `{name}`")
            };
            Err(Finding::new(
                code,
                format!("the name is `{name}`, but the folder is `{folder}`"),
            )
            .at(at)
            .help(help))
        }
        _ => Ok(()),
    }
}

/// `description` is required.
fn description_is_there(skill: &Candidate<'_>, code: Code) -> Result<(), Finding> {
    required(skill, "description", code).map_err(|finding| {
        finding.help("say what the skill does and when to use it: a model chooses by it")
    })
}

/// `description` has at most 1,024 characters.
fn description_is_short(skill: &Candidate<'_>, code: Code) -> Result<(), Finding> {
    at_most(skill, "description", DESCRIPTION_MAX, code)
}

fn required(skill: &Candidate<'_>, key: &str, code: Code) -> Result<(), Finding> {
    let FrontMatter { fields, complete } = skill.front_matter;
    let field = skill.front_matter.get(key);
    if skill.text(key).is_some() || field.is_none() && !complete {
        return Ok(());
    }
    let (message, at) = match field {
        Some(Field {
            text: Some(_), at, ..
        }) => (format!("`{key}` is empty"), *at),
        Some(Field { text: None, at, .. }) => {
            (format!("`{key}` is a list or a mapping, not text"), *at)
        }
        None => {
            let start = Position { line: 1, column: 1 };
            match fields
                .iter()
                .find(|field| field.key.eq_ignore_ascii_case(key))
            {
                Some(field) => (
                    format!("`{key}` is missing; `{}` is another field", field.key),
                    field.at,
                ),
                None => (format!("`{key}` is missing"), start),
            }
        }
    };
    Err(Finding::new(code, message).at(at))
}

fn at_most(skill: &Candidate<'_>, key: &str, max: usize, code: Code) -> Result<(), Finding> {
    match skill.text(key) {
        Some((text, at)) if text.chars().count() > max => {
            let length = plural(text.chars().count(), "character");
            Err(Finding::new(
                code,
                format!("`{key}` is {length} long; at most {max} are allowed"),
            )
            .at(at))
        }
        _ => Ok(()),
    }
}

/// Suggests the folder's name where it is a good one, else the nearest good spelling of `name`.
fn rename_help(skill: &Candidate<'_>, name: &str) -> String {
    if is_well_formed(skill.folder) {
        return format!("write `name: {}`, as the folder is called", skill.folder);
    }
    let lower = name.to_lowercase();
    let words = lower
        .split(|c| !is_name_character(c) || c == '-')
        .filter(|word| !word.is_empty());
    let suggestion = words.collect::<Vec<_>>().join("-");
    if suggestion.is_empty() {
        return "a good name is like `pdf-tools`".to_owned();
    }
    format!("write `name: {suggestion}`, and call the folder the same")
}

fn is_well_formed(name: &str) -> bool {
    (1..=NAME_MAX).contains(&name.chars().count())
        && name.chars().all(is_name_character)
        && has_single_inner_hyphens(name)
}

fn has_single_inner_hyphens(name: &str) -> bool {
    !name.starts_with('-') && !name.ends_with('-') && !name.contains("--")
}

/// Tells whether a name may hold `c`. `char::is_alphanumeric` is not the rule: it admits combining vowels.
fn is_name_character(c: char) -> bool {
    let alphanumeric = matches!(
        get_general_category(c),
        Category::UppercaseLetter
            | Category::LowercaseLetter
            | Category::TitlecaseLetter
            | Category::ModifierLetter
            | Category::OtherLetter
            | Category::DecimalNumber
            | Category::LetterNumber
            | Category::OtherNumber
    );
    c == '-' || alphanumeric && c.to_lowercase().eq([c])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
