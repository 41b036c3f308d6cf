//! Descriptions of expected and actual values.

use serde_json::{Map, Value};

use super::super::enforced;
use super::super::keyword::ReadKeywords as _;
use super::raw::JsonKind;
use crate::support::text::first_bytes;

/// The maximum length of an excerpt, in bytes.
const EXCERPT: usize = 60;

/// Describes a value: its kind and the start of its text.
pub(super) fn describe_value(raw: &str) -> String {
    let text = excerpt(raw);
    match JsonKind::from_raw(raw) {
        JsonKind::Null => "null".to_owned(),
        JsonKind::Boolean => text,
        JsonKind::Number => format!("the number {text}"),
        JsonKind::String => format!("the string {text}"),
        JsonKind::Array => format!("the array {text}"),
        JsonKind::Object => format!("the object {text}"),
    }
}

/// Truncates a text to a short line.
pub(in crate::schema) fn excerpt(text: &str) -> String {
    let cut = first_bytes(text, EXCERPT);
    let line = one_line(cut);
    if cut.len() < text.len() {
        return line + "…";
    }
    line
}

/// Returns an excerpt of a text around a position.
pub(super) fn excerpt_around(text: &str, at: usize) -> String {
    let from = text.floor_char_boundary(at.saturating_sub(EXCERPT / 2));
    let to = text
        .floor_char_boundary(at.saturating_add(EXCERPT / 2))
        .max(from);
    one_line(&text[from..to])
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Describes the values that a schema accepts.
pub fn describe_schema(map: &Map<String, Value>) -> String {
    if let Some(Value::Array(values)) = map.get("enum") {
        return describe_enum(values);
    }
    let kinds: Vec<String> = map.types().map(|name| kind(name, map)).collect();
    if kinds.is_empty() {
        "a value".to_owned()
    } else {
        kinds.join(" or ")
    }
}

fn kind(name: &str, map: &Map<String, Value>) -> String {
    match name {
        "string" => match (range(map, "minLength", "maxLength"), map.text("format")) {
            (Some(range), _) => format!("a string of {range} characters"),
            (None, Some(format)) => format!("a string (format {format})"),
            (None, None) => "a string".to_owned(),
        },
        "integer" => format!("an integer{}", numeric_range(map)),
        "number" => format!("a number{}", numeric_range(map)),
        "boolean" => "true or false".to_owned(),
        "array" => match range(map, "minItems", "maxItems") {
            Some(range) => format!("an array of {range} items"),
            None => "an array".to_owned(),
        },
        "object" => match map.object("properties") {
            Some(properties) if !properties.is_empty() => {
                format!("an object with {}", keys(properties.keys()))
            }
            _ => match range(map, "minProperties", "maxProperties") {
                Some(range) => format!("an object of {range} entries"),
                None => "an object".to_owned(),
            },
        },
        other => other.to_owned(),
    }
}

fn range(map: &Map<String, Value>, least: &str, most: &str) -> Option<String> {
    match (map.get(least), map.get(most)) {
        (Some(least), Some(most)) if least == most => Some(format!("exactly {least}")),
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(most)) => Some(format!("at most {most}")),
        (None, None) => None,
    }
}

fn numeric_range(map: &Map<String, Value>) -> String {
    let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
        .map(|keyword| map.get(keyword));
    match bounds {
        [Some(least), Some(most), ..] => format!(" from {least} to {most}"),
        [_, _, Some(least), Some(most)] => format!(" above {least} and below {most}"),
        [Some(least), _, _, Some(most)] => format!(" of at least {least} and below {most}"),
        [_, Some(most), Some(least), _] => format!(" above {least} and of at most {most}"),
        [Some(least), ..] => format!(" of at least {least}"),
        [_, Some(most), ..] => format!(" of at most {most}"),
        [_, _, Some(least), _] => format!(" above {least}"),
        [_, _, _, Some(most)] => format!(" below {most}"),
        _ => String::new(),
    }
}

/// Describes an integer of a Rust type, whose bounds the schema does not fully state.
pub(super) fn integer(map: &Map<String, Value>, width: &str) -> String {
    let Some((least, most)) = enforced::bounds(width) else {
        return describe_schema(map);
    };
    let own = |keyword: &str, natural: i128| {
        let stated = map.get(keyword);
        stated.map_or_else(|| natural.to_string(), ToString::to_string)
    };
    let (least, most) = (own("minimum", least), own("maximum", most));
    format!("an integer from {least} to {most}")
}

/// Lists the values of an `enum`.
pub(super) fn describe_enum(values: &[Value]) -> String {
    match values {
        [only] => only.to_string(),
        _ => format!("one of {}", list(values)),
    }
}

/// Lists values, up to a limit.
pub(super) fn list(values: &[Value]) -> String {
    join_some(values.iter().map(|value| excerpt(&value.to_string())))
}

/// Joins texts, up to a limit.
fn join_some(texts: impl ExactSizeIterator<Item = String>) -> String {
    let count = texts.len();
    let mut shown: Vec<String> = texts.take(20).collect();
    if count > shown.len() {
        shown.push(format!("{} more", count - shown.len()));
    }
    shown.join(", ")
}

/// Lists the keys of an object as alternatives.
pub(super) fn one_of_keys<'k>(names: impl ExactSizeIterator<Item = &'k String>) -> String {
    match names.len() {
        0 => "no key at all".to_owned(),
        1 => format!("only {}", keys(names)),
        _ => format!("one of {}", keys(names)),
    }
}

fn keys<'k>(names: impl ExactSizeIterator<Item = &'k String>) -> String {
    let noun = if names.len() == 1 { "key" } else { "keys" };
    let shown = join_some(names.map(|name| format!("`{}`", excerpt(name))));
    format!("the {noun} {shown}")
}

/// Formats a count with a singular or plural noun.
pub(super) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Finds the known name that is most similar to the given one.
pub(super) fn nearest<'n>(given: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // The distance is quadratic in the length, and longer names are unlikely to be misspellings.
    if given.len() > 100 {
        return None;
    }
    let plain = |text: &str| {
        text.chars()
            .filter(|letter| letter.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    let wanted = plain(given);
    if wanted.is_empty() {
        return None;
    }
    let distances = names.filter(|name| name.len() <= 100).map(|name| {
        let own = plain(name);
        (
            strsim::damerau_levenshtein(&wanted, &own),
            own.chars().count(),
            name,
        )
    });
    let (distance, length, name) = distances.min_by_key(|(distance, ..)| *distance)?;
    (distance == 0 || distance <= length.max(wanted.chars().count()) / 3).then_some(name)
}
