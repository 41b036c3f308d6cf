//! The keywords of the canonical form: their order, and which of them contain schemas.

use serde_json::{Map, Value};

/// Marks a property whose null branch was removed: serde still accepts null for it.
pub const NULLABLE: &str = "x-helve-nullable";

/// The width of a Rust number (`uint32`) whose `format` was dropped, for exact range checks.
pub const WIDTH: &str = "x-helve-width";

/// Marks a value that is a secret: `writeOnly` of a Rust type.
pub const SECRET: &str = "x-helve-secret";

/// Access to the keywords of a schema.
pub trait ReadKeywords {
    /// Returns the value of a keyword.
    fn keyword(&self, keyword: &str) -> Option<&Value>;

    /// Returns the value of a keyword as a string.
    fn text(&self, keyword: &str) -> Option<&str> {
        self.keyword(keyword)?.as_str()
    }

    /// Returns the value of a keyword as an object.
    fn object(&self, keyword: &str) -> Option<&Map<String, Value>> {
        self.keyword(keyword)?.as_object()
    }

    /// Returns the value of a keyword as a count of characters, items or entries.
    fn count(&self, keyword: &str) -> Option<usize> {
        self.keyword(keyword)?.as_u64()?.try_into().ok()
    }

    /// Returns the value of a keyword as a list, which is empty if the value is no list.
    fn list(&self, keyword: &str) -> &[Value] {
        let list = self.keyword(keyword).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }

    /// Returns the strings of a list.
    fn names(&self, keyword: &str) -> impl Iterator<Item = &str> {
        self.list(keyword).iter().filter_map(Value::as_str)
    }

    /// Returns the names of the types.
    fn types(&self) -> impl Iterator<Item = &str> {
        self.text("type").into_iter().chain(self.names("type"))
    }

    /// Reports whether the types include a type.
    fn has_type(&self, name: &str) -> bool {
        self.types().any(|own| own == name)
    }

    /// Reports whether a property is required.
    fn requires(&self, property: &str) -> bool {
        self.names("required").any(|name| name == property)
    }

    /// Reports whether the schema lists a property.
    fn lists_property(&self, name: &str) -> bool {
        let properties = self.object("properties");
        properties.is_some_and(|all| all.contains_key(name))
    }
}

impl ReadKeywords for Value {
    fn keyword(&self, keyword: &str) -> Option<&Self> {
        self.get(keyword)
    }
}

impl ReadKeywords for Map<String, Value> {
    fn keyword(&self, keyword: &str) -> Option<&Value> {
        self.get(keyword)
    }
}

/// The kind of value that a keyword holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum KeywordValue {
    /// Plain data.
    Data,
    /// One schema.
    Schema,
    /// A list of schemas.
    SchemaList,
    /// Schemas by name.
    SchemaMap,
}

/// Returns the canonical position of a keyword and the kind of its value; `None` for a keyword that is dropped.
///
/// The private markers are deliberately unknown here: an external schema cannot introduce them.
pub fn classify_keyword(keyword: &str) -> Option<(u8, KeywordValue)> {
    use KeywordValue::{Data, Schema, SchemaList, SchemaMap};
    Some(match keyword {
        "$ref" => (0, Data),
        "type" => (1, Data),
        "description" => (2, Data),
        "enum" => (3, Data),
        "format" => (4, Data),
        "default" => (5, Data),
        "examples" => (6, Data),
        "deprecated" => (7, Data),
        "minimum" => (10, Data),
        "exclusiveMinimum" => (11, Data),
        "maximum" => (12, Data),
        "exclusiveMaximum" => (13, Data),
        "multipleOf" => (14, Data),
        "minLength" => (15, Data),
        "maxLength" => (16, Data),
        "pattern" => (17, Data),
        "contentEncoding" => (18, Data),
        "contentMediaType" => (19, Data),
        "prefixItems" => (20, SchemaList),
        "items" => (21, Schema),
        "contains" => (22, Schema),
        "minItems" => (23, Data),
        "maxItems" => (24, Data),
        "uniqueItems" => (25, Data),
        "properties" => (30, SchemaMap),
        "required" => (31, Data),
        "patternProperties" => (32, SchemaMap),
        "propertyNames" => (33, Schema),
        "additionalProperties" => (34, Schema),
        "unevaluatedProperties" => (35, Schema),
        "minProperties" => (36, Data),
        "maxProperties" => (37, Data),
        "dependentRequired" => (38, Data),
        "dependentSchemas" => (39, SchemaMap),
        "anyOf" => (40, SchemaList),
        "allOf" => (41, SchemaList),
        "not" => (42, Schema),
        "if" => (43, Schema),
        "then" => (44, Schema),
        "else" => (45, Schema),
        "$defs" => (50, SchemaMap),
        _ => return None,
    })
}

/// Returns whether a keyword is a private marker, which is not shown to readers.
pub fn is_private_marker(keyword: &str) -> bool {
    keyword.starts_with("x-helve-")
}

/// Returns whether a keyword only annotates a value, so that it may stand beside a `$ref`.
pub fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "description" | "default" | "examples" | "deprecated" | NULLABLE | SECRET
    )
}

/// Sorts the entries of a schema into the canonical order.
pub fn canonical_order(mut entries: Vec<(u8, String, Value)>) -> Map<String, Value> {
    if !entries.is_sorted_by_key(|entry| entry.0) {
        entries.sort_by_key(|entry| entry.0);
    }
    entries
        .into_iter()
        .map(|(_, key, value)| (key, value))
        .collect()
}

/// Sorts a schema object into the canonical order.
pub fn reorder(map: Map<String, Value>) -> Map<String, Value> {
    let entries = map.into_iter();
    canonical_order(
        entries
            .map(|(key, value)| (rank(&key), key, value))
            .collect(),
    )
}

/// Returns the position of a keyword in the canonical order; private markers come last.
pub fn rank(keyword: &str) -> u8 {
    classify_keyword(keyword).map_or(u8::MAX, |(rank, _)| rank)
}

/// Returns the kind of value of a keyword, if the keyword is known.
pub fn content(keyword: &str) -> Option<KeywordValue> {
    classify_keyword(keyword).map(|(_, content)| content)
}

/// Calls a function for every schema directly inside this one.
pub fn each_child(map: &mut Map<String, Value>, mut visit: impl FnMut(&mut Value)) {
    for (key, value) in map.iter_mut() {
        match (content(key), value) {
            (Some(KeywordValue::Schema), value) => visit(value),
            (Some(KeywordValue::SchemaList), Value::Array(list)) => {
                list.iter_mut().for_each(&mut visit)
            }
            (Some(KeywordValue::SchemaMap), Value::Object(named)) => {
                named.values_mut().for_each(&mut visit)
            }
            _ => {}
        }
    }
}
