//! The shape of a JSON value that a schema describes, and an example, for the help of flags that take JSON.

use serde_json::{Map, Number, Value};

/// The maximum depth that is shown; deeper values are `…` in a shape, and `null` in an example.
const MAX_DEPTH: usize = 3;

/// Schemas by name, which `$ref` refers to.
pub(super) struct SchemaShapes<'s> {
    definitions: Option<&'s Value>,
}

impl<'s> SchemaShapes<'s> {
    /// Creates the shapes of the parts of a schema.
    pub(super) fn new(root: &'s Value) -> Self {
        Self {
            definitions: root.get("$defs"),
        }
    }

    /// Renders the shape of a value: objects and arrays as in JSON, with types instead of values. `?` follows the name of
    /// an optional key.
    pub(super) fn shape(&self, schema: &Value) -> String {
        self.shape_at(schema, 0)
    }

    /// Returns an example of a value, from the examples, defaults and enumerations of the schema where there are any.
    pub(super) fn example(&self, schema: &Value) -> Value {
        self.example_at(schema, 0)
    }

    fn shape_at(&self, schema: &Value, depth: usize) -> String {
        if depth > MAX_DEPTH {
            return "…".to_owned();
        }
        let schema = self.resolve(schema);
        if let Some(values) = literals(schema) {
            let values = values.iter().map(ToString::to_string);
            return values.collect::<Vec<_>>().join("|");
        }
        if let Some(alternatives) = alternatives(schema) {
            let mut shapes: Vec<_> = alternatives
                .iter()
                .map(|one| self.shape_at(one, depth + 1))
                .collect();
            shapes.dedup();
            return shapes.join(" | ");
        }
        let shapes = types(schema).map(|name| match name {
            "object" => self.object_shape(schema, depth),
            "array" => match schema.get("items") {
                Some(items) => format!("[{}, …]", self.shape_at(items, depth + 1)),
                None => "[…]".to_owned(),
            },
            "string" => "TEXT".to_owned(),
            "boolean" => "true|false".to_owned(),
            "null" => "null".to_owned(),
            other => other.to_ascii_uppercase(),
        });
        match shapes.collect::<Vec<_>>() {
            shapes if shapes.is_empty() => "JSON".to_owned(),
            shapes => shapes.join(" | "),
        }
    }

    fn object_shape(&self, schema: &Value, depth: usize) -> String {
        let mut keys: Vec<String> = properties(schema)
            .map(|(name, property)| {
                let optional = if is_required(schema, name) { "" } else { "?" };
                format!(
                    "\"{name}\"{optional}: {}",
                    self.shape_at(property, depth + 1)
                )
            })
            .collect();
        if let Some(values @ Value::Object(_)) = schema.get("additionalProperties") {
            keys.push(format!("NAME: {}, …", self.shape_at(values, depth + 1)));
        }
        match keys.is_empty() {
            true => "{…}".to_owned(),
            false => format!("{{{}}}", keys.join(", ")),
        }
    }

