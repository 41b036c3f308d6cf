//! `tool_search`: finds tools by words.

use futures_util::future::FutureExt as _;
use serde_json::{Value, json};

use super::tool::{EXPAND_TOOLS, MetaTool, RESET_TOOLS, TOOL_SEARCH};
use crate::exposure::view::{ExposureView, Visibility, group_of};
use helve_core::tool::{ToolOutput, ToolResult, ToolSpec};

const DESCRIPTION: &str = "Finds tools that you may call, among many more than you see, by words about what is to be done. \
    It says of each how you get to call it.";

/// The default and the maximum number of tools in the result.
const DEFAULT_LIMIT: u64 = 8;
const MAX_LIMIT: u64 = 25;

pub(super) fn tool(view: &ExposureView) -> Option<MetaTool> {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "minLength": 1, "description": "The task, in a few words." },
            "limit": { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT, "description": "The maximum number of tools." },
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    let view = view.clone();
    MetaTool::new(TOOL_SEARCH, DESCRIPTION, schema, move |arguments| {
        search(view.clone(), arguments).boxed()
    })
}

async fn search(view: ExposureView, arguments: Value) -> ToolResult {
    let index = view.exposure.index_cache.get(&view.toolset).await;
    let limit = arguments["limit"].as_u64().unwrap_or(DEFAULT_LIMIT);
    let query = arguments["query"].as_str().unwrap_or_default();
    let most = usize::try_from(limit.min(MAX_LIMIT)).unwrap_or(usize::MAX);
    let found = index.map_or_else(Vec::new, |index| index.search(query, most));
    let tools = found.iter();
    let tools = tools.filter_map(|found| view.toolset.get(&found.name));
    let tools: Vec<Value> = tools.map(|tool| tool_json(&view, tool.spec())).collect();
    ToolOutput::json(&json!({ "tools": tools }))
}

/// Describes a tool, and how the model can call it.
fn tool_json(view: &ExposureView, spec: &ToolSpec) -> Value {
    let state = match view.visibility(spec) {
        Visibility::Visible => "can be called".to_owned(),
        Visibility::Unavailable => "is not available here".to_owned(),
        Visibility::Hidden | Visibility::Missing => {
            format!("call `{EXPAND_TOOLS}` with its name first")
        }
        Visibility::GroupOff(group) => {
            format!("its group is off: call `{RESET_TOOLS}` with `{group}` set to true first")
        }
    };
    let rendered = spec.input_schema.text();
    let mut entry = json!({
        "name": &*spec.name,
        "description": &*spec.description,
        "state": state,
        // The schema was rendered from JSON.
        "input_schema": serde_json::from_str::<Value>(rendered).unwrap_or_default(),
    });
    if let Some(group) = group_of(spec) {
        entry["group"] = json!(&**group);
    }
    entry
}
