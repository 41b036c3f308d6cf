//! Tests of the explanations of mistakes.

use std::fmt::Write as _;
use std::time::Duration;

use super::types::{Action, Address, Shape, Tree, Unit, Untagged};
use super::{parameter, schema_of, tools};
use crate::schema::{CanonicalSchema, Constraints, Mistakes, explain, input_schema};

fn say(schema: &CanonicalSchema, arguments: &str) -> String {
    explain(schema, arguments).to_string()
}

#[test]
fn all_mistakes_at_once() {
    let said = say(
        &tools::weather(),
        r#"{"citty":"Paris","unit":"celsus","days":"3","near":{"street":1}}"#,
    );
    insta::assert_snapshot!(said, @r#"
    `/citty`: expected one of the keys `city`, `unit`, `days`, `tags`, `near`, got the unknown key `citty` with the string "Paris"; did you mean `city`?
    `/unit`: expected one of "kelvin", "celsius", "fahrenheit", got the string "celsus"; did you mean "celsius"?
    `/days`: expected an integer from 1 to 14, got the string "3"; write the number without quotes
    `/near/street`: expected a string, got the number 1
    `/near/at`: expected an object with the keys `latitude`, `longitude` (Where it is), got nothing; this key is required
    `/city`: expected a string of 2 to 80 characters (City name, for example "Paris"), got nothing; this key is required
    "#);
}

#[test]
fn keys() {
    let schema = tools::weather();
    insta::assert_snapshot!(say(&schema, r#"{"city":"Paris","city":"Rome"}"#), @"`/city`: expected each key once, got `city` again");
    insta::assert_snapshot!(say(&schema, r#"{"city":"Paris","street":"x"}"#), @r#"`/street`: expected one of the keys `city`, `unit`, `days`, `tags`, `near`, got the unknown key `street` with the string "x"; `street` belongs inside `/near`"#);
    insta::assert_snapshot!(say(&schema, r#"{"city":"Paris","near":{"street":"x","at":{"latitude":1,"longitude":2,"days":3}}}"#), @"`/near/at/days`: expected one of the keys `latitude`, `longitude`, got the unknown key `days` with the number 3; `days` belongs at the top level, as `/days`");
    insta::assert_snapshot!(say(&schema, r#"{"city":"Paris","a/b~c":null}"#), @"`/a~1b~0c`: expected one of the keys `city`, `unit`, `days`, `tags`, `near`, got the unknown key `a/b~c` with null");
    insta::assert_snapshot!(say(&input_schema(vec![]), r#"{"x":1}"#), @"`/x`: expected no key at all, got the unknown key `x` with the number 1; leave it out");
}

#[test]
fn a_misspelled_key_of_an_open_object_is_named_beside_the_missing_one() {
    let address = schema_of::<Address>();
    insta::assert_snapshot!(say(&address, r#"{"value":{"stret":"Main","zip":1}}"#), @"
    `/value/street`: expected a string (Street and number), got nothing; rename `stret` to `street`
    `/value/at`: expected an object with the keys `latitude`, `longitude` (Where it is), got nothing; this key is required
    ");
}

#[test]
fn bounds() {
    let schema = tools::weather();
    insta::assert_snapshot!(say(&schema, r#"{"city":"P","days":15,"tags":["","","","","",""]}"#), @r#"
    `/city`: expected a string of 2 to 80 characters, got the string "P" of 1 character
    `/days`: expected an integer from 1 to 14, got the number 15
    `/tags`: expected an array of at most 5 items, got the array ["","","","","",""] of 6 items
    "#);
    insta::assert_snapshot!(say(&schema, r#"{"city":"paris","days":2.0,"tags":"x"}"#), @r#"
    `/city`: expected a string that matches `^[A-Z]`, got the string "paris"
    `/days`: expected an integer from 1 to 14, got the number 2.0
    `/tags`: expected an array of at most 5 items, got the string "x"; put the value into a list
    "#);
    insta::assert_snapshot!(say(&schema_of::<i64>(), r#"{"value":9223372036854775808}"#), @"`/value`: expected an integer from -9223372036854775808 to 9223372036854775807, got the number 9223372036854775808");
    insta::assert_snapshot!(say(&schema_of::<f64>(), r#"{"value":1e999}"#), @"`/value`: expected a number that a computer can hold, got the number 1e999");
    insta::assert_snapshot!(say(&schema_of::<String>(), r#"{"value":"\ud800"}"#), @r#"`/value`: expected a string of valid Unicode, got the string "\ud800""#);
}

#[test]
fn unions() {
    let shape = schema_of::<Shape>();
    insta::assert_snapshot!(say(&shape, r#"{"value":"circle"}"#), @r#"`/value`: expected one of "dot", "empty" or an object with the key `circle` or an object with the key `line` or an object with the key `label`, got the string "circle"; write {"circle": …} with its value"#);
    insta::assert_snapshot!(say(&shape, r#"{"value":{"circl":{"radius":1}}}"#), @"`/value`: expected an object with the one key `circle` or `line` or `label`, got an object with the key `circl`; did you mean `circle`?");
    insta::assert_snapshot!(say(&shape, r#"{"value":{"circle":{"radius":"1"}}}"#), @r#"`/value/circle/radius`: expected a number, got the string "1"; write the number without quotes"#);
    insta::assert_snapshot!(say(&shape, r#"{"value":7}"#), @r#"`/value`: expected one of "dot", "empty" or an object with the key `circle` or an object with the key `line` or an object with the key `label`, got the number 7"#);
    let action = schema_of::<Action>();
    insta::assert_snapshot!(say(&action, r#"{"value":{"kind":"mov","to":1}}"#), @r#"`/value/kind`: expected one of "move", "say", "stop", got the string "mov"; did you mean "move"?"#);
    insta::assert_snapshot!(say(&action, r#"{"value":{"kind":"move","to":{"latitude":1}}}"#), @"`/value/to/longitude`: expected a number, got nothing; this key is required");
    insta::assert_snapshot!(say(&action, r#"{"value":{"to":1}}"#), @r#"`/value/kind`: expected one of "move", "say", "stop", got nothing; this key is required"#);
    insta::assert_snapshot!(say(&schema_of::<Untagged>(), r#"{"value":{"id":1}}"#), @"`/value/name`: expected a string, got nothing; this key is required");
    insta::assert_snapshot!(say(&schema_of::<Untagged>(), r#"{"value":true}"#), @"`/value`: expected an integer of at least 0 or a string or an object with the keys `id`, `name`, got true");
    insta::assert_snapshot!(say(&schema_of::<Vec<Unit>>(), r#"{"value":["kelvin","Kelvin"]}"#), @r#"`/value/1`: expected one of "kelvin", "celsius", "fahrenheit", got the string "Kelvin"; did you mean "kelvin"?"#);
}

#[test]
fn no_arguments_are_an_empty_object() {
    let none = input_schema(vec![]);
    for text in ["", "  \n", "null", "{}", " { } "] {
        assert_eq!(explain(&none, text), Mistakes::default());
        insta::allow_duplicates! {
            insta::assert_snapshot!(say(&schema_of::<u8>(), text), @"`/value`: expected an integer from 0 to 255, got nothing; this key is required");
        }
    }
}

#[test]
fn what_is_no_object() {
    let schema = schema_of::<u8>();
    insta::assert_snapshot!(say(&schema, r#"{"value": 5"#), @r#"the arguments: expected a JSON object, got text that is not JSON: EOF while parsing an object at line 1 column 11, near `{"value": 5`; the text ends too early; send the whole object again"#);
    insta::assert_snapshot!(say(&schema, "{'value': 5}"), @"the arguments: expected a JSON object, got text that is not JSON: key must be a string at line 1 column 2, near `{'value': 5}`");
    insta::assert_snapshot!(say(&schema, "{\n \"value\": 5,\n}"), @r#"the arguments: expected a JSON object, got text that is not JSON: key must be a string at line 3 column 1, near `{  "value": 5, }`"#);
    insta::assert_snapshot!(say(&schema, r#"{"value":5} {"value":6}"#), @r#"the arguments: expected a JSON object, got text that is not JSON: trailing characters at line 1 column 13, near `{"value":5} {"value":6}`"#);
    insta::assert_snapshot!(say(&schema, r#""{\"value\":5}""#), @r#"the arguments: expected a JSON object, got the string "{\"value\":5}"; pass the object itself, not a string"#);
    insta::assert_snapshot!(say(&schema, "[1]"), @"the arguments: expected a JSON object, got the array [1]; pass one object with the parameters as its keys");
}

#[test]
fn nested_options_take_null() {
    let schema = schema_of::<Address>();
    assert_eq!(
        say(
            &schema,
            r#"{"value":{"street":"x","at":{"latitude":1,"longitude":2},"floor":null}}"#
        ),
        ""
    );
    insta::assert_snapshot!(say(&schema, r#"{"value":{"street":null,"at":null,"floor":null}}"#), @r"
    `/value/street`: expected a string, got null
    `/value/at`: expected an object with the keys `latitude`, `longitude`, got null
    ");
}

#[test]
fn many_mistakes_are_cut() {
    let items = vec!["\"x\""; 50].join(",");
    let said = say(&schema_of::<Vec<u8>>(), &format!("{{\"value\":[{items}]}}"));
    assert_eq!(said.lines().count(), 21);
    assert!(said.ends_with("and 30 more"), "{said}");
}

#[test]
fn excerpts_are_short_and_whole_characters() {
    let said = say(
        &schema_of::<u8>(),
        &format!("{{\"value\":\"{}\"}}", "é".repeat(10_000)),
    );
    assert!(said.len() < 300, "{said}");
    let said = say(
        &schema_of::<u8>(),
        &format!("{{\"value\":{}", "é".repeat(10_000)),
    );
    assert!(said.len() < 400, "{said}");
}

#[test]
fn mistakes_serialise_for_a_record() {
    let json = serde_json::to_string(&explain(&schema_of::<u8>(), r#"{"value":"5"}"#)).unwrap();
    insta::assert_snapshot!(json, @r#"[{"path":"/value","expected":"an integer from 0 to 255","got":"the string \"5\"","suggestion":"write the number without quotes"}]"#);
}

/// Returns the CPU time of this thread, which is independent of the load of the machine.
#[cfg(unix)]
fn computed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("no time before the start")
}

#[cfg(not(unix))]
fn computed() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

#[test]
fn hostile_texts_end_soon() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(200_000), "}".repeat(200_000));
    let mut tree = String::new();
    for _ in 0..1_000 {
        write!(tree, r#"{{"label":"x","children":["#).unwrap();
    }
    tree.push_str(&"]}".repeat(1_000));
    let huge = format!("\"{}\"", "x".repeat(500_000));
    let wide = format!("[{}]", vec!["1"; 50_000].join(","));
    let begun = computed();
    for value in [&deep, &objects, &tree, &huge, &wide] {
        for schema in [
            schema_of::<Tree>(),
            schema_of::<Untagged>(),
            schema_of::<u8>(),
            schema_of::<Vec<u8>>(),
            tools::weather(),
        ] {
            let text = format!("{{\"value\":{value}}}");
            drop((
                explain(&schema, &text),
                crate::schema::repair(&schema, &text),
            ));
            drop((
                explain(&schema, value),
                crate::schema::repair(&schema, &value[..value.len() / 2]),
            ));
        }
    }
    assert!(
        computed() - begun < Duration::from_secs(20),
        "{:?}",
        computed() - begun
    );
}

/// A type whose every level doubles the ways to read it.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Expression {
    Sum { of: Vec<Expression>, plus: bool },
    Product { of: Vec<Expression>, times: bool },
    Number(f64),
}

#[test]
fn a_union_that_multiplies_is_given_up_closed() {
    let value = format!(
        "{}1{}",
        r#"{"of":["#.repeat(60),
        r#"],"plus":0}"#.repeat(60)
    );
    let begun = computed();
    let said = explain(
        &schema_of::<Expression>(),
        &format!("{{\"value\":{value}}}"),
    );
    assert!(!said.is_empty());
    assert!(
        computed() - begun < Duration::from_secs(5),
        "{:?}",
        computed() - begun
    );
}

#[test]
fn a_parameter_keeps_the_tighter_bound() {
    let mut small = parameter::<u8>("value");
    small.constraints = Constraints {
        min: Some(-5.0),
        max: Some(9.5),
        ..Constraints::NONE
    };
    let schema = input_schema(vec![small]);
    assert_eq!(schema.value()["properties"]["value"]["minimum"], 0);
    assert_eq!(schema.value()["properties"]["value"]["maximum"], 9.5);
}
