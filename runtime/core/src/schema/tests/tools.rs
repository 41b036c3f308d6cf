//! Tests of complete tools, which the golden cases of single types do not cover.

use serde_json::json;

use super::types::{Address, Unit, parameter};
use super::{CanonicalSchema, Constraints, input_schema};

/// Returns the input schema of the tool from the guide.
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
