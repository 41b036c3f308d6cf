//! The serialised form of a schema for readers.

use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::keyword::{self, KeywordValue};

/// Serialises a schema without its private markers and without copying it.
pub struct UnmarkedSchema<'a>(pub &'a Value);

impl fmt::Display for UnmarkedSchema<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Serialising a tree of strings, numbers and lists does not fail; the fallback, an empty object, refuses
        // nothing.
        let text = serde_json::to_string(self);
        f.write_str(text.as_deref().unwrap_or(r#"{"type":"object"}"#))
    }
}

impl Serialize for UnmarkedSchema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Value::Object(map) = self.0 else {
            return self.0.serialize(serializer);
        };
        let mut out = serializer.serialize_map(None)?;
        for (key, value) in map {
            if keyword::is_private_marker(key) {
                continue;
            }
            out.serialize_key(key)?;
            match (keyword::content(key), value) {
                (Some(KeywordValue::Schema), value) => {
                    out.serialize_value(&UnmarkedSchema(value))?;
                }
                (Some(KeywordValue::SchemaList), Value::Array(list)) => {
                    out.serialize_value(&UnmarkedList(list))?;
                }
                (Some(KeywordValue::SchemaMap), Value::Object(named)) => {
                    out.serialize_value(&UnmarkedMap(named))?;
                }
                (_, value) => out.serialize_value(value)?,
            }
        }
        out.end()
    }
}

struct UnmarkedList<'a>(&'a [Value]);

impl Serialize for UnmarkedList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(UnmarkedSchema))
    }
}

struct UnmarkedMap<'a>(&'a Map<String, Value>);

impl Serialize for UnmarkedMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let schemas = self.0.iter();
        serializer.collect_map(schemas.map(|(name, schema)| (name, UnmarkedSchema(schema))))
    }
}
