//! One chunk of a stream, in which any field may be missing or misplaced.

use serde_json::Value;

use super::extras::DETAILS_FIELD;
use crate::ModelEvent;
use crate::openai::json;

/// A part of a reply: the delta of a chunk, or the message of a complete reply.
#[derive(Clone, Copy)]
pub(super) struct Chunk<'a> {
    pub(super) root: &'a Value,
    choice: Option<&'a Value>,
}

impl<'a> Chunk<'a> {
    /// Returns the only choice, because requests ask for one.
    pub(super) fn new(root: &'a Value) -> Self {
        let first = |choice: &&Value| json::count(choice, &["index"]).unwrap_or(0) == 0;
        Self {
            root,
            choice: json::list(root, "choices").iter().find(first),
        }
    }

    pub(super) fn delta(self) -> Option<&'a Value> {
        self.object("delta")
    }

    pub(super) fn message(self) -> Option<&'a Value> {
        self.object("message")
    }

    pub(super) fn finish_reason(self) -> Option<&'a str> {
        json::text(self.choice?, "finish_reason")
    }

    /// Returns the usage, which servers put in several places.
    pub(super) fn usage(self) -> Option<&'a Value> {
        let places = [
            self.root.get("usage"),
            self.root.pointer("/x_groq/usage"),
            self.choice.and_then(|choice| choice.get("usage")),
        ];
        places.into_iter().flatten().find(|usage| usage.is_object())
    }

    /// Returns the error of the choice, if there is one.
    pub(super) fn error(self) -> Option<&'a Value> {
        self.object("error")
    }

    fn object(self, key: &str) -> Option<&'a Value> {
        self.choice?.get(key).filter(|value| value.is_object())
    }
}

/// Parses the content of a delta: a text, or a list of parts.
pub(super) fn parse_content(delta: &Value) -> Vec<ModelEvent> {
    match delta.get("content") {
        Some(Value::Array(parts)) => parts.iter().flat_map(parse_part).collect(),
        _ => Vec::from_iter(json::text(delta, "content").map(text_delta)),
    }
}

fn parse_part(part: &Value) -> Vec<ModelEvent> {
    let thinking = |text: &str| ModelEvent::ThinkingDelta {
        text: text.to_owned(),
    };
    match part.get("thinking") {
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| json::text(part, "text"));
            texts.map(thinking).collect()
        }
        Some(Value::String(_)) => Vec::from_iter(json::text(part, "thinking").map(thinking)),
        _ => {
            let text = part.as_str().filter(|text| !text.is_empty());
            let text = text.or_else(|| json::text(part, "text"));
            Vec::from_iter(text.map(text_delta))
        }
    }
}

pub(super) fn text_delta(text: &str) -> ModelEvent {
    let text = text.to_owned();
    ModelEvent::TextDelta { text }
}

/// Parses the thinking of a delta. Some servers send the same text in two fields.
pub(super) fn parse_thinking(delta: &Value) -> Option<String> {
    let text = ["reasoning_content", "reasoning", "reasoning_text"]
        .iter()
        .find_map(|key| json::text(delta, key));
    let details = || {
        let details = json::list(delta, DETAILS_FIELD).iter();
        let texts = details.filter_map(|detail| {
            json::text(detail, "text").or_else(|| json::text(detail, "summary"))
        });
        Some(texts.collect::<String>()).filter(|text| !text.is_empty())
    };
    text.map(str::to_owned).or_else(details)
}
