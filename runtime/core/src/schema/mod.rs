//! JSON Schema: a canonical form, its dialects, and explanations of invalid arguments.
//!
//! [`input_schema`], [`output_schema`] and [`from_value`] build a [`CanonicalSchema`]; [`CanonicalSchema::render`]
//! returns its text in a [dialect](SchemaDialect); [`explain()`] lists every mistake in a call's arguments;
//! [`repair()`] repairs arguments where no guess is needed.

mod build;
mod canonical_schema;
mod dialect;
mod enforced;
mod error;
mod explain;
pub mod keyword;
mod lenient_json;
mod mistake;
mod nested;
mod normalize;
mod nullable;
mod parameter;
mod references;
mod repair;
mod shape;
mod shown;
mod tree;
mod variants;

#[cfg(test)]
mod tests;

pub(crate) use build::shared_output_schema;
pub use build::{from_value, input_schema, object_schema, output_schema};
pub use canonical_schema::CanonicalSchema;
pub use dialect::SchemaDialect;
pub use error::SchemaError;
pub use explain::{describe_schema, explain};
pub use mistake::{Mistake, Mistakes};
pub use nullable::is_null;
pub use parameter::{Constraints, ParameterSchema};
pub(crate) use repair::repair_partly;
pub use repair::{RepairedArguments, repair};
pub use shown::UnmarkedSchema;
