//! Converts the result of a tool to the result of `tools/call`.

use rmcp::model::{CallToolResult, ContentBlock as RmcpBlock};
use serde_json::Value;

use crate::client::block_to_rmcp;
use helve_core::tool::{ToolResult, ToolSpec};
use helve_core::transcript::{CallAddress, ContentBlock, SessionId, ToolCall};
use helve_results::{ProcessedResult, ResultInput, ResultPipeline};

/// Processes a result as the agent does for a model: removes escapes and secrets, truncates, and encloses untrusted text.
pub(super) async fn process(
    pipeline: &ResultPipeline,
    session: &SessionId,
    address: &CallAddress,
    call: &ToolCall,
    spec: &ToolSpec,
    result: ToolResult,
) -> ProcessedResult {
    let input = ResultInput::new(session, address, call).spec(spec);
    pipeline.process(input, result).await
}

pub(super) fn to_rmcp(processed: &ProcessedResult, spec: &ToolSpec) -> CallToolResult {
    let blocks = processed.outcome.content.iter().cloned();
    let blocks: Vec<RmcpBlock> = blocks.map(block_to_rmcp).collect();
    if processed.outcome.is_error {
        return CallToolResult::error(blocks);
    }
    let mut result = CallToolResult::success(blocks);
    result.structured_content = structured_content(processed, spec);
    result
}

/// Returns the structured content, if the client may have it.
///
/// Structured content cannot be enclosed as untrusted, and clients tend to show it in place of the text. The structured
/// content of an untrusted tool is therefore sent only if the tool has an output schema, and is defused. Content that was
/// truncated in the text is not sent in structured form, unless the tool has an output schema.
fn structured_content(processed: &ProcessedResult, spec: &ToolSpec) -> Option<Value> {
    let json = processed.structured_content()?;
    let has_schema = spec.output_schema.is_some();
    let is_withheld = || {
        let shown = processed.outcome.content.first();
        let shown = shown.and_then(ContentBlock::as_text);
        spec.untrusted_output || shown.is_none_or(|shown| shown.len() < json.len())
    };
    if !has_schema && is_withheld() {
        return None;
    }
    let mut value = serde_json::from_str(json).ok()?;
    if spec.untrusted_output {
        defuse(&mut value);
    }
    Some(value)
}

/// Removes markers that a model could mistake for structure from each text of a value.
fn defuse(value: &mut Value) {
    match value {
        Value::String(text) => *text = helve_untrusted::neutralize(text).into_owned(),
        Value::Array(values) => values.iter_mut().for_each(defuse),
        Value::Object(values) => values.values_mut().for_each(defuse),
        _ => {}
    }
}

pub(super) fn dry_run(text: String) -> CallToolResult {
    CallToolResult::success(vec![RmcpBlock::text(text)])
}

pub(super) fn not_run(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![RmcpBlock::text(text)])
}
