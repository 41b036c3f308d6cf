//! What the model supplies, as the function takes it.

use super::*;

/// Shows its arguments.
#[tool(read_only)]
async fn show(
    /// A number.
    number: u32,
    /// A text.
    text: &str,
    /// An optional one.
    other: Option<&str>,
    /// A list.
    list: &[u8],
    /// A map.
    map: Option<BTreeMap<String, f64>>,
    /// A unit.
    unit: Option<Unit>,
) -> String {
    format!("{number} {text:?} {other:?} {list:?} {map:?} {unit:?}")
}

/// Shows its defaults.
#[tool]
async fn defaults(
    /// Of the type.
    #[arg(default)]
    unit: Unit,
    /// A number.
    #[arg(default = 2)]
    number: u32,
    /// A text.
    #[arg(default = "a")]
    text: &str,
    /// An owned text.
    #[arg(default = "b")]
    owned: String,
    /// An optional text.
    #[arg(default = Some("c"))]
    optional: Option<&str>,
    /// A list.
    #[arg(default = vec![1])]
    list: &[u8],
    /// Nothing.
    nothing: Option<u8>,
) -> String {
    format!("{unit:?} {number} {text} {owned} {optional:?} {list:?} {nothing:?}")
}

/// Needs nothing.
#[tool]
fn nothing() -> String {
    "nothing".into()
}

#[tokio::test]
async fn arrive_as_the_function_takes_them() {
    let call = json!({ "number": 7, "text": "a\n", "other": "b", "list": [1, 2], "map": { "x": 1 }, "unit": "Celsius" });
    let output = helve::testing::call(show, call).await.unwrap();
    assert_eq!(
        output.text(),
        r#"7 "a\n" Some("b") [1, 2] Some({"x": 1.0}) Some(Celsius)"#
    );
}

#[tokio::test]
async fn may_be_left_out_or_null_where_they_are_optional() {
    for text in [
        r#"{"number":7,"text":"","list":[]}"#,
        r#"{"number":7,"text":"","list":[],"other":null,"map":null,"unit":null}"#,
    ] {
        let shown = call_text(|| toolset![show], text, &ToolContext::new()).await;
        assert_eq!(shown, r#"7 "" None [] None None"#, "{text}");
    }
}

#[tokio::test]
async fn keep_their_defaults_where_they_are_left_out_or_null() {
    for text in [
        "",
        " ",
        "null",
        "{}",
        r#"{"unit":null,"number":null,"text":null,"owned":null,"optional":null,"list":null}"#,
    ] {
        let shown = call_text(|| toolset![defaults], text, &ToolContext::new()).await;
        assert_eq!(shown, r#"Celsius 2 a b Some("c") [1] None"#, "{text:?}");
    }
}

#[tokio::test]
async fn take_the_place_of_defaults() {
    let text = r#"{"unit":"Fahrenheit","number":0,"text":"x","owned":"","optional":"y","list":[],"nothing":1}"#;
    let shown = call_text(|| toolset![defaults], text, &ToolContext::new()).await;
    assert_eq!(shown, r#"Fahrenheit 0 x  Some("y") [] Some(1)"#);
}

#[tokio::test]
async fn may_be_empty_in_three_ways_where_none_is_required() {
    for text in ["", "null", "{}", " { } "] {
        let shown = call_text(|| toolset![nothing], text, &ToolContext::new()).await;
        assert_eq!(shown, "nothing", "{text:?}");
    }
}

#[tokio::test]
async fn are_refused_where_they_do_not_fit() {
    for text in [
        "",
        "[]",
        "7",
        "{",
        r#"{"number":7}"#,
        r#"{"number":-7,"text":"","list":[]}"#,
        r#"{"number":7,"text":"","list":[]} {"number":8,"text":"","list":[]}"#,
        r#"{"number":7,"number":7,"text":"","list":[]}"#,
        r#"{"number":7,"text":"","list":[],"unknown":1}"#,
        r#"{"number":null,"text":"","list":[]}"#,
        r#"{"number":7,"text":null,"list":[]}"#,
        r#"{"number":7,"text":"","list":[],"unit":"Kelvin"}"#,
    ] {
        assert!(!accepts(|| toolset![show], text).await, "{text:?}");
    }
}

#[tokio::test]
async fn may_have_escapes_in_their_names_and_texts() {
    let text = r#" { "n\u0075mber" : 7 , "text" : "\u0061\n\"" , "list" : [ ] } "#;
    let shown = call_text(|| toolset![show], text, &ToolContext::new()).await;
    assert_eq!(shown, r#"7 "a\n\"" None [] None None"#);
}
