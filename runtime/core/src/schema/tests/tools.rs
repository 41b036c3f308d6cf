//! Whole tools: what the golden cases of single types do not show.

use schemars::SchemaGenerator;
use serde_json::json;

use super::parameter;
use super::types::{Address, Unit};
use crate::schema::{CanonicalSchema, Constraints, input_schema, output_schema};

/// The tool of the guide.
pub(super) fn weather() -> CanonicalSchema {
    let mut city = parameter::<String>("city");
    city.description = "City name, for example \"Paris\".";
    city.constraints = Constraints {
        min_len: Some(2),
        max_len: Some(80),
        pattern: Some("^[A-Z]"),
        ..Constraints::NONE
    };
    city.examples = vec![json!("Paris"), json!("Oslo")];
    let mut unit = parameter::<Unit>("unit");
    unit.description = "Unit of the answer.";
    unit.required = false;
    unit.default = Some(json!("celsius"));
    let mut days = parameter::<Option<u8>>("days");
    days.description = "How many days";
    days.required = false;
    days.constraints = Constraints {
        min: Some(1.0),
        max: Some(14.0),
        ..Constraints::NONE
    };
    let mut tags = parameter::<Vec<String>>("tags");
    tags.required = false;
    tags.default = Some(json!([]));
    tags.constraints.max_len = Some(5);
    let mut near = parameter::<Option<Address>>("near");
    near.required = false;
    input_schema(vec![city, unit, days, tags, near])
}

pub(super) fn all() -> Vec<(&'static str, CanonicalSchema)> {
    vec![
        ("tool", weather()),
        ("tool_without_parameters", input_schema(vec![])),
        (
            "output",
            output_schema(SchemaGenerator::subschema_for::<Address>).unwrap(),
        ),
    ]
}

#[test]
fn only_an_object_is_an_output_schema() {
    assert!(output_schema(SchemaGenerator::subschema_for::<Vec<u8>>).is_none());
    assert!(output_schema(SchemaGenerator::subschema_for::<String>).is_none());
    assert!(output_schema(SchemaGenerator::subschema_for::<super::types::Tree>).is_some());
}
