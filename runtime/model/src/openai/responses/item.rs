//! The parts of output items: text, and fields that only the provider interprets.

use serde_json::{Map, Value};

use crate::openai::json;

/// The fields of a call that are stored with the call, or are irrelevant later.
const RECORDED_FIELDS: &[&str] = &["type", "id", "call_id", "name", "arguments", "status"];

/// Returns the fields of a call that only the provider interprets, such as the namespace of a tool.
pub(super) fn extras(call: &Map<String, Value>) -> Map<String, Value> {
    let unknown = |(key, value): &(&String, &Value)| {
        !RECORDED_FIELDS.contains(&key.as_str()) && !value.is_null()
    };
    let fields = call.iter().filter(unknown);
    fields
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

pub(super) fn message_text(message: &Value) -> String {
    let parts = json::list(message, "content").iter();
    parts.filter_map(part_text).collect()
}

/// Returns the text of a part of a message: its content, or a refusal.
pub(super) fn part_text(part: &Value) -> Option<&str> {
    json::text(part, "text").or_else(|| json::text(part, "refusal"))
}

pub(super) fn is_refusal(message: &Value) -> bool {
    json::list(message, "content")
        .iter()
        .any(|part| json::text(part, "type") == Some("refusal"))
}

/// Returns the displayable parts of reasoning: its summary, or else the reasoning itself.
pub(super) fn reasoning_texts(reasoning: &Value) -> Vec<&str> {
    let texts = |key| {
        let parts = json::list(reasoning, key).iter();
        parts
            .filter_map(|part| json::text(part, "text"))
            .collect::<Vec<_>>()
    };
    let summary = texts("summary");
    match summary.is_empty() {
        true => texts("content"),
        false => summary,
    }
}
