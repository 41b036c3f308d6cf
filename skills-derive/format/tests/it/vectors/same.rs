//! Compares front matter with recorded JSON.

use helve_skill_format::{FrontMatter, Value};
use serde_json::Value as Json;

/// Returns whether a value equals the recorded one. In this crate all scalars are text, so that numbers and booleans
/// are compared as text.
pub(crate) fn value(found: &Value, recorded: &Json) -> bool {
    match (found, recorded) {
        (Value::Text(found), Json::String(recorded)) => found == recorded,
        (Value::Text(found), Json::Null) => found.is_empty() || found == "~" || found == "null",
        (Value::Text(found), Json::Number(number)) => *found == number.to_string(),
        (Value::Text(found), Json::Bool(boolean)) => found.parse() == Ok(*boolean),
        (Value::List(found), Json::Array(recorded)) => {
            found.len() == recorded.len()
                && found
                    .iter()
                    .zip(recorded)
                    .all(|(found, recorded)| value(found, recorded))
        }
        (Value::Mapping(found), Json::Object(recorded)) => {
            found.len() == recorded.len()
                && found.iter().all(|(key, found)| {
                    recorded
                        .get(key)
                        .is_some_and(|recorded| value(found, recorded))
                })
        }
        _ => false,
    }
}

/// Returns whether front matter has exactly the fields of the recorded mapping.
pub(crate) fn fields(found: &FrontMatter, recorded: &Json) -> bool {
    let Some(recorded) = recorded.as_object() else {
        return false;
    };
    found.fields.len() == recorded.len()
        && found.fields.iter().all(|field| {
            recorded
                .get(&field.key)
                .is_some_and(|recorded| value(&field.value, recorded))
        })
}
