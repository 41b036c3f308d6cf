//! A schema as readers see it.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value};

use super::keyword::{self, Holds};

/// Serialises a schema without its private markers, and without a copy.
pub(super) struct Shown<'a>(pub(super) &'a Value);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Value::Object(map) = self.0 else {
            return self.0.serialize(serializer);
        };
        let mut out = serializer.serialize_map(None)?;
        for (key, value) in map {
            if keyword::private(key) {
                continue;
            }
            out.serialize_key(key)?;
            match (keyword::place(key).map(|(_, holds)| holds), value) {
                (Some(Holds::Schema), value) => out.serialize_value(&Shown(value))?,
                (Some(Holds::List), Value::Array(list)) => out.serialize_value(&ShownList(list))?,
                (Some(Holds::Named), Value::Object(named)) => {
                    out.serialize_value(&ShownMap(named))?;
                }
                (_, value) => out.serialize_value(value)?,
            }
        }
        out.end()
    }
}

struct ShownList<'a>(&'a [Value]);

impl Serialize for ShownList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_seq(Some(self.0.len()))?;
        self.0
            .iter()
            .try_for_each(|schema| out.serialize_element(&Shown(schema)))?;
        out.end()
    }
}

struct ShownMap<'a>(&'a Map<String, Value>);

impl Serialize for ShownMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_map(Some(self.0.len()))?;
        self.0
            .iter()
            .try_for_each(|(name, schema)| out.serialize_entry(name, &Shown(schema)))?;
        out.end()
    }
}
