//! The rules for the names of fields.

use strsim::osa_distance;

use super::candidate::RuleInput;
use crate::Profile;
use crate::codes::Code;
use crate::front_matter::Field;
use crate::problem::Finding;

/// The fields of the specification.
const FIELDS: &[&str] = &[
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];

/// Top-level fields that are not in the specification, but in wide use by hosts: they are not reported as unknown,
/// except by [`Profile::SkillsRef`].
pub const HOST_FIELDS: &[&str] = &[
    "agent",
    "argument-hint",
    "arguments",
    "author",
    "context",
    "disable-model-invocation",
    "effort",
    "hooks",
    "model",
    "paths",
    "shell",
    "tags",
    "tool",
    "user-invocable",
    "version",
    "when_to_use",
];

/// Checks that every field is known.
pub(super) fn are_known(skill: &RuleInput<'_>, code: Code) -> Vec<Finding> {
    let strict = skill.profile == Profile::SkillsRef;
    let fields = skill.front_matter.fields.iter();
    let unknown = fields.filter(|Field { key, .. }| {
        !FIELDS.contains(&key.as_str()) && (strict || !HOST_FIELDS.contains(&key.as_str()))
    });
    unknown
        .map(|field| {
            let key = &field.key;
            let message = format!("`{key}` is not a field of the specification");
            let help = match nearest(key).filter(|known| !strict || FIELDS.contains(known)) {
                Some(known) => format!("did you mean `{known}`?"),
                None => "put it under `metadata`, which takes any `key: value`".to_owned(),
            };
            Finding::new(code, message)
                .with_position(field.at)
                .with_help(help)
        })
        .collect()
}

/// Returns the known field that a key may be a misspelling of.
fn nearest(key: &str) -> Option<&'static str> {
    let known = FIELDS.iter().chain(HOST_FIELDS).copied();
    known
        .map(|known| (distance(key, known), known))
        .min_by_key(|&(distance, _)| distance)
        .and_then(|(distance, known)| is_near(distance, known).then_some(known))
}

/// Returns the field among unknown ones that may be a misspelling of `key`.
pub(super) fn find_misspelled<'a>(key: &str, fields: &'a [Field]) -> Option<&'a Field> {
    let unknown = |field: &&Field| {
        !FIELDS.contains(&field.key.as_str()) && !HOST_FIELDS.contains(&field.key.as_str())
    };
    fields
        .iter()
        .filter(unknown)
        .map(|field| (distance(&field.key, key), field))
        .min_by_key(|&(distance, _)| distance)
        .and_then(|(distance, field)| is_near(distance, key).then_some(field))
}

/// Returns the edit distance of two keys; case, and the separators of words, are ignored.
fn distance(key: &str, known: &str) -> usize {
    const MAX_KEY_CHARS: usize = 40;
    if key.len() > MAX_KEY_CHARS {
        return usize::MAX;
    }
    let plain = |key: &str| {
        key.chars()
            .filter(|c| !matches!(c, '-' | '_' | ' '))
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    osa_distance(&plain(key), &plain(known))
}

fn is_near(distance: usize, known: &str) -> bool {
    distance <= (known.len() / 4).clamp(1, 3)
}
