//! Describes unsupported keywords in words.

use serde_json::{Map, Value};

use helve_core::schema::keyword::ReadKeywords as _;

/// Describes a keyword in one sentence for a model; returns `None` if the keyword has no meaning for a model.
pub(super) fn sentence(keyword: &str, value: &Value) -> Option<String> {
    Some(match keyword {
        "default" => format!("Default: {value}."),
        "examples" => {
            let list: Vec<_> = value
                .as_array()?
                .iter()
                .take(5)
                .map(Value::to_string)
                .collect();
            match list.as_slice() {
                [] => return None,
                [only] => format!("Example: {only}."),
                list => format!("Examples: {}.", list.join(", ")),
            }
        }
        "format" => format!("Format: {}.", value.as_str()?),
        "minimum" => format!("At least {value}."),
        "maximum" => format!("At most {value}."),
        "exclusiveMinimum" => format!("More than {value}."),
        "exclusiveMaximum" => format!("Less than {value}."),
        "multipleOf" => format!("A multiple of {value}."),
        "minLength" => describe_count("At least", value, "character", "characters"),
        "maxLength" => describe_count("At most", value, "character", "characters"),
        "minItems" => describe_count("At least", value, "item", "items"),
        "maxItems" => describe_count("At most", value, "item", "items"),
        "minProperties" => describe_count("At least", value, "entry", "entries"),
        "maxProperties" => describe_count("At most", value, "entry", "entries"),
        "pattern" => format!("Must match the regular expression `{}`.", value.as_str()?),
        "uniqueItems" if value.as_bool()? => "No item twice.".to_owned(),
        "contentEncoding" => format!("Encoded as {}.", value.as_str()?),
        "contentMediaType" => format!("Holds {}.", value.as_str()?),
        "deprecated" if value.as_bool()? => "Deprecated.".to_owned(),
        // `NonZeroI32` and similar types.
        "not" if value.get("enum").is_some_and(Value::is_array) => {
            let values: Vec<_> = value.list("enum").iter().map(Value::to_string).collect();
            format!("Must not be {}.", values.join(" or "))
        }
        "not" => format!("Must not fit {value}."),
        "contains" => format!("Some item must fit {value}."),
        "propertyNames" => format!("Keys must fit {value}."),
        "dependentRequired" => format!("Keys that require others: {value}."),
        _ => return None,
    })
}

fn describe_count(bound: &str, value: &Value, one: &str, many: &str) -> String {
    let noun = if value.as_u64() == Some(1) { one } else { many };
    format!("{bound} {value} {noun}.")
}

/// Adds a sentence to the description of a schema.
pub(super) fn append(map: &mut Map<String, Value>, said: &str) {
    let text = match map.get("description").and_then(Value::as_str) {
        // A list of variants ends the text; a sentence appended to its last line would read as part of that variant.
        Some(own) if own.contains("\n- `") || own.starts_with("- `") => format!("{own}\n{said}"),
        Some(own) if own.ends_with(['.', '!', '?', ':']) => format!("{own} {said}"),
        Some(own) if !own.is_empty() => format!("{own}. {said}"),
        _ => said.to_owned(),
    };
    map.insert("description".to_owned(), Value::String(text));
}
