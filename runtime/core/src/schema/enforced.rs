//! The distinction between constraints that serde enforces and those that only the schema contains.

use serde_json::{Map, Value};

use super::keyword::{ReadKeywords as _, WIDTH};

/// Returns whether a `format` only names the width of a number, which strict validators reject.
pub(super) fn is_numeric_format(format: &str) -> bool {
    let width = format.strip_prefix('u').unwrap_or(format);
    bounds(format).is_some() || matches!(width, "float" | "double" | "float32" | "float64")
}

/// Returns the bounds of a Rust number type that JSON can state, by the name that schemars gives the type.
pub(super) fn bounds(width: &str) -> Option<(i128, i128)> {
    Some(match width {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" | "int" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint64" | "uint" => (0, u64::MAX.into()),
        "int128" => (i128::MIN, i128::MAX),
        // The upper half is beyond the range of schemas and checks in this crate.
        "uint128" => (0, i128::MAX),
        _ => return None,
    })
}

/// Returns whether a canonical schema of a Rust type has constraints that decoding does not enforce.
///
/// Serde itself enforces denied unknown fields (`additionalProperties: false`) and variants (`enum`). If a keyword may
/// come from either the type or an attribute (`minItems` of `[T; 3]`, `minLength` of `char`), this returns true: a
/// redundant walk is slow, and a missing walk is wrong.
/// walking is wrong.
pub(super) fn promises_more(map: &Map<String, Value>) -> bool {
    map.iter().any(|(key, value)| match key.as_str() {
        "minimum" | "maximum" => !is_natural_bound(map, key, value),
        "minItems" | "maxItems" => !map.contains_key("prefixItems"),
        "patternProperties" => !value
            .as_object()
            .is_some_and(|named| named.keys().all(|key| key == r"^\d+$" || key == r"^-?\d+$")),
        // `NonZeroI32` and similar types.
        "not" => !map.contains_key(WIDTH),
        "exclusiveMinimum"
        | "exclusiveMaximum"
        | "multipleOf"
        | "minLength"
        | "maxLength"
        | "pattern"
        | "uniqueItems"
        | "minProperties"
        | "maxProperties"
        | "contains"
        | "propertyNames"
        | "unevaluatedProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "if" => true,
        _ => false,
    })
}

/// Returns whether a schema is a scalar type with nothing but a number's format, ordered bounds, and a description.
pub(super) fn is_plain_scalar(map: &Map<String, Value>) -> bool {
    let mut keys = map.iter();
    let scalars = ["string", "integer", "number", "boolean"];
    let first = keys.next().is_some_and(|(key, value)| {
        key == "type" && value.as_str().is_some_and(|one| scalars.contains(&one))
    });
    let mut last = 0;
    first
        && keys.all(|(key, value)| {
            let rank = match key.as_str() {
                "format" if value.as_str().is_some_and(is_numeric_format) => 1,
                "minimum" if value.is_number() => 2,
                "maximum" if value.is_number() => 3,
                "description" if value.is_string() => 4,
                _ => 0,
            };
            std::mem::replace(&mut last, rank) < rank
        })
}

fn is_natural_bound(map: &Map<String, Value>, keyword: &str, value: &Value) -> bool {
    let Some((least, most)) = map.text(WIDTH).and_then(bounds) else {
        return false;
    };
    let natural = if keyword == "minimum" { least } else { most };
    let signed = value.as_i64().map(i128::from);
    signed.or(value.as_u64().map(i128::from)) == Some(natural)
}

/// Returns whether the value of a keyword that holds plain data has the form that JSON Schema requires.
pub(super) fn is_well_formed(keyword: &str, value: &Value) -> bool {
    let type_name = |value: &Value| {
        matches!(
            value.as_str(),
            Some("string" | "integer" | "number" | "boolean" | "array" | "object" | "null")
        )
    };
    match keyword {
        "type" => match value {
            Value::Array(types) => !types.is_empty() && types.iter().all(type_name),
            one => type_name(one),
        },
        "description" | "format" | "pattern" | "contentEncoding" | "contentMediaType" | "$ref" => {
            value.is_string()
        }
        "enum" | "examples" => value.is_array(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|step| step > 0.0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            let is_count = |count| count >= 0.0 && f64::fract(count) == 0.0;
            value.as_u64().is_some() || value.as_f64().is_some_and(is_count)
        }
        "uniqueItems" | "deprecated" => value.is_boolean(),
        "required" => value
            .as_array()
            .is_some_and(|names| names.iter().all(Value::is_string)),
        "dependentRequired" => value.is_object(),
        _ => true,
    }
}
