//! Accessors for JSON of any shape.

use serde_json::Value;

/// Returns the text at a key, if it is not empty.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// Returns the count at a path of keys.
///
/// Some gateways send counts as floating-point numbers.
pub(super) fn count(value: &Value, path: &[&str]) -> Option<u64> {
    let value = path.iter().try_fold(value, |value, key| value.get(key))?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float saturates"
    )]
    let rounded = |number: f64| number as u64;
    value.as_u64().or_else(|| value.as_f64().map(rounded))
}

/// Returns the elements at a key; empty if the value is not a list.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Returns the arguments of a call as text; some servers send them as a JSON value instead of a string.
pub(super) fn arguments(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

pub(super) fn is_whole(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

pub(super) fn is_same(one: &str, other: &str) -> bool {
    let parse = |text| serde_json::from_str::<Value>(text).ok();
    parse(one).is_some_and(|one| Some(one) == parse(other))
}
