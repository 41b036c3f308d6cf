//! Trees of canonical schemas: for the parameters of a tool, for its output, and from external schemas.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{Schema, generate::Contract};
use serde_json::{Map, Value, json};

use super::error::SchemaError;
use super::keyword::{self, ReadKeywords as _};
use super::normalize::{Normalizer, SchemaOrigin};
use super::parameter::ParameterSchema;

/// A schema that was built.
#[derive(Clone)]
pub(super) struct Tree {
    /// The schema, including private markers.
    pub(super) schema: Value,
    /// Whether the schema contains any marker, so that most schemas need no second copy.
    pub(super) marked: bool,
    pub(super) walk: bool,
}

/// Builds the input schema of a tool.
pub(super) fn input_tree(parameters: Vec<ParameterSchema<'_>>) -> Tree {
    let mut generator = new_generator(Contract::Deserialize);
    let raw: Vec<Value> = parameters
        .iter()
        .map(|parameter| (parameter.schema)(&mut generator).to_value())
        .collect();
    let document = document(&mut generator);
    let mut normalizer = Normalizer::new(&document, SchemaOrigin::RustType);

    let mut properties = Map::with_capacity(parameters.len());
    let mut required = Vec::with_capacity(parameters.len());
    for (parameter, raw) in parameters.into_iter().zip(raw) {
        if parameter.required {
            required.push(Value::from(parameter.name));
        }
        let name = parameter.name.to_owned();
        properties.insert(name, property(&mut normalizer, parameter, raw));
    }

    let mut root = Map::with_capacity(5);
    root.insert("type".to_owned(), "object".into());
    root.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        root.insert("required".to_owned(), Value::Array(required));
    }
    root.insert("additionalProperties".to_owned(), false.into());
    finish(root, normalizer)
}

/// Builds the schema of one parameter; `None` if its type has definitions, which belong at the root.
pub(super) fn property_tree(parameter: ParameterSchema<'_>) -> Option<Tree> {
    let mut generator = new_generator(Contract::Deserialize);
    let raw = (parameter.schema)(&mut generator).to_value();
    let document = document(&mut generator);
    let mut normalizer = Normalizer::new(&document, SchemaOrigin::RustType);
    let schema = property(&mut normalizer, parameter, raw);
    let definitions = normalizer.definitions().ok()?;
    definitions.is_empty().then_some(Tree {
        schema,
        marked: normalizer.has_markers,
        walk: normalizer.requires_walk,
    })
}

/// Builds the schema of a type, for deserialising or serialising; `None` unless the root is an object.
pub(super) fn object_tree(
    schema: fn(&mut SchemaGenerator) -> Schema,
    contract: Contract,
) -> Option<Tree> {
    let mut generator = new_generator(contract);
    let mut raw = schema(&mut generator).to_value();
    let document = document(&mut generator);
    // The root itself must be declared an object, so a reference at the root is resolved.
    if let Some(target) = target(&raw, &document) {
        raw = target;
    }
    let mut normalizer = Normalizer::new(&document, SchemaOrigin::RustType);
    match normalizer.schema(raw, 0) {
        Ok(Value::Object(root)) if root.get("type").is_some_and(|one| one == "object") => {
            Some(finish(root, normalizer))
        }
        _ => None,
    }
}

/// Builds the canonical form of an external schema.
pub(super) fn foreign_tree(schema: &Value) -> Result<Tree, SchemaError> {
    let mut normalizer = Normalizer::new(schema, SchemaOrigin::External);
    let mut raw = schema.clone();
    if raw.text("$ref") == Some("#") {
        return Err(SchemaError::Root("itself".to_owned()));
    }
    // A root that is a reference is inlined even if it is recursive.
    if let Some(target) = target(&raw, schema) {
        raw = target;
    }
    let Value::Object(mut root) = normalizer.schema(raw, 0)? else {
        return Err(SchemaError::Malformed("schema".to_owned()));
    };
    match root.get("type") {
        Some(other) if !root.has_type("object") => {
            return Err(SchemaError::Root(other.to_string()));
        }
        _ => root.insert("type".to_owned(), "object".into()),
    };
    normalizer.requires_walk = true;
    let definitions = normalizer.definitions()?;
    Ok(assemble(root, definitions, &normalizer))
}

