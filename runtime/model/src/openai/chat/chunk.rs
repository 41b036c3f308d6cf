//! One chunk of a stream, which may lack or misplace anything.

use std::borrow::Cow;

use serde_json::Value;

use super::extras::DETAILS_FIELD;
use crate::openai::json;

/// A piece of a reply: the delta of a chunk, or the message of a whole reply.
#[derive(Clone, Copy)]
pub(super) struct Chunk<'a> {
    pub(super) root: &'a Value,
    choice: Option<&'a Value>,
}

/// A piece of the content.
pub(super) enum ContentDelta<'a> {
    Text(&'a str),
    Thinking(&'a str),
}

impl<'a> Chunk<'a> {
    /// Finds the one choice that is asked for.
    pub(super) fn new(root: &'a Value) -> Self {
        let first = |choice: &&Value| json::count(choice, &["index"]).unwrap_or(0) == 0;
        Self {
            root,
            choice: json::list(root, "choices").iter().find(first),
        }
    }

    /// Returns what the choice adds.
    pub(super) fn delta(self) -> Option<&'a Value> {
        let object = |key| self.choice?.get(key).filter(|value| value.is_object());
        object("delta")
    }

    /// Returns the message that the choice is.
    pub(super) fn message(self) -> Option<&'a Value> {
        self.choice?
            .get("message")
            .filter(|value| value.is_object())
    }

    /// Returns why the choice is over.
    pub(super) fn finish_reason(self) -> Option<&'a str> {
        json::text(self.choice?, "finish_reason")
    }

    /// Returns the usage, wherever it stands.
    pub(super) fn usage(self) -> Option<&'a Value> {
        let places = [
            self.root.get("usage"),
            self.root.pointer("/x_groq/usage"),
            self.choice.and_then(|choice| choice.get("usage")),
        ];
        places.into_iter().flatten().find(|usage| usage.is_object())
    }

    /// Returns the error that a choice may have of its own.
    pub(super) fn error(self) -> Option<&'a Value> {
        self.choice?.get("error").filter(|error| error.is_object())
    }
}

/// Reads the content of a delta: a text, or a list of parts.
pub(super) fn parse_content(delta: &Value) -> Vec<ContentDelta<'_>> {
    match delta.get("content") {
        Some(Value::String(text)) => vec![ContentDelta::Text(text)],
        Some(Value::Array(parts)) => parts.iter().flat_map(parse_part).collect(),
        _ => Vec::new(),
    }
}

fn parse_part(part: &Value) -> Vec<ContentDelta<'_>> {
    if let Some(text) = part.as_str() {
        return vec![ContentDelta::Text(text)];
    }
    match part.get("thinking") {
        Some(Value::String(text)) => vec![ContentDelta::Thinking(text)],
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| json::text(part, "text"));
            texts.map(ContentDelta::Thinking).collect()
        }
        _ => {
            let text = json::text(part, "text");
            text.map(ContentDelta::Text).into_iter().collect()
        }
    }
}

/// Reads the thinking of a delta. Some servers send the same under two names.
pub(super) fn parse_thinking(delta: &Value) -> Option<Cow<'_, str>> {
    let text = ["reasoning_content", "reasoning", "reasoning_text"]
        .iter()
        .find_map(|key| json::text(delta, key));
    text.map(Cow::Borrowed).or_else(|| {
        let details = json::list(delta, DETAILS_FIELD).iter();
        let texts = details.filter_map(|detail| {
            json::text(detail, "text").or_else(|| json::text(detail, "summary"))
        });
        Some(texts.collect::<String>())
            .filter(|text| !text.is_empty())
            .map(Cow::Owned)
    })
}
