//! The searchable text of a tool.

use serde_json::Value;

use super::index::{FieldWeights, IndexBuilder, PARTS as COUNT};
use helve_core::support::text::first_bytes;
use helve_core::tool::ToolSpec;

/// The weights of the parts of a tool: name and title, description, parameters, group.
pub(super) const PARTS: [FieldWeights; COUNT] = [
    part(1.0, 0.3),
    part(1.0, 0.6),
    part(0.5, 0.75),
    part(0.5, 0.3),
];

/// The maximum depth of parameters, and the maximum length of their text.
const MAX_DEPTH: usize = 4;
const MAX_BYTES: usize = 16 * 1024;

const fn part(weight: f32, length: f32) -> FieldWeights {
    FieldWeights { weight, length }
}

pub(super) fn add(spec: &ToolSpec, to: &mut IndexBuilder) {
    let mut parameters = String::new();
    read_properties(spec.input_schema.value(), MAX_DEPTH, &mut parameters);
    let title = spec.title.as_deref().unwrap_or_default();
    to.add(&[
        &format!("{}\n{title}", spec.name),
        &spec.description,
        &parameters,
        spec.group.as_deref().unwrap_or_default(),
    ]);
}

/// Appends the names and the descriptions of the properties of an object.
fn read_properties(schema: &Value, depth: usize, into: &mut String) {
    let properties = schema["properties"].as_object();
    for (name, property) in properties.into_iter().flatten() {
        if into.len() > MAX_BYTES {
            return;
        }
        push(name, into);
        read_property(property, depth, into);
    }
}

fn read_property(schema: &Value, depth: usize, into: &mut String) {
    push(schema["description"].as_str().unwrap_or_default(), into);
    for choice in schema["enum"].as_array().into_iter().flatten() {
        push(choice.as_str().unwrap_or_default(), into);
    }
    if depth > 0 && into.len() <= MAX_BYTES {
        read_properties(schema, depth - 1, into);
        if let Some(items) = schema.get("items") {
            read_property(items, depth - 1, into);
        }
    }
}

fn push(text: &str, into: &mut String) {
    into.push_str(first_bytes(text, MAX_BYTES));
    into.push('\n');
}
