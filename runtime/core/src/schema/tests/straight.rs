//! Tests that the text from cached shapes equals the text of the tree, byte for byte.

use schemars::JsonSchema;
use serde_json::json;

use super::types::*;
use crate::schema::{CanonicalSchema, Constraints, ParameterSchema, input_schema};

/// Compares the cached and the built text for a parameter of a type in every form that a tool gives it.
fn agree<T: JsonSchema>() {
    for description in [
        "",
        "What it is for.",
        "Says \"so\",\n\\ and\tso.",
        "One of:\n- `a`: first",
    ] {
        for required in [true, false] {
            for plain in [true, false] {
                let parameter = move |name| ParameterSchema {
                    name,
                    description,
                    schema: |generator| generator.subschema_for::<T>(),
                    required,
                    default: (!plain).then(|| json!(null)),
                    examples: if plain { vec![] } else { vec![json!(1)] },
                    constraints: Constraints {
                        max: (!plain).then_some(7.0),
                        min_len: (!plain).then_some(1),
                        ..Constraints::NONE
                    },
                };
                let both = move || vec![parameter("first"), parameter("second")];
                let (straight, tree) =
                    (CanonicalSchema::from_parameters(both), input_schema(both()));
                assert_eq!(straight.requires_walk(), tree.requires_walk());
                assert_eq!(straight.text(), tree.text());
                assert_eq!(straight, tree);
            }
        }
    }
}

#[test]
fn the_short_way_writes_what_the_long_way_writes() {
    agree::<String>();
    agree::<u32>();
    agree::<f64>();
    agree::<Option<bool>>();
    agree::<Vec<String>>();
    agree::<Option<Unit>>();
    agree::<Unit>();
    agree::<Plain>();
    agree::<Address>();
    agree::<Tree>();
    agree::<Option<Tree>>();
    agree::<Folder>();
    agree::<Shape>();
    agree::<Action>();
    agree::<Adjacent>();
    agree::<Untagged>();
    agree::<Options>();
    agree::<Maps>();
    agree::<Tuples>();
    agree::<Newtypes>();
    agree::<Flat>();
    agree::<Defaults>();
    agree::<Widths>();
    agree::<Formats>();
    agree::<Bounded>();
}

#[test]
fn no_parameters_are_a_schema_too() {
    let straight = CanonicalSchema::from_parameters(Vec::new);
    assert_eq!(straight.text(), input_schema(Vec::new()).text());
}
