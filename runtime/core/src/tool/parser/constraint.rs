//! The constraints of a parameter beyond its type, checked on the raw text of the value.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::de::IgnoredAny;

use crate::schema::Constraints;
use crate::support::lock::RwLock;

/// Reports whether a well-formed JSON value satisfies the constraints of its parameter.
pub(super) fn is_satisfied(constraints: &Constraints, raw: &str) -> bool {
    match raw.trim_start().as_bytes().first() {
        Some(b'n') => true, // null: the type allowed it, and it stands for an absent value
        Some(b'"') => is_text_satisfied(constraints, raw),
        Some(b'[') => is_length_satisfied(
            constraints,
            serde_json::from_str::<Vec<IgnoredAny>>(raw).map_or(0, |items| items.len()),
        ),
        Some(b'{') => is_length_satisfied(
            constraints,
            serde_json::from_str::<HashMap<String, IgnoredAny>>(raw)
                .map_or(0, |entries| entries.len()),
        ),
        _ => is_number_satisfied(constraints, raw),
    }
}

fn is_number_satisfied(constraints: &Constraints, raw: &str) -> bool {
    let Ok(number) = raw.trim().parse::<f64>() else {
        return true;
    };
    constraints.min.is_none_or(|min| number >= min)
        && constraints.max.is_none_or(|max| number <= max)
}

fn is_text_satisfied(constraints: &Constraints, raw: &str) -> bool {
    let Ok(text) = serde_json::from_str::<String>(raw) else {
        return false;
    };
    is_length_satisfied(constraints, text.chars().count())
        && constraints
            .pattern
            .is_none_or(|pattern| matches_pattern(pattern, &text))
}

fn is_length_satisfied(constraints: &Constraints, length: usize) -> bool {
    constraints.min_len.is_none_or(|min| length >= min)
        && constraints.max_len.is_none_or(|max| length <= max)
}

/// Reports whether a pattern matches anywhere in the text, as in JSON Schema. The pattern is compiled once per
/// process; the macro has checked that it is valid.
fn matches_pattern(pattern: &'static str, text: &str) -> bool {
    static COMPILED: LazyLock<RwLock<HashMap<&'static str, Option<regex_lite::Regex>>>> =
        LazyLock::new(RwLock::default);
    if let Some(regex) = COMPILED.read().get(pattern) {
        return regex.as_ref().is_some_and(|regex| regex.is_match(text));
    }
    let regex = regex_lite::Regex::new(pattern).ok();
    let matched = regex.as_ref().is_some_and(|regex| regex.is_match(text));
    COMPILED.write().insert(pattern, regex);
    matched
}
