//! What a tool puts out piece by piece.

use helve_runtime::ToolOutput;
use helve_runtime::transcript::{ContentBlock, Resource};
use serde_json::Value;

use super::vectors::{Tally, load_topic};

const DIFFERENCES: &[(&str, &str)] = &[];

#[test]
fn pieces_follow_one_another() {
    let Some(cases) = load_topic("tool_response_merge") else {
        return;
    };
    let mut tally = Tally::new("tool_response_merge");
    for case in &cases {
        let output = |value: &Value| ToolOutput::blocks(blocks(&value["content"]));
        let merged = output(&case.input["before"]).append(output(&case.input["chunk"]));
        tally.compare(case, &merged.content(), &blocks(&case.expected["content"]));
    }
    tally.finish(DIFFERENCES);
}

/// Data that has an id to go on with is what MCP calls a resource.
fn blocks(content: &Value) -> Vec<ContentBlock> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let block = |block: &Value| match block["type"].as_str() {
        Some("text") => ContentBlock::text(text(&block["text"])),
        Some("data") => ContentBlock::Resource {
            resource: Resource {
                uri: text(&block["id"]),
                mime_type: Some(text(&block["source"]["media_type"])),
                text: None,
                blob: Some(text(&block["source"]["data"])),
            },
        },
        other => panic!("{other:?}"),
    };
    content.as_array().unwrap().iter().map(block).collect()
}
