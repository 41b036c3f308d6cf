//! `#[helve::data]` on what nests.

use std::collections::BTreeMap;

use helve::prelude::*;

#[helve::data]
#[derive(Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Order {
    /// What is bought.
    order_lines: Vec<Line>,
    delivery: Option<Delivery>,
    #[serde(default)]
    notes: BTreeMap<String, Note>,
    #[schemars(range(min = 1))]
    #[serde(rename = "n")]
    number: u32,
}

#[data]
#[derive(Debug, Clone, PartialEq)]
struct Line {
    article: Article,
    count: u16,
}

#[data]
#[derive(Debug, Clone, PartialEq)]
struct Article(String);

#[data]
#[derive(Debug, Clone, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Delivery {
    /// To a door.
    ToDoor {
        street: String,
    },
    PickUp,
}

#[data]
#[derive(Debug, Clone, PartialEq)]
#[serde(untagged)]
enum Note {
    Text(String),
    Many(Vec<Note>),
}

#[data]
#[derive(Debug, Clone, PartialEq)]
struct Page<T> {
    items: Vec<T>,
    next: Option<u32>,
}

#[data]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Nothing;

#[data(crate = helve)]
#[schemars(title = "A point")]
struct Point {
    x: f64,
    y: f64,
}

/// Orders.
#[tool]
async fn order(
    /// What.
    order: Order,
    /// Pages.
    page: Page<Line>,
    /// Points.
    points: &[Point],
    /// Nothing.
    nothing: Nothing,
) -> Page<Order> {
    let _ = (page, points.iter().map(|point| point.x + point.y), nothing);
    Page {
        items: vec![order],
        next: None,
    }
}

#[test]
fn data_that_nests_compiles() {
    let own = crate::tools_of(file!());
    assert_eq!(own.len(), 1);
}

/// What a web service sends, with more in it.
#[data(allow_unknown)]
struct Response {
    status: u16,
}

/// A type that has every key that it is given.
#[data]
struct Tagged {
    name: String,
    #[serde(flatten)]
    tags: BTreeMap<String, u8>,
}

#[test]
fn unknown_keys_are_refused_unless_a_type_allows_them() {
    let line = serde_json::from_str::<Line>(r#"{"article": "a", "count": 1, "cuont": 2}"#);
    assert_eq!(
        line.expect_err("a mistake").to_string(),
        "unknown field `cuont`, expected `article` or `count` at line 1 column 36"
    );
    let delivery = r#"{"kind": "to_door", "street": "s", "stret": "t"}"#;
    assert!(serde_json::from_str::<Delivery>(delivery).is_err());
    let response = serde_json::from_str::<Response>(r#"{"status": 200, "more": true}"#);
    assert_eq!(response.expect("it is allowed").status, 200);
    let tagged = serde_json::from_str::<Tagged>(r#"{"name": "n", "old": 1}"#);
    let Tagged { name, tags } = tagged.expect("it is flattened");
    assert_eq!((&*name, tags["old"]), ("n", 1));
}
