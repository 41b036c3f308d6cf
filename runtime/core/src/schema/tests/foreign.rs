//! Tests of external schemas.

use serde_json::{Value, json};

use crate::schema::{SchemaError, explain, from_value};

#[test]
fn references_are_written_out() {
    let schema = from_value(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Args",
        "type": "object",
        "properties": {
            "from": { "$ref": "#/definitions/Place%20of", "description": "Where from" },
            "to": { "$ref": "#/properties/from" },
            "mode": { "oneOf": [{ "const": "car", "title": "Car" }, { "const": "bike", "description": "A bike" }] },
            "when": { "anyOf": [{ "type": "string", "format": "date-time" }, { "type": "null" }], "default": null },
            "pair": { "type": "array", "items": [{ "type": "string" }, { "type": "integer", "format": "int64" }], "additionalItems": false }
        },
        "required": ["from"],
        "definitions": { "Place of": { "type": "object", "properties": { "name": { "type": "string" } }, "x-order": 1 } }
    }))
    .unwrap();
    let expected = json!({
        "type": "object",
        "properties": {
            "from": { "type": "object", "description": "Where from", "properties": { "name": { "type": "string" } } },
            "to": { "type": "object", "description": "Where from", "properties": { "name": { "type": "string" } } },
            "mode": { "type": "string", "description": "- `bike`: A bike", "enum": ["car", "bike"] },
            "when": { "type": "string", "format": "date-time" },
            "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false }
        },
        "required": ["from"]
    });
    assert_eq!(
        serde_json::to_string(schema.value()).unwrap(),
        serde_json::to_string(&expected).unwrap()
    );
    assert!(schema.requires_walk());
    assert!(
        explain(
            &schema,
            r#"{"from":{"name":"x","more":1},"when":null,"pair":["a",5.0]}"#
        )
        .is_empty()
    );
    assert_eq!(explain(&schema, r#"{"from":{},"other":1}"#).len(), 1);
}

#[test]
fn definitions_are_found_where_a_part_of_the_schema_has_them() {
    let schema = from_value(json!({
        "type": "object",
        "properties": {
            "filter": {
                "type": "object",
                "properties": { "by": { "$ref": "#/definitions/Field" }, "tree": { "$ref": "#/$defs/Node" } },
                "definitions": { "Field": { "type": "string", "enum": ["name", "age"] } },
                "$defs": { "Node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" } } } }
            },
            "sort": {
                "$id": "https://example.org/sort",
                "anyOf": [{ "$ref": "#/$defs/Field" }, { "$ref": "#" }],
                "$defs": { "Field": { "type": "integer" } }
            },
            "plain": { "$ref": "#/$defs/Field" },
            // A property may have this name, and data is no schema.
            "definitions": { "type": "object", "default": { "$ref": "#/definitions/Field" } }
        },
        "$defs": { "Field": { "type": "boolean" } }
    }))
    .unwrap();
    let value = schema.value();
    assert_eq!(
        value["properties"]["filter"]["properties"]["by"]["enum"],
        json!(["name", "age"])
    );
    assert_eq!(value["$defs"]["sort"]["anyOf"][0]["type"], "integer");
    assert_eq!(value["properties"]["plain"]["type"], "boolean");
    assert_eq!(
        value["properties"]["definitions"]["default"],
        json!({ "$ref": "#/definitions/Field" })
    );
    let said = explain(
        &schema,
        r#"{"filter":{"by":"size","tree":{"next":{"next":1}}}}"#,
    );
    let places: Vec<&str> = said
        .as_slice()
        .iter()
        .map(|mistake| &*mistake.path)
        .collect();
    assert_eq!(places, ["/filter/by", "/filter/tree/next/next"]);
}

