//! Tests of the dialects: golden files, and schemas of other producers.

#![expect(clippy::too_many_lines, reason = "tables are long")]

// The cases of the schema tests.
#[path = "../../../../core/src/schema/tests/cases.rs"]
#[expect(dead_code, reason = "what a schema refuses is no matter of dialects")]
mod cases;
mod foreign;
mod golden;
#[path = "../../../../core/src/schema/tests/strangers.rs"]
mod strangers;
#[path = "../../../../core/src/schema/tests/tools.rs"]
mod tools;
#[path = "../../../../core/src/schema/tests/types.rs"]
mod types;

use helve_core::schema::{CanonicalSchema, Constraints, ParameterSchema, input_schema};
