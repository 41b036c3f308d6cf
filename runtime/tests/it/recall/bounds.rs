//! What bad descriptions and bad questions may cost: nothing beyond what is read of them, and nobody else's place.

use std::sync::Arc;

use helve::Tool;
use helve::agent::tool_search::ToolIndex;
use helve::toolset::{DynamicTool, Toolset};
use helve::{ToolOutput, ToolResult};
use serde_json::{Value, json};

fn tool(name: &str, description: &str, schema: Value) -> Arc<dyn Tool> {
    let answer = || async { ToolResult::Ok(ToolOutput::plain(String::new())) };
    Arc::new(DynamicTool::new(name, description, schema, move |_, _| Box::pin(answer())).unwrap())
}

fn index(tools: impl IntoIterator<Item = (&'static str, String)>) -> ToolIndex {
    let schema = json!({ "type": "object", "properties": {} });
    let tools = tools.into_iter();
    let tools = tools.map(|(name, description)| tool(name, &description, schema.clone()));
    ToolIndex::from_toolset(&Toolset::from_tools(tools))
}

fn names(index: &ToolIndex, query: &str, limit: usize) -> Vec<String> {
    let found = index.search(query, limit).into_iter();
    found.map(|found| found.name.to_string()).collect()
}

#[test]
fn what_fits_equally_well_is_in_the_order_of_the_names() {
    let same = ["b", "d", "a", "c"].map(|name| (name, "Waters the tulips.".to_owned()));
    let index = index(same);
    assert_eq!(names(&index, "tulips", 9), ["a", "b", "c", "d"]);
    assert_eq!(names(&index, "tulips", 2), ["a", "b"]);
    assert!(names(&index, "tulips", 0).is_empty());
}

#[test]
fn what_has_nothing_to_do_with_it_is_not_found() {
    let index = index([("water", "Waters the tulips.".to_owned())]);
    for query in ["", "   ", "zzyzx", "?!", "the of and", "\u{1f337}", "12 34"] {
        assert_eq!(names(&index, query, 9), Vec::<String>::new(), "{query:?}");
    }
    assert!(
        ToolIndex::from_toolset(&Toolset::empty())
            .search("tulips", 9)
            .is_empty()
    );
}

#[test]
fn one_word_for_another_finds_a_tool() {
    let index = index([
        ("cancel_subscription", "Ends a subscription.".to_owned()),
        (
            "get_forecast",
            "Returns the weather of the coming days.".to_owned(),
        ),
        (
            "resize_image",
            "Changes the width and height of a picture.".to_owned(),
        ),
        ("send_email", "Sends a message to an address.".to_owned()),
    ]);
    for (query, name) in [
        ("will it rain tomorrow", "get_forecast"),
        ("make this photo smaller", "resize_image"),
        ("write to anna@example.org", "send_email"),
        ("I want to call off my membership", "cancel_subscription"),
    ] {
        assert_eq!(names(&index, query, 1), [name], "{query}");
    }
}

#[test]
fn a_long_description_wins_nothing_and_is_not_read_to_its_end() {
    let filler = "tulips roses weather mail files ".repeat(100_000);
    let index = index([
        ("greedy", filler.clone() + "submarine"),
        ("plain", "Waters the tulips.".to_owned()),
    ]);
    assert_eq!(names(&index, "water the tulips", 1), ["plain"]);
    assert!(
        names(&index, "submarine", 9).is_empty(),
        "it stands behind megabytes"
    );
    let question = format!("water {filler}");
    assert_eq!(names(&index, &question, 9).len(), 2);
}

#[test]
fn words_that_nobody_says_cost_no_more_than_others() {
    let endless = "x".repeat(3_000_000);
    let humps = "aB".repeat(1_000_000);
    let index = index([
        ("endless", endless.clone()),
        ("humps", humps.clone()),
        ("plain", "Waters the tulips.".to_owned()),
    ]);
    assert_eq!(names(&index, &format!("tulips {endless}"), 1), ["plain"]);
    let found = names(&index, &format!("tulips {humps}"), 9);
    assert!(found.contains(&"plain".to_owned()), "{found:?}");
}

#[test]
fn parameters_count_with_their_choices_however_deep_they_go() {
    let deep = (0..12).fold(
        json!({ "type": "string", "description": "submarine" }),
        |inner, _| json!({ "type": "object", "properties": { "inner": inner } }),
    );
    let flat = json!({ "type": "object", "properties": {
        "colour": { "type": "string", "enum": ["crimson", "teal"] },
        "rows": { "type": "array", "items": { "type": "object", "properties": {
            "weight": { "type": "number", "description": "In kilograms." },
        } } },
    } });
    let tools = [
        tool("deep", "Does it.", deep),
        tool("flat", "Does it.", flat),
    ];
    let index = ToolIndex::from_toolset(&Toolset::from_tools(tools));
    assert_eq!(names(&index, "crimson", 9), ["flat"]);
    assert_eq!(names(&index, "kilograms", 9), ["flat"]);
    assert!(
        !names(&index, "submarine", 9).contains(&"deep".to_owned()),
        "too deep"
    );
}