#[test]
fn recursion_stays_under_defs() {
    let schema = from_value(json!({
        "type": "object",
        "properties": { "node": { "$ref": "#/$defs/N" }, "self": { "$ref": "#" } },
        "$defs": {
            "N": { "type": "object", "properties": { "next": { "$ref": "#/$defs/N" }, "value": { "$ref": "#/$defs/V" } } },
            "V": { "type": "integer" }
        }
    }))
    .unwrap();
    assert_eq!(
        schema.value()["$defs"]["N"]["properties"]["next"]["$ref"],
        "#/$defs/N"
    );
    assert_eq!(
        schema.value()["$defs"]["N"]["properties"]["value"]["type"],
        "integer"
    );
    assert!(schema.value()["$defs"].get("V").is_none());
    assert_eq!(schema.value()["properties"]["self"]["$ref"], "#/$defs/Root");
    let said = explain(
        &schema,
        r#"{"self":{"self":{"node":{"next":{"value":"x"}}}}}"#,
    );
    assert_eq!(said.as_slice()[0].path, "/self/self/node/next/value");
}

#[test]
fn what_is_refused() {
    let refuse = |schema: Value| from_value(schema).unwrap_err();
    let property = |schema: Value| json!({ "type": "object", "properties": { "x": schema } });
    assert_eq!(
        refuse(json!({ "type": "array" })),
        SchemaError::Root("\"array\"".into())
    );
    assert_eq!(refuse(json!(5)), SchemaError::Malformed("schema".into()));
    assert_eq!(
        refuse(property(json!({ "$ref": "#/$defs/X" }))),
        SchemaError::Unresolved("#/$defs/X".into())
    );
    let remote = "https://example.org/x.json";
    assert_eq!(
        refuse(property(json!({ "$ref": remote }))),
        SchemaError::Remote(remote.into())
    );
    assert_eq!(
        refuse(property(json!({ "type": "text" }))),
        SchemaError::Malformed("type".into())
    );
    assert_eq!(
        refuse(json!({ "properties": [] })),
        SchemaError::Malformed("properties".into())
    );
    assert_eq!(
        refuse(json!({ "$ref": "#" })),
        SchemaError::Root("itself".into())
    );

    let mut deep = json!({ "type": "string" });
    for _ in 0..100 {
        deep = json!({ "type": "array", "items": deep });
    }
    assert_eq!(refuse(property(deep)), SchemaError::TooDeep);

    // Each definition refers to the previous one ten times: a short text, and a billion parts.
    let mut definitions =
        serde_json::Map::from_iter([("d0".to_owned(), json!({ "type": "string" }))]);
    for level in 1..10 {
        let names: serde_json::Map<_, _> = (0..10)
            .map(|at| {
                (
                    format!("p{at}"),
                    json!({ "$ref": format!("#/$defs/d{}", level - 1) }),
                )
            })
            .collect();
        definitions.insert(
            format!("d{level}"),
            json!({ "type": "object", "properties": names }),
        );
    }
    let bomb = json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/d9" } }, "$defs": definitions });
    assert_eq!(refuse(bomb), SchemaError::TooLarge);
}

#[test]
fn a_circle_of_references_describes_nothing() {
    let schema = json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/A" } }, "$defs": {
        "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A" } } });
    let schema = from_value(schema).unwrap();
    assert!(explain(&schema, r#"{"x":1}"#).is_empty());
}

#[test]
fn our_markers_cannot_be_smuggled_in() {
    let schema = json!({ "type": "object", "x-helve-nullable": true,
        "properties": { "x": { "type": "string", "x-helve-nullable": true }, "x-helve-nullable": { "type": "string" } } });
    let schema = from_value(schema).unwrap();
    assert_eq!(explain(&schema, r#"{"x":null}"#).len(), 1);
    // A property may have any name.
    assert!(schema.text().contains("x-helve-nullable"));
}

#[test]
fn an_open_root_takes_anything() {
    let schema = from_value(json!({ "type": "object" })).unwrap();
    assert!(explain(&schema, r#"{"x":null}"#).is_empty());
}
