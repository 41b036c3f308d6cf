//! Construction of canonical schemas: for the parameters of a tool, for its output, and from external schemas.

use std::sync::Arc;

use schemars::generate::Contract;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::canonical_schema::CanonicalSchema;
use super::error::SchemaError;
use super::parameter::ParameterSchema;
use super::shape::TypeCache;
use super::{nested, tree};

/// Builds the input schema of a tool: an object with all parameters and no additional properties.
pub fn input_schema(parameters: Vec<ParameterSchema<'_>>) -> CanonicalSchema {
    CanonicalSchema::new(tree::input_tree(parameters))
}

/// Builds the output schema of a tool from the serialised form of its return type.
///
/// Returns `None` unless the root is an object, because MCP allows no other structured content.
pub fn output_schema(schema: fn(&mut SchemaGenerator) -> Schema) -> Option<CanonicalSchema> {
    tree::object_tree(schema, Contract::Serialize).map(CanonicalSchema::new)
}

/// Builds the schema of a type that is deserialised from a table, such as the settings of a pack.
///
/// Returns `None` unless the root is an object.
pub fn object_schema(schema: fn(&mut SchemaGenerator) -> Schema) -> Option<CanonicalSchema> {
    tree::object_tree(schema, Contract::Deserialize).map(CanonicalSchema::new)
}

/// Builds the output schema of a return type, shared by all tools with that type.
pub(crate) fn shared_output_schema(
    schema: fn(&mut SchemaGenerator) -> Schema,
) -> Option<Arc<CanonicalSchema>> {
    static KNOWN: TypeCache<usize, Option<Arc<CanonicalSchema>>> = TypeCache::new();
    KNOWN.learn(schema as usize, || output_schema(schema).map(Arc::new))
}

/// Converts an external schema (of a dynamic tool or an MCP server) to the canonical form.
///
/// Keywords that JSON Schema does not define are dropped. `definitions` and `#/…` references are inlined, including
/// references that start at the enclosing part of the schema instead of the root.
///
/// # Errors
///
/// When the root does not describe an object, a `$ref` resolves to nothing or leaves the document, a keyword has an
/// invalid value, or the schema is too deep or too large after inlining.
pub fn from_value(mut schema: Value) -> Result<CanonicalSchema, SchemaError> {
    nested::resolve(&mut schema);
    let tree = tree::foreign_tree(&schema)?;
    Ok(CanonicalSchema::new(tree).with_original(schema))
}
