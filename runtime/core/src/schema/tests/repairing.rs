//! Tests of the lenient repair.

use std::collections::BTreeMap;

use super::types::{Action, Address, Unit, Untagged};
use super::{parameter, schema_of, tools};
use crate::schema::{CanonicalSchema, input_schema, repair};

fn mend(schema: &CanonicalSchema, arguments: &str) -> String {
    match repair(schema, arguments) {
        Some(repaired) => format!("{}\n{}", repaired.arguments, repaired.repairs.join("\n")),
        None => "as it was".to_owned(),
    }
}

#[test]
fn scalars_in_strings() {
    insta::assert_snapshot!(mend(&schema_of::<u32>(), r#"{"value":" 5 "}"#), @r#"
    {"value":5}
    `/value`: read the string " 5 " as the integer 5
    "#);
    insta::assert_snapshot!(mend(&schema_of::<f64>(), r#"{"value":"1.50"}"#), @r#"
    {"value":1.50}
    `/value`: read the string "1.50" as the number 1.50
    "#);
    insta::assert_snapshot!(mend(&schema_of::<bool>(), r#"{"value":"True"}"#), @r#"
    {"value":true}
    `/value`: read the string "True" as the boolean true
    "#);
    insta::assert_snapshot!(mend(&schema_of::<u128>(), r#"{"value":"340282366920938463463374607431768211455"}"#), @r#"
    {"value":340282366920938463463374607431768211455}
    `/value`: read the string "340282366920938463463374607431768211455" as the integer 340282366920938463463374607431768211455
    "#);
}

#[test]
fn structure_in_strings() {
    insta::assert_snapshot!(mend(&schema_of::<BTreeMap<String, u8>>(), r#"{"value":"{\"a\":\"1\"}"}"#), @r#"
    {"value":{"a":1}}
    `/value`: read the object that the string "{\"a\":\"1\"}" holds
    `/value/a`: read the string "1" as the integer 1
    "#);
    insta::assert_snapshot!(mend(&schema_of::<Vec<u8>>(), r#"{"value":"[1, \"2\"]"}"#), @r#"
    {"value":[1,2]}
    `/value`: read the list that the string "[1, \"2\"]" holds
    `/value/1`: read the string "2" as the integer 2
    "#);
    insta::assert_snapshot!(mend(&schema_of::<u8>(), r#""{\"value\":5}""#), @r#"
    {"value":5}
    the arguments: read the object that the string "{\"value\":5}" holds
    "#);
}

#[test]
fn lists_of_one() {
    insta::assert_snapshot!(mend(&schema_of::<Vec<String>>(), r#"{"value":"a,b"}"#), @r#"
    {"value":["a,b"]}
    `/value`: wrapped "a,b" in a list
    "#);
    insta::assert_snapshot!(mend(&schema_of::<Vec<u8>>(), r#"{"value":"7"}"#), @r#"
    {"value":[7]}
    `/value`: read the string "7" as the integer 7
    `/value`: wrapped "7" in a list
    "#);
    insta::assert_snapshot!(mend(&schema_of::<Vec<Unit>>(), r#"{"value":"kelvin"}"#), @r#"
    {"value":["kelvin"]}
    `/value`: wrapped "kelvin" in a list
    "#);
}

#[test]
fn fences() {
    insta::assert_snapshot!(mend(&schema_of::<u8>(), "```json\n{\"value\": 5}\n```"), @r#"
    {"value": 5}
    removed the code fence around the arguments
    "#);
    insta::assert_snapshot!(mend(&schema_of::<u8>(), "```\n{\"value\": \"5\"}```\n"), @r#"
    {"value":5}
    removed the code fence around the arguments
    `/value`: read the string "5" as the integer 5
    "#);
}

#[test]
fn what_is_almost_json() {
    insta::assert_snapshot!(mend(&schema_of::<u8>(), "Here: ```json\n{\"value\": 5}\n```"), @r#"
    {"value":5}
    removed the text around the JSON
    "#);
    insta::assert_snapshot!(mend(&schema_of::<Vec<u8>>(), "{'value': [1, '2',], }"), @r#"
    {"value":[1,2]}
    read single quotes as double ones
    removed trailing commas
    `/value/1`: read the string "2" as the integer 2
    "#);
    insta::assert_snapshot!(mend(&schema_of::<bool>(), "{value: True}"), @r#"
    {"value":true}
    put quotes around keys
    read Python literals as JSON literals
    "#);
    insta::assert_snapshot!(mend(&schema_of::<String>(), "{\"value\": \"two\nlines\"}"), @r#"
    {"value":"two\u000alines"}
    escaped control characters in a string
    "#);
}

#[test]
fn null_for_what_may_be_absent() {
    insta::assert_snapshot!(mend(&tools::weather(), r#"{"city":"Paris","unit":null,"days":null,"tags":null}"#), @r#"
    {"city":"Paris","days":null}
    `/unit`: treated null as absent
    `/tags`: treated null as absent
    "#);
}

#[test]
fn branches() {
    insta::assert_snapshot!(mend(&schema_of::<Action>(), r#"{"value":{"kind":"move","to":{"latitude":"1","longitude":2.50}}}"#), @r#"
    {"value":{"kind":"move","to":{"latitude":1,"longitude":2.50}}}
    `/value/to/latitude`: read the string "1" as the number 1
    "#);
    insta::assert_snapshot!(mend(&schema_of::<Untagged>(), r#"{"value":{"id":"7","name":"x"}}"#), @r#"
    {"value":{"id":7,"name":"x"}}
    `/value/id`: read the string "7" as the integer 7
    "#);
}

#[test]
fn what_fits_is_not_touched() {
    for text in [
        r#"{"value":"5"}"#,
        r#"{"value":"true"}"#,
        r#"{"value":"[1]"}"#,
    ] {
        assert_eq!(mend(&schema_of::<String>(), text), "as it was");
        assert_eq!(mend(&schema_of::<Untagged>(), text), "as it was");
        assert_eq!(mend(&schema_of::<serde_json::Value>(), text), "as it was");
    }
    // The first value is valid and keeps its exact text.
    let both = input_schema(vec![parameter::<f64>("a"), parameter::<u8>("b")]);
    assert_eq!(
        mend(&both, r#"{"a": 1.000, "b": "2"}"#).lines().next(),
        Some(r#"{"a":1.000,"b":2}"#)
    );
}

#[test]
fn what_stays_wrong() {
    let schema = schema_of::<u8>();
    for text in [
        r#"{"value":"five"}"#,
        r#"{"value":"5.0"}"#,
        r#"{"value":"0x5"}"#,
        r#"{"value":"256"}"#,
        r#"{"value":null}"#,
        r#"{"value":true}"#,
        r#"{"value":[5]}"#,
        r#"{"value":"5""#,
        r#"{"value":"5","value":"6"}"#,
        r#"{"value":"5","other":1}"#,
        r#"{"value":"5"} or {"value":"6"}"#,
        r#"{"value":"5"} [sic]"#,
        "{'value': 5",
        "{'value': ",
        "{value: 5, value: 6}",
        "{'value': five}",
        "",
        "null",
    ] {
        assert_eq!(mend(&schema, text), "as it was", "{text}");
    }
    assert_eq!(
        mend(&schema_of::<Vec<u8>>(), r#"{"value":null}"#),
        "as it was"
    );
    assert_eq!(
        mend(&schema_of::<Address>(), r#"{"value":"{\"street\":\"x\""}"#),
        "as it was"
    );
}
