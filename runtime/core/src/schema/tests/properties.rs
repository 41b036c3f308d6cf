//! Property tests with arbitrary input.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::cases::{Case, all};
use super::types::{Action, Address, Point, Shape, Tree, Unit, Untagged};
use super::{schema_of, strangers, tools};
use crate::schema::{CanonicalSchema, explain, from_value, repair};

/// Built once: a schema for each of a thousand inputs would take most of the time.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(all);

/// Generates JSON from the names in the test types, so that it is often nearly valid.
fn value() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "",
        "x",
        "5",
        "true",
        "kelvin",
        "empty",
        "dot",
        "circle",
        "move",
        "say",
        "stop",
        "[1]",
        "{\"a\":1}",
        "null",
        "é",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-300..300i64).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words.prop_map(Value::from),
    ];
    let keys = prop::sample::select(vec![
        "value",
        "street",
        "at",
        "floor",
        "latitude",
        "longitude",
        "label",
        "children",
        "twin",
        "kind",
        "to",
        "speed",
        "text",
        "circle",
        "radius",
        "line",
        "id",
        "name",
        "a/b",
        "",
    ]);
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..5).prop_map(|entries| Value::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()
            )),
        ]
    })
}

fn agree<T: JsonSchema + DeserializeOwned + Serialize>(value: &Value) {
    // serde also accepts a list for a struct and `{"Unit": null}` for a unit variant; the schema describes the plain
    // form only.
    let Ok(decoded) = serde_json::from_value::<T>(value.clone()) else {
        return;
    };
    if serde_json::to_value(decoded).ok().as_ref() == Some(value) {
        let schema = schema_of::<T>();
        let mistakes = explain(&schema, &serde_json::json!({ "value": value }).to_string());
        assert!(mistakes.is_empty(), "{value}: {mistakes}");
    }
}

fn check_repair(schema: &CanonicalSchema, text: &str) {
    let before = explain(schema, text);
    if let Some(repaired) = repair(schema, text) {
        assert!(explain(schema, &repaired.arguments).is_empty());
        assert!(!repaired.repairs.is_empty());
        assert!(
            !before.is_empty(),
            "{text} fitted and was changed to {}",
            repaired.arguments
        );
    }
}

proptest! {
    #[test]
    fn what_serde_takes_is_no_mistake(value in value()) {
        agree::<Address>(&value);
        agree::<Shape>(&value);
        agree::<Action>(&value);
        agree::<Untagged>(&value);
        agree::<Tree>(&value);
        agree::<Unit>(&value);
        agree::<u8>(&value);
        agree::<i32>(&value);
        agree::<u64>(&value);
        agree::<f64>(&value);
        agree::<Option<bool>>(&value);
        agree::<Vec<Option<i16>>>(&value);
        agree::<BTreeMap<String, Option<Point>>>(&value);
        agree::<(u8, Option<String>)>(&value);
        agree::<Value>(&value);
    }

    #[test]
    fn repairs_explain_clean(value in value(), wrap in any::<bool>()) {
        let text = if wrap { serde_json::json!({ "value": value }).to_string() } else { value.to_string() };
        for case in CASES.iter() {
            check_repair(&case.schema, &text);
        }
        check_repair(&tools::weather(), &text);
    }

    #[test]
    fn no_text_panics(text in any::<String>(), cut in any::<prop::sample::Index>(), value in value()) {
        let json = value.to_string();
        let at = json.floor_char_boundary(cut.index(json.len() + 1));
        for case in CASES.iter().take(4) {
            for text in [text.as_str(), &json[..at], &format!("{{{text}"), &format!("```json{text}```")] {
                check_repair(&case.schema, text);
            }
        }
    }

    #[test]
    fn no_schema_panics(value in value(), types in prop::collection::vec(strangers::schema(), 0..3)) {
        let _ = from_value(value.clone());
        let properties: serde_json::Map<_, _> = types.into_iter().enumerate().map(|(at, schema)| (at.to_string(), schema)).collect();
        if let Ok(schema) = from_value(serde_json::json!({ "type": "object", "properties": properties })) {
            check_repair(&schema, &serde_json::json!({ "0": value }).to_string());
        }
    }
}
