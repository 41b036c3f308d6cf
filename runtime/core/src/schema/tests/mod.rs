//! Tests of the schema module: golden files, texts, repairs, properties.

#![expect(clippy::too_many_lines, reason = "tables are long")]

mod cases;
mod explaining;
mod foreign;
mod golden;
mod properties;
mod repairing;
mod straight;
mod strangers;
mod tools;
mod types;

use super::{CanonicalSchema, Constraints, ParameterSchema, input_schema};
use types::{parameter, schema_of};
