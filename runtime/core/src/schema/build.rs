//! Building canonical schemas: of a tool's parameters, of its output, and from elsewhere.

use std::sync::Arc;

use schemars::generate::Contract;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::canonical_schema::CanonicalSchema;
use super::error::SchemaError;
use super::parameter::ParameterSchema;
use super::shape::TypeCache;
use super::{nested, tree};

/// Builds the input schema of a tool: one object with all its parameters, and nothing else allowed in it.
pub fn input_schema(parameters: Vec<ParameterSchema<'_>>) -> CanonicalSchema {
    CanonicalSchema::new(tree::input_tree(parameters))
}

/// Builds the output schema of a tool, from what its type serialises to.
///
/// `None` unless the root is an object: MCP allows no other structured content.
pub fn output_schema(schema: fn(&mut SchemaGenerator) -> Schema) -> Option<CanonicalSchema> {
    tree::object_tree(schema, Contract::Serialize).map(CanonicalSchema::new)
}

/// Builds the schema of a type that is read from a table, such as the settings of a pack.
///
/// `None` unless the root is an object.
pub fn object_schema(schema: fn(&mut SchemaGenerator) -> Schema) -> Option<CanonicalSchema> {
    tree::object_tree(schema, Contract::Deserialize).map(CanonicalSchema::new)
}

/// Builds the schema of a type that tools return, once for all of them.
pub(crate) fn shared_output_schema(
    schema: fn(&mut SchemaGenerator) -> Schema,
) -> Option<Arc<CanonicalSchema>> {
    static KNOWN: TypeCache<usize, Option<Arc<CanonicalSchema>>> = TypeCache::new();
    KNOWN.learn(schema as usize, || output_schema(schema).map(Arc::new))
}

/// Brings a schema that comes from elsewhere (a dynamic tool, an MCP server) into the canonical form.
///
/// Keywords that JSON Schema does not have are dropped, `definitions` and `#/…` references are written out, those too that
/// begin at the part of the schema in which they stand.
///
/// # Errors
///
/// When the root does not describe an object, a `$ref` resolves to nothing or leaves the document, a keyword holds what it
/// cannot mean, or the schema is too deep or too large with its references written out.
pub fn from_value(mut schema: Value) -> Result<CanonicalSchema, SchemaError> {
    nested::resolve(&mut schema);
    let tree = tree::foreign_tree(&schema)?;
    Ok(CanonicalSchema::new(tree).with_original(schema))
}
