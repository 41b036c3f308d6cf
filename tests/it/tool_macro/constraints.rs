//! What the schema promises of a parameter beyond its type.

use super::*;

/// Takes what it is given.
#[tool]
fn strict(
    /// A number.
    #[arg(default = 1, min = -2, max = 3)]
    number: i32,
    /// A fraction.
    #[arg(default = 0.5, min = 0.5)]
    fraction: f64,
    /// A text.
    #[arg(default = "ab", min_len = 2, max_len = 3)]
    text: &str,
    /// A list.
    #[arg(default = vec![1], min_len = 1, max_len = 2)]
    list: &[u8],
    /// A name.
    #[arg(default = "a1", pattern = "^[a-z]+[0-9]$")]
    name: String,
    /// A part.
    #[arg(pattern = "x")]
    part: Option<&str>,
) -> String {
    format!("{number}{fraction}{text}{list:?}{name}{part:?}")
}

#[tokio::test]
async fn hold_at_their_edges() {
    for (call, fits) in [
        (json!({ "number": -2 }), true),
        (json!({ "number": -3 }), false),
        (json!({ "number": 3 }), true),
        (json!({ "number": 4 }), false),
        (json!({ "fraction": 0.5 }), true),
        (json!({ "fraction": 0.499 }), false),
        (json!({ "text": "é…" }), true),
        (json!({ "text": "é" }), false),
        (json!({ "text": "abc" }), true),
        (json!({ "text": "abcd" }), false),
        (json!({ "list": [] }), false),
        (json!({ "list": [1, 2] }), true),
        (json!({ "list": [1, 2, 3] }), false),
        (json!({ "name": "abc7" }), true),
        (json!({ "name": "abc77" }), false),
        (json!({ "part": "axb" }), true),
        (json!({ "part": "ab" }), false),
        (json!({ "part": null }), true),
    ] {
        let taken = accepts(|| toolset![strict], &call.to_string()).await;
        assert_eq!(taken, fits, "{call}");
    }
}

/// An order.
#[helve::data]
#[derive(Debug)]
struct Order {
    /// How many.
    #[arg(min = 1, max = 3, default = 2, example = 3)]
    count: u32,
    /// The article.
    #[arg(pattern = "^[a-z]+$", min_len = 2, default = "ab", example = "cd")]
    article: String,
    /// Notes.
    #[arg(max_len = 1, default)]
    notes: BTreeMap<String, String>,
    /// A discount.
    #[arg(min = 0.5, name = "less")]
    discount: Option<f64>,
}

/// A box of things.
#[helve::data]
#[derive(Debug)]
enum Parcel<T: Default> {
    /// With a number of them.
    Counted {
        #[arg(default = T::default())]
        thing: T,
        #[arg(description = "How heavy it is.", max = 10)]
        weight: u8,
    },
    /// Empty.
    Empty,
}

/// Orders.
#[tool]
fn order(
    /// The order.
    order: Order,
    /// Its parcel.
    parcel: Option<Parcel<String>>,
) -> String {
    format!("{order:?} {parcel:?}")
}

#[tokio::test]
async fn hold_for_fields_too() {
    for (call, fits) in [
        (json!({ "order": {} }), true),
        (json!({ "order": { "count": 3 } }), true),
        (json!({ "order": { "count": 4 } }), false),
        (json!({ "order": { "article": "abc" } }), true),
        (json!({ "order": { "article": "a" } }), false),
        (json!({ "order": { "article": "a1" } }), false),
        (json!({ "order": { "notes": { "a": "b" } } }), true),
        (
            json!({ "order": { "notes": { "a": "b", "c": "d" } } }),
            false,
        ),
        (json!({ "order": { "less": 0.5 } }), true),
        (json!({ "order": { "less": 0.4 } }), false),
        (
            json!({ "order": {}, "parcel": { "Counted": { "weight": 10 } } }),
            true,
        ),
        (
            json!({ "order": {}, "parcel": { "Counted": { "weight": 11 } } }),
            false,
        ),
    ] {
        let taken = accepts(|| toolset![order], &call.to_string()).await;
        assert_eq!(taken, fits, "{call}");
    }
    let tools = toolset![order].tools();
    let fields = &tools[0].spec().input_schema.value()["properties"]["order"]["properties"];
    assert_snapshot!(serde_json::to_string_pretty(fields).unwrap(), @r#"
    {
      "count": {
        "type": "integer",
        "description": "How many.",
        "default": 2,
        "examples": [
          3
        ],
        "minimum": 1,
        "maximum": 3
      },
      "article": {
        "type": "string",
        "description": "The article.",
        "default": "ab",
        "examples": [
          "cd"
        ],
        "minLength": 2,
        "pattern": "^[a-z]+$"
      },
      "notes": {
        "type": "object",
        "description": "Notes.",
        "default": {},
        "additionalProperties": {
          "type": "string"
        },
        "maxProperties": 1
      },
      "less": {
        "type": "number",
        "description": "A discount.",
        "minimum": 0.5
      }
    }
    "#);
}
