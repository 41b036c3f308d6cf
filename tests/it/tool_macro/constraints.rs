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