/// Finds the target of a schema that is a reference.
fn target(schema: &Value, document: &Value) -> Option<Value> {
    let pointer = schema.text("$ref")?.strip_prefix('#')?;
    document.pointer(pointer).cloned()
}

fn property(
    normalizer: &mut Normalizer<'_>,
    parameter: ParameterSchema<'_>,
    mut raw: Value,
) -> Value {
    // The description of the parameter replaces that of its type, before variants are folded into it.
    if !parameter.description.is_empty() {
        match &mut raw {
            Value::Object(map) => {
                map.insert("description".to_owned(), parameter.description.into());
            }
            other => *other = json!({ "description": parameter.description }),
        }
    }
    let schema = if parameter.required {
        normalizer.schema(raw, 1)
    } else {
        normalizer.optional(raw, 1)
    };
    let Ok(Value::Object(mut map)) = schema else {
        return Value::Object(Map::new());
    };
    let length = map.len();
    parameter.constraints.write(&mut map);
    if let Some(default) = parameter.default {
        map.insert("default".to_owned(), default);
    }
    if !parameter.examples.is_empty() {
        map.insert("examples".to_owned(), Value::Array(parameter.examples));
    }
    let is_ordered = map.len() == length;
    Value::Object(if is_ordered {
        map
    } else {
        keyword::reorder(map)
    })
}

fn new_generator(contract: Contract) -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    settings.contract = contract;
    settings.into_generator()
}

/// Returns the document that the references of schemars' output point into.
fn document(generator: &mut SchemaGenerator) -> Value {
    let definitions = generator.take_definitions(false);
    if definitions.is_empty() {
        return Value::Null;
    }
    Value::from_iter([("$defs", definitions)])
}

fn finish(root: Map<String, Value>, mut normalizer: Normalizer<'_>) -> Tree {
    // Only hand-written `JsonSchema` implementations can fail here, and they lose a definition, not the tool.
    let definitions = normalizer.definitions().unwrap_or_default();
    assemble(root, definitions, &normalizer)
}

fn assemble(
    mut root: Map<String, Value>,
    mut definitions: Map<String, Value>,
    normalizer: &Normalizer<'_>,
) -> Tree {
    if !definitions.is_empty() {
        let originals = definitions.clone();
        keyword::each_child(&mut root, |child| collapse(child, &originals));
        for body in definitions.values_mut().filter_map(Value::as_object_mut) {
            keyword::each_child(body, |child| collapse(child, &originals));
        }
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Tree {
        schema: Value::Object(root),
        marked: normalizer.has_markers,
        walk: normalizer.requires_walk,
    }
}

/// Replaces a copy of a recursive type by a reference to the type.
fn collapse(schema: &mut Value, definitions: &Map<String, Value>) {
    let Value::Object(map) = schema else { return };
    keyword::each_child(map, |child| collapse(child, definitions));
    let constrains = |entry: &(&String, &Value)| !keyword::is_annotation(entry.0);
    let same = |body: &Value| {
        body.as_object().is_some_and(|body| {
            body.iter()
                .filter(constrains)
                .eq(map.iter().filter(constrains))
        })
    };
    if map.contains_key("$ref") || map.is_empty() {
        return;
    }
    let Some((name, _)) = definitions.iter().find(|(_, body)| same(body)) else {
        return;
    };
    let reference = format!("#/$defs/{}", super::normalize::escape(name));
    map.retain(|key, _| keyword::is_annotation(key));
    map.insert("$ref".to_owned(), Value::String(reference));
    *map = keyword::reorder(std::mem::take(map));
}