    fn example_at(&self, schema: &Value, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            return Value::Null;
        }
        let schema = self.resolve(schema);
        let given = schema["examples"].as_array().and_then(|all| all.first());
        let given = given.or_else(|| schema.get("default").filter(|value| !value.is_null()));
        let given = given.or_else(|| literals(schema)?.first());
        if let Some(given) = given {
            return given.clone();
        }
        if let Some(first) = alternatives(schema).and_then(<[Value]>::first) {
            return self.example_at(first, depth + 1);
        }
        match types(schema).next() {
            Some("object") => self.object_example(schema, depth),
            Some("array") => {
                let item = schema.get("items");
                let item = item.map(|items| self.example_at(items, depth + 1));
                Value::Array(Vec::from_iter(item))
            }
            Some("string") => "text".into(),
            Some("integer" | "number") => {
                let least = schema.get("minimum").and_then(Value::as_number);
                Value::Number(least.cloned().unwrap_or_else(|| Number::from(1)))
            }
            Some("boolean") => true.into(),
            _ => Value::Null,
        }
    }

    /// Returns an object with its required keys, or with all keys where none is required.
    fn object_example(&self, schema: &Value, depth: usize) -> Value {
        let has_required = properties(schema).any(|(name, _)| is_required(schema, name));
        let shown =
            properties(schema).filter(|(name, _)| !has_required || is_required(schema, name));
        let mut example: Map<String, Value> = shown
            .map(|(name, property)| (name.clone(), self.example_at(property, depth + 1)))
            .collect();
        if let Some(values @ Value::Object(_)) = schema.get("additionalProperties") {
            example.insert("name".to_owned(), self.example_at(values, depth + 1));
        }
        Value::Object(example)
    }

    /// Follows a reference to a definition.
    fn resolve<'v>(&self, schema: &'v Value) -> &'v Value
    where
        's: 'v,
    {
        let name = schema["$ref"].as_str();
        let name = name.and_then(|reference| reference.strip_prefix("#/$defs/"));
        let found = name.and_then(|name| self.definitions?.get(name));
        found.unwrap_or(schema)
    }
}

/// Returns the values that a schema lists.
fn literals(schema: &Value) -> Option<&[Value]> {
    match schema.get("const") {
        Some(value) => Some(std::slice::from_ref(value)),
        None => schema["enum"].as_array().map(Vec::as_slice),
    }
}

fn alternatives(schema: &Value) -> Option<&[Value]> {
    let keywords = ["anyOf", "oneOf", "allOf"].into_iter();
    let mut lists = keywords.filter_map(|keyword| schema[keyword].as_array());
    lists.find(|list| !list.is_empty()).map(Vec::as_slice)
}

/// Lists the types of a schema. A schema with properties is that of an object.
fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let one = schema["type"].as_str();
    let one = one.or_else(|| schema.get("properties").map(|_| "object"));
    let many = schema["type"].as_array().into_iter().flatten();
    one.into_iter().chain(many.filter_map(Value::as_str))
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema["required"].as_array();
    required.is_some_and(|names| names.iter().any(|known| known == name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SchemaShapes;

    #[test]
    fn nested_values_have_a_shape_and_an_example() {
        let root = json!({
            "properties": { "place": { "$ref": "#/$defs/Place" } },
            "$defs": {
                "Place": {
                    "type": "object",
                    "properties": {
                        "city": { "type": "string" },
                        "zoom": { "type": "integer", "minimum": 3 },
                        "kind": { "enum": ["street", "map"] },
                        "near": { "type": "array", "items": { "$ref": "#/$defs/Place" } },
                        "tags": { "type": ["array", "null"], "items": { "type": "string" } },
                    },
                    "required": ["city", "kind"],
                },
            },
        });
        let shapes = SchemaShapes::new(&root);
        let place = &root["properties"]["place"];
        let shape = shapes.shape(place);
        let start =
            r#"{"city": TEXT, "zoom"?: INTEGER, "kind": "street"|"map", "near"?: [{"city": TEXT, "#;
        assert!(shape.starts_with(start), "{shape}");
        assert!(shape.contains(r#""near"?: […, …]"#), "{shape}");
        let end = r#""tags"?: [TEXT, …] | null}"#;
        assert!(shape.ends_with(end), "{shape}");
        assert_eq!(
            shapes.example(place),
            json!({ "city": "text", "kind": "street" })
        );
    }

    #[test]
    fn alternatives_and_maps_are_shown() {
        let schema = json!({
            "anyOf": [
                { "type": "object", "additionalProperties": { "type": "number" } },
                { "type": "string", "examples": ["all"] },
            ],
        });
        let shapes = SchemaShapes::new(&schema);
        assert_eq!(shapes.shape(&schema), "{NAME: NUMBER, …} | TEXT");
        assert_eq!(shapes.example(&schema), json!({ "name": 1 }));
        assert_eq!(shapes.example(&schema["anyOf"][1]), json!("all"));
        assert_eq!(shapes.shape(&json!({})), "JSON");
    }
}
