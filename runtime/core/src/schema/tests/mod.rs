//! Tests of the schema floor: golden files, words, repairs, properties.

#![expect(clippy::too_many_lines, reason = "tables are long")]

mod cases;
mod explaining;
mod foreign;
mod golden;
mod properties;
mod repairing;
mod straight;
mod tools;
mod types;

use schemars::JsonSchema;

use super::{CanonicalSchema, Constraints, ParameterSchema, input_schema};

/// One required parameter of a type.
fn parameter<T: JsonSchema>(name: &str) -> ParameterSchema<'_> {
    ParameterSchema {
        name,
        description: "",
        schema: |generator| generator.subschema_for::<T>(),
        required: true,
        default: None,
        examples: Vec::new(),
        constraints: Constraints::NONE,
    }
}

/// The input schema of a tool with one required parameter `value`.
fn schema_of<T: JsonSchema>() -> CanonicalSchema {
    input_schema(vec![parameter::<T>("value")])
}
