//! The fields of an object schema, nested ones too: what a file of settings can say of a type, key by key.

use serde_json::{Map, Value, json};

use helve_core::schema::keyword::{ReadKeywords as _, SECRET};
use helve_core::schema::{CanonicalSchema, Mistake, Mistakes, describe_schema, explain};

/// The name that the value of a field has in the schema of the field, whose root must be an object.
const VALUE: &str = "value";

/// A field of an object schema, with its path and a schema of its own.
///
/// The fields of a nested object are fields themselves, with longer paths. A list, or an object with alternatives, is one field.
#[derive(Debug, Clone)]
pub struct SchemaField {
    path: Vec<String>,
    schema: CanonicalSchema,
    is_required: bool,
    is_secret: bool,
    default: Option<Value>,
}

impl SchemaField {
    /// Returns the names of the field from the root on; `*` stands for any name.
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// Reports whether the object does not fit its schema without the field.
    pub fn is_required(&self) -> bool {
        self.is_required
    }

    /// Reports whether the field, or a part of its value, is marked `writeOnly`.
    pub fn is_secret(&self) -> bool {
        self.is_secret
    }

    /// Returns the value that the field has where it is absent, as far as the schema states it.
    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// Returns the description, which may be empty.
    pub fn description(&self) -> &str {
        let description = self.value_schema().and_then(|map| map.text("description"));
        description.unwrap_or_default()
    }

    /// Says in words what a value of the field is.
    pub fn expected(&self) -> String {
        let schema = self.value_schema();
        schema.map_or_else(|| "a value".to_owned(), describe_schema)
    }

    /// Lists every mistake of a value; the paths start at the value.
    pub fn explain(&self, value: &Value) -> Mistakes {
        let wrapped = Map::from_iter([(VALUE.to_owned(), value.clone())]);
        let mistakes = explain(&self.schema, &Value::Object(wrapped).to_string());
        let from_value = |mistake: Mistake| {
            let path = mistake.path.strip_prefix("/value").unwrap_or_default();
            Mistake {
                path: path.to_owned(),
                ..mistake
            }
        };
        mistakes.into_iter().map(from_value).collect()
    }

    fn value_schema(&self) -> Option<&Map<String, Value>> {
        self.schema.marked().get("properties")?.object(VALUE)
    }
}

impl SchemaField {
    /// Lists the fields of the object that a schema describes, in the order of the schema.
    ///
    /// `None` where its fields cannot be listed: the object has alternatives.
    pub fn list(schema: &CanonicalSchema) -> Option<Vec<Self>> {
        let root = schema.marked().as_object()?;
        if has_alternatives(root) {
            return None;
        }
        let mut walk = FieldWalk {
            definitions: root.get("$defs"),
            path: Vec::new(),
            fields: Vec::new(),
        };
        walk.object(root, Inherited::ROOT);
        Some(walk.fields)
    }
}

/// What a field inherits of the objects around it.
#[derive(Clone, Copy)]
struct Inherited<'s> {
    is_required: bool,
    is_secret: bool,
    default: Option<&'s Value>,
    /// The description of a map, which is that of its values where they have none.
    description: Option<&'s Value>,
}

impl Inherited<'_> {
    const ROOT: Self = Self {
        is_required: true,
        is_secret: false,
        default: None,
        description: None,
    };
}

struct FieldWalk<'s> {
    definitions: Option<&'s Value>,
    path: Vec<String>,
    fields: Vec<SchemaField>,
}

impl<'s> FieldWalk<'s> {
    fn object(&mut self, map: &'s Map<String, Value>, inherited: Inherited<'s>) {
        for (name, schema) in map.object("properties").into_iter().flatten() {
            let own = Inherited {
                is_required: inherited.is_required && map.requires(name),
                default: inherited.default.and_then(|default| default.get(name)),
                description: None,
                ..inherited
            };
            self.field(name, schema, own);
        }
        if let Some(any @ Value::Object(_)) = map.get("additionalProperties") {
            let own = Inherited {
                is_required: false,
                default: None,
                description: map.get("description"),
                ..inherited
            };
            self.field("*", any, own);
        }
    }

    fn field(&mut self, name: &str, schema: &'s Value, inherited: Inherited<'s>) {
        let default = schema.get("default").or(inherited.default);
        let own = Inherited {
            is_required: inherited.is_required && default.is_none(),
            is_secret: inherited.is_secret || schema.get(SECRET).is_some(),
            default,
            description: inherited.description,
        };
        self.path.push(name.to_owned());
        match schema.as_object().filter(|map| has_listed_fields(map)) {
            Some(map) => self.object(map, own),
            None => self.push_leaf(schema, own),
        }
        self.path.pop();
    }

    fn push_leaf(&mut self, schema: &Value, inherited: Inherited<'_>) {
        let wrapped = self.wrapped(schema, inherited.description);
        self.fields.push(SchemaField {
            path: self.path.clone(),
            schema: CanonicalSchema::from_part(wrapped),
            is_required: inherited.is_required,
            is_secret: inherited.is_secret || has_secret(schema),
            default: inherited.default.cloned(),
        });
    }

    /// Makes the schema of an object that has the value as its one property.
    fn wrapped(&self, schema: &Value, description: Option<&Value>) -> Value {
        let mut value = schema.clone();
        if let (Value::Object(map), Some(description)) = (&mut value, description) {
            map.entry("description")
                .or_insert_with(|| description.clone());
        }
        close_objects(&mut value);
        let mut root = json!({ "type": "object", "properties": { VALUE: value } });
        if let Some(definitions) = self.definitions {
            let mut definitions = definitions.clone();
            if let Value::Object(named) = &mut definitions {
                named.values_mut().for_each(close_objects);
            }
            root["$defs"] = definitions;
        }
        root
    }
}

/// Reports whether a schema is an object whose fields are all listed, or all of one schema.
fn has_listed_fields(map: &Map<String, Value>) -> bool {
    let properties = map.object("properties");
    let has_fields = properties.is_some_and(|properties| !properties.is_empty())
        || matches!(map.get("additionalProperties"), Some(Value::Object(_)));
    map.get("type").is_some_and(|one| one == "object") && has_fields && !has_alternatives(map)
}

fn has_alternatives(map: &Map<String, Value>) -> bool {
    let keywords = [
        "$ref",
        "anyOf",
        "allOf",
        "if",
        "patternProperties",
        "dependentSchemas",
    ];
    keywords.iter().any(|keyword| map.contains_key(*keyword))
}

/// Reports whether a part of a value is a secret.
fn has_secret(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.contains_key(SECRET) || map.values().any(has_secret),
        Value::Array(list) => list.iter().any(has_secret),
        _ => false,
    }
}

/// Forbids keys that are not listed, as in the tables around the field: serde ignores them, and a typing error would stay unseen.
fn close_objects(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    let is_open = map.contains_key("properties")
        && !has_alternatives(map)
        && !map.contains_key("additionalProperties")
        && !map.contains_key("unevaluatedProperties");
    if is_open {
        map.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(close_objects);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = map.get_mut(keyword) {
            close_objects(inner);
        }
    }
    if let Some(Value::Array(items)) = map.get_mut("prefixItems") {
        items.iter_mut().for_each(close_objects);
    }
}
