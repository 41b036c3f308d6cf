//! What a client gets of a call that has ended.

use rmcp::model::{CallToolResult, ContentBlock as RmcpBlock};
use serde_json::Value;

use crate::results::{ProcessedResult, ResultInput, ResultPipeline};
use crate::serve::client::block_to_rmcp;
use crate::tool::{ToolResult, ToolSpec};
use crate::transcript::{CallAddress, ContentBlock, SessionId, ToolCall};
use crate::untrusted;

/// Reads a result as a model's is read: freed of escapes and secrets, cut, and enclosed where it is untrusted.
pub(super) async fn read(
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

/// Writes what was read in the protocol's words.
pub(super) fn of_processed(processed: &ProcessedResult, spec: &ToolSpec) -> CallToolResult {
    let blocks = processed.outcome.content.iter().cloned();
    let blocks: Vec<RmcpBlock> = blocks.map(block_to_rmcp).collect();
    if processed.outcome.is_error {
        return CallToolResult::error(blocks);
    }
    let mut result = CallToolResult::success(blocks);
    result.structured_content = structured(processed, spec);
    result
}

/// Returns the structured content, as far as a client may have it.
///
/// Nothing in it can be enclosed, and clients tend to show it in place of the text. So of an untrusted tool only what its
/// schema promises is handed on, defused; and what was cut out of the text does not come back this way.
fn structured(processed: &ProcessedResult, spec: &ToolSpec) -> Option<Value> {
    let json = processed.structured_content()?;
    let is_promised = spec.output_schema.is_some();
    let is_cut = || {
        let shown = processed
            .outcome
            .content
            .first()
            .and_then(ContentBlock::as_text);
        spec.untrusted_output || shown.is_none_or(|shown| shown.len() < json.len())
    };
    if !is_promised && is_cut() {
        return None;
    }
    let mut value = serde_json::from_str(json).ok()?;
    if spec.untrusted_output {
        defuse(&mut value);
    }
    Some(value)
}

/// Takes out of every text of a value what a model could take for something else than text.
fn defuse(value: &mut Value) {
    match value {
        Value::String(text) => *text = untrusted::defuse(text).into_owned(),
        Value::Array(values) => values.iter_mut().for_each(defuse),
        Value::Object(values) => values.values_mut().for_each(defuse),
        _ => {}
    }
}

/// Answers a call of which it was only said what it would do.
pub(super) fn dry_run(text: String) -> CallToolResult {
    CallToolResult::success(vec![RmcpBlock::text(text)])
}

/// Answers a call that did not run.
pub(super) fn not_run(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![RmcpBlock::text(text)])
}
