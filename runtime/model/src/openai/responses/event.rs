//! One event of the stream, and the items in it, as received.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::ModelError;
use crate::http::SseEvent;
use crate::openai::{error, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// The reply has started, and has an id.
    Created,
    ItemAdded,
    ItemDone,
    Text,
    TextDone,
    Refusal,
    RefusalDone,
    /// A delta of the reasoning's summary.
    Summary,
    /// A delta of the reasoning itself.
    Reasoning,
    Arguments,
    ArgumentsDone,
    /// The reply has ended, successfully or not.
    Completed,
    Error,
    Unknown,
}

pub(super) struct ResponsesEvent<'a> {
    pub(super) kind: EventKind,
    pub(super) value: Value,
    text: &'a str,
}

impl<'a> ResponsesEvent<'a> {
    pub(super) fn parse(event: &'a SseEvent) -> Result<Self, ModelError> {
        let value = error::parse(&event.data)?;
        let name = json::text(&value, "type").or(event.name.as_deref());
        let kind = name.map_or(EventKind::Unknown, EventKind::from_name);
        let text = &event.data;
        Ok(Self { kind, value, text })
    }

    /// Returns the event's item, unchanged.
    pub(super) fn item(&self) -> Option<&'a str> {
        raw_field(self.text, "item")
    }

    /// Returns the items of the event's reply, unchanged.
    pub(super) fn output(&self) -> Vec<&'a str> {
        raw_field(self.text, "response").map_or_else(Vec::new, output)
    }
}

/// Returns the items of a complete reply, unchanged.
pub(super) fn output(response: &str) -> Vec<&str> {
    let items = raw_field(response, "output");
    let items: Option<Vec<&RawValue>> = items.and_then(|items| serde_json::from_str(items).ok());
    let items = items.unwrap_or_default().into_iter();
    items.map(RawValue::get).collect()
}

fn raw_field<'a>(object: &'a str, key: &str) -> Option<&'a str> {
    let mut fields: BTreeMap<String, &'a RawValue> = serde_json::from_str(object).ok()?;
    let field = fields.remove(key).map(RawValue::get);
    field.filter(|field| *field != "null")
}

impl EventKind {
    fn from_name(name: &str) -> Self {
        match name {
            "response.created" | "response.in_progress" | "response.queued" => Self::Created,
            "response.output_item.added" => Self::ItemAdded,
            "response.output_item.done" => Self::ItemDone,
            "response.output_text.delta" => Self::Text,
            "response.output_text.done" => Self::TextDone,
            "response.refusal.delta" => Self::Refusal,
            "response.refusal.done" => Self::RefusalDone,
            "response.reasoning_summary_text.delta" => Self::Summary,
            "response.reasoning_text.delta" => Self::Reasoning,
            "response.function_call_arguments.delta" => Self::Arguments,
            "response.function_call_arguments.done" => Self::ArgumentsDone,
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled"
            | "response.done" => Self::Completed,
            "error" => Self::Error,
            _ => Self::Unknown,
        }
    }
}
