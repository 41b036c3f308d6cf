//! Golden files: `runtime/model/tests/golden/<case>.<dialect>.json`. `HELVE_BLESS=1` rewrites them.

use std::path::Path;

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::cases::{Case, all};
use super::tools;
use super::types::Address;
use crate::dialect::Dialect;
use helve_core::schema::keyword::{KeywordValue, content};
use helve_core::schema::{CanonicalSchema, input_schema, output_schema};

fn arguments(value: &Value) -> Value {
    json!({ "value": value })
}

/// Collects every schema object of a document.
fn objects<'v>(schema: &'v Value, found: &mut Vec<&'v Map<String, Value>>) {
    let Value::Object(map) = schema else { return };
    found.push(map);
    for (key, value) in map {
        match (content(key), value) {
            (Some(KeywordValue::Schema), value) => objects(value, found),
            (Some(KeywordValue::SchemaList), Value::Array(list)) => {
                list.iter().for_each(|value| objects(value, found));
            }
            (Some(KeywordValue::SchemaMap), Value::Object(named)) => {
                named.values().for_each(|value| objects(value, found));
            }
            _ => {}
        }
    }
}

fn check_form(name: &str, schema: &CanonicalSchema, dialect: Dialect) -> Value {
    let text = schema.render(dialect);
    let form: Value = serde_json::from_str(text).unwrap();
    assert!(
        jsonschema::meta::is_valid(&form),
        "{name}.{dialect} is no schema: {text}"
    );
    assert_eq!(form["type"], "object", "{name}.{dialect}: the root");
    let mut found = Vec::new();
    objects(&form, &mut found);
    for map in found {
        for key in map.keys() {
            assert!(
                dialect.keywords().contains(&key.as_str()),
                "{name}.{dialect} has `{key}`"
            );
        }
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            assert!(
                form.pointer(&reference[1..]).is_some(),
                "{name}.{dialect}: {reference} resolves to nothing"
            );
            let alone = matches!(dialect, Dialect::OpenAiStrict | Dialect::Gemini);
            assert!(!alone || map.len() == 1, "{name}.{dialect}: {map:?}");
        }
        if dialect == Dialect::OpenAiStrict && map.get("type").is_some_and(|one| one == "object") {
            assert_eq!(map["additionalProperties"], false);
            let names: Vec<&String> = map["properties"].as_object().unwrap().keys().collect();
            assert_eq!(json!(names), map["required"], "{name}.{dialect}");
        }
    }
    form
}

/// Adds null for every absent property, as a model in strict mode does.
fn filled(schema: &Value, root: &Value, value: &Value) -> Value {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return filled(&root.pointer(&reference[1..]).unwrap().clone(), root, value);
    }
    if let Some(branches) = schema.get("anyOf").and_then(Value::as_array) {
        let filled = branches
            .iter()
            .map(|branch| (branch, filled(branch, root, value)));
        for (branch, value) in filled {
            let mut branch = branch.clone();
            if let (Some(map), Some(definitions)) = (branch.as_object_mut(), root.get("$defs")) {
                map.insert("$defs".into(), definitions.clone());
            }
            if jsonschema::is_valid(&branch, &value) {
                return value;
            }
        }
        return value.clone();
    }
    match value {
        Value::Object(map) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                return value.clone();
            };
            let null = Value::Null;
            let entries = properties.iter().map(|(name, schema)| {
                let value = map.get(name).unwrap_or(&null);
                (name.clone(), filled(schema, root, value))
            });
            let mut out: Map<_, _> = entries.collect();
            for (key, value) in map {
                out.entry(key.clone()).or_insert_with(|| value.clone());
            }
            Value::Object(out)
        }
        Value::Array(items) => items
            .iter()
            .map(|item| filled(&schema["items"], root, item))
            .collect(),
        other => other.clone(),
    }
}

/// Removes null values of optional canonical properties, as a reader of the rendered schema does.
fn pruned(value: &Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key.clone(), pruned(value)))
                .collect(),
        ),
        Value::Array(items) => items.iter().map(pruned).collect(),
        other => other.clone(),
    }
}

fn check_values(case: &Case, dialect: Dialect, form: &Value) {
    let expressed = case.schema.supports(dialect).is_ok();
    for good in &case.good {
        assert!((case.decodes)(good));
        let given = arguments(good);
        let shown = match dialect {
            Dialect::OpenAiStrict if expressed => filled(form, form, &given),
            Dialect::OpenAiStrict => continue,
            // The map of options keeps null values; only its absent fields are removed.
            _ if case.name == "options" || case.name == "maps" => prune_level(&given, 2),
            _ => pruned(&given),
        };
        let validator = jsonschema::validator_for(form).unwrap();
        let error = validator
            .validate(&shown)
            .err()
            .map(|error| error.to_string());
        assert_eq!(error, None, "{}.{dialect}: {shown}", case.name);
    }
}

fn prune_level(value: &Value, levels: usize) -> Value {
    match value {
        Value::Object(map) if levels > 0 => {
            let kept = map
                .iter()
                .filter(|(key, value)| *key == "free" || !value.is_null());
            Value::Object(
                kept.map(|(key, value)| (key.clone(), prune_level(value, levels - 1)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

#[test]
fn every_case_in_every_dialect() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let bless = std::env::var_os("HELVE_BLESS").is_some();
    let mut stale = Vec::new();
    let mut files = Vec::new();
    for case in all() {
        for dialect in Dialect::ALL {
            let form = check_form(case.name, &case.schema, dialect);
            check_values(&case, dialect, &form);
            files.push((format!("{}.{dialect}.json", case.name), form));
        }
    }
    let address = output_schema(SchemaGenerator::subschema_for::<Address>).unwrap();
    for (name, schema) in [
        ("tool", tools::weather()),
        ("tool_without_parameters", input_schema(vec![])),
        ("output", address),
    ] {
        for dialect in Dialect::ALL {
            files.push((
                format!("{name}.{dialect}.json"),
                check_form(name, &schema, dialect),
            ));
        }
    }
    for (name, form) in files {
        let text = format!("{form:#}\n");
        let path = folder.join(&name);
        if bless {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, text).unwrap();
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            stale.push(name);
        }
    }
    assert!(
        stale.is_empty(),
        "look at these and run again with HELVE_BLESS=1: {stale:?}"
    );
}

#[test]
fn dialects_are_named() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.to_string().parse(), Ok(dialect));
    }
    assert!("openapi".parse::<Dialect>().is_err());
}

#[test]
fn what_a_dialect_cannot_express_is_said() {
    let refused = |name: &str, dialect| {
        let case = all().into_iter().find(|case| case.name == name).unwrap();
        case.schema.supports(dialect).err()
    };
    let said = refused("maps", Dialect::OpenAiStrict).unwrap();
    assert!(said.contains("a map"), "{said}");
    assert!(refused("recursive", Dialect::Gemini).is_some());
    assert_eq!(refused("recursive", Dialect::OpenAiStrict), None);
    assert_eq!(refused("external", Dialect::OpenAiStrict), None);
    assert!(
        all()
            .iter()
            .all(|case| case.schema.supports(Dialect::Mcp).is_ok())
    );
}
