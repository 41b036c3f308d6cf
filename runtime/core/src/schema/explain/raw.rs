//! Parsing one level of a JSON text.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema) enum JsonKind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl JsonKind {
    /// Returns the kind of a valid JSON text without surrounding white space.
    pub(in crate::schema) fn from_raw(raw: &str) -> Self {
        match raw.as_bytes().first() {
            Some(b'n') => Self::Null,
            Some(b't' | b'f') => Self::Boolean,
            Some(b'"') => Self::String,
            Some(b'[') => Self::Array,
            Some(b'{') => Self::Object,
            _ => Self::Number,
        }
    }

    /// Returns whether a value of this kind matches a JSON Schema type; whole numbers are checked elsewhere.
    pub(super) fn fits(self, type_name: &str) -> bool {
        match type_name {
            "null" => self == Self::Null,
            "boolean" => self == Self::Boolean,
            "number" | "integer" => self == Self::Number,
            "string" => self == Self::String,
            "array" => self == Self::Array,
            "object" => self == Self::Object,
            _ => true,
        }
    }
}

/// Splits an array into the texts of its elements.
pub(in crate::schema) fn elements(raw: &str) -> Option<Vec<&str>> {
    let list: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    Some(list.into_iter().map(RawValue::get).collect())
}

/// Splits an object into its keys and the texts of its values, including duplicates; `None` if a key is not a valid
/// string.
pub(in crate::schema) fn entries(raw: &str) -> Option<Vec<(String, &str)>> {
    struct EntriesVisitor;

    impl<'de> Visitor<'de> for EntriesVisitor {
        type Value = Vec<(String, &'de str)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                entries.push((key, value.get()));
            }
            Ok(entries)
        }
    }

    serde_json::Deserializer::from_str(raw)
        .deserialize_map(EntriesVisitor)
        .ok()
}
