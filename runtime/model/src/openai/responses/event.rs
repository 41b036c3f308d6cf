//! One event of the stream, and the items in it as they came.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::ModelError;
use crate::http::SseEvent;
use crate::openai::{error, json};

/// What the events that we read are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// The reply is known by a name.
    Created,
    ItemAdded,
    ItemDone,
    Text,
    TextDone,
    Refusal,
    RefusalDone,
    /// More of a summary of the reasoning.
    Summary,
    /// More of the reasoning itself.
    Reasoning,
    Arguments,
    ArgumentsDone,
    /// The reply is over, well or not.
    Completed,
    Error,
    Unknown,
}

/// An event.
pub(super) struct ResponsesEvent<'a> {
    pub(super) kind: EventKind,
    pub(super) value: Value,
    text: &'a str,
}

#[derive(Deserialize)]
struct ItemEnvelope<'a> {
    #[serde(borrow)]
    item: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ResponseEnvelope<'a> {
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ResponseOutput<'a> {
    #[serde(borrow, default)]
    output: Vec<&'a RawValue>,
}

impl<'a> ResponsesEvent<'a> {
    pub(super) fn parse(event: &'a SseEvent) -> Result<Self, ModelError> {
        let value = error::parse(&event.data)?;
        let name = json::text(&value, "type").or(event.name.as_deref());
        let kind = name.map_or(EventKind::Unknown, EventKind::from_name);
        let text = &event.data;
        Ok(Self { kind, value, text })
    }

    /// Returns the event's item as it came.
    pub(super) fn item(&self) -> Option<&'a str> {
        let event: ItemEnvelope<'a> = serde_json::from_str(self.text).ok()?;
        event.item.map(RawValue::get)
    }

    /// Returns the items of the event's reply as they came.
    pub(super) fn output(&self) -> Vec<&'a str> {
        let event: Option<ResponseEnvelope<'a>> = serde_json::from_str(self.text).ok();
        let response = event.and_then(|event| event.response);
        response.map_or_else(Vec::new, |response| output(response.get()))
    }
}

/// Returns the items of a whole reply as they came.
pub(super) fn output(response: &str) -> Vec<&str> {
    let response: Option<ResponseOutput<'_>> = serde_json::from_str(response).ok();
    let items = response.map(|response| response.output).unwrap_or_default();
    items.into_iter().map(RawValue::get).collect()
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
