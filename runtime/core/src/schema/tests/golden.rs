//! Tests of the golden cases: valid values, invalid values, and the canonical form.

use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::cases::all;
use super::parameter;
use super::types::Tree;
use crate::schema::{explain, from_value, output_schema};

fn arguments(value: &Value) -> Value {
    json!({ "value": value })
}

#[test]
fn what_fits_is_explained_as_fitting_and_what_does_not_is_not() {
    for case in all() {
        for good in &case.good {
            let mistakes = explain(&case.schema, &arguments(good).to_string());
            assert!(mistakes.is_empty(), "{}: {good}: {mistakes}", case.name);
        }
        for bad in &case.bad {
            assert!(!(case.decodes)(bad), "{}: serde takes {bad}", case.name);
            let mistakes = explain(&case.schema, &arguments(bad).to_string());
            assert!(
                !mistakes.is_empty(),
                "{}: nothing is said of {bad}",
                case.name
            );
        }
    }
}

#[test]
fn the_canonical_form_is_stable_under_itself() {
    for case in all() {
        let again = from_value(case.schema.value().clone()).unwrap();
        assert_eq!(again.value(), case.schema.value(), "{}", case.name);
    }
}

#[test]
fn only_what_serde_does_not_enforce_requires_the_walk() {
    let walking: Vec<_> = all()
        .into_iter()
        .filter(|case| case.schema.requires_walk())
        .map(|case| case.name)
        .collect();
    // `tuples` for `[f32; 2]`, `formats` for `char`, `widths` for `NonZeroU32`: indistinguishable from an attribute.
    assert_eq!(walking, ["tuples", "widths", "formats", "bounded"]);
    let mut limited = parameter::<u32>("value");
    limited.constraints.max = Some(5.0);
    assert!(!crate::schema::input_schema(vec![limited]).requires_walk());
}

#[test]
fn only_an_object_is_an_output_schema() {
    assert!(output_schema(SchemaGenerator::subschema_for::<Vec<u8>>).is_none());
    assert!(output_schema(SchemaGenerator::subschema_for::<String>).is_none());
    assert!(output_schema(SchemaGenerator::subschema_for::<Tree>).is_some());
}
