//! The state of one content block while a reply is streamed.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::event::parse;
use crate::api::ANTHROPIC_MESSAGES;
use crate::{ModelError, ModelEvent};
use helve_core::transcript::{CallId, RawJson};

#[derive(Debug)]
pub(super) enum BlockState {
    Text,
    Thinking {
        signature: String,
    },
    Call {
        id: CallId,
        /// The arguments in the start event.
        initial_arguments: String,
        /// Whether deltas with arguments were received.
        has_delta: bool,
    },
    /// A block of a type that only the provider interprets.
    Item {
        /// The JSON text as received; deltas are applied to a copy, which is created on first need.
        text: String,
        merged: Option<Map<String, Value>>,
        /// The text of the item's `input` so far.
        input: String,
    },
}

#[derive(Deserialize)]
struct ContentBlockStart<'a> {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

impl BlockState {
    /// Decodes the start of a block, or a complete block.
    pub(super) fn start(raw: &RawValue, out: &mut Vec<ModelEvent>) -> Result<Self, ModelError> {
        let start: ContentBlockStart<'_> = parse("a block", raw.get())?;
        Ok(match start.kind.as_str() {
            "text" => {
                out.extend(text_event(start.text.unwrap_or_default()));
                Self::Text
            }
            "thinking" => {
                out.extend(thinking_event(start.thinking.unwrap_or_default()));
                Self::Thinking {
                    signature: start.signature.unwrap_or_default(),
                }
            }
            "tool_use" => {
                let (Some(id), Some(name)) = (start.id, start.name) else {
                    let what = "a call came without an id or a name";
                    return Err(ModelError::malformed(what));
                };
                let id = CallId::from(id);
                out.push(ModelEvent::call(&id, name));
                Self::Call {
                    id,
                    initial_arguments: start.input.map_or("", RawValue::get).to_owned(),
                    has_delta: false,
                }
            }
            _ => Self::Item {
                text: raw.get().to_owned(),
                merged: None,
                input: String::new(),
            },
        })
    }

    /// Applies a delta. Unknown deltas are ignored in a block of a known type, and stored in a block of an unknown
    /// type.
    pub(super) fn apply_delta(
        &mut self,
        mut delta: Map<String, Value>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let kind = delta.remove("type");
        let kind = kind.as_ref().and_then(Value::as_str).unwrap_or_default();
        let mut word = |key: &str| match delta.get_mut(key).map(Value::take) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        match (self, kind) {
            (Self::Text, "text_delta") => out.extend(text_event(word("text"))),
            (Self::Thinking { .. }, "thinking_delta") => {
                out.extend(thinking_event(word("thinking")))
            }
            (Self::Thinking { signature }, "signature_delta") => {
                signature.push_str(&word("signature"));
            }
            (Self::Call { id, has_delta, .. }, "input_json_delta") => {
                let arguments = word("partial_json");
                if !arguments.is_empty() {
                    *has_delta = true;
                    out.push(ModelEvent::arguments(id, arguments));
                }
            }
            (Self::Item { input, .. }, "input_json_delta") => {
                input.push_str(&word("partial_json"));
            }
            (Self::Item { text, merged, .. }, _) => merge_item_delta(text, merged, delta)?,
            // Citations repeat the contents of search results, which are stored.
            _ => {}
        }
        Ok(())
    }

    /// Ends the block. Returns the id of a call without arguments: the call has none, or the reply was truncated
    /// before them.
    pub(super) fn finish(self, out: &mut Vec<ModelEvent>) -> Result<Option<CallId>, ModelError> {
        match self {
            Self::Text => {}
            Self::Thinking { signature } => {
                if !signature.is_empty() {
                    out.push(ModelEvent::ThinkingSignature { signature });
                }
            }
            Self::Call { has_delta, .. } if has_delta => {}
            Self::Call {
                id,
                initial_arguments,
                ..
            } => {
                if is_empty_arguments(&initial_arguments) {
                    return Ok(Some(id));
                }
                out.push(ModelEvent::arguments(&id, initial_arguments));
            }
            Self::Item {
                text,
                merged,
                input,
            } => {
                let item = build_item(text, merged, &input)?;
                let api = ANTHROPIC_MESSAGES.to_owned();
                out.push(ModelEvent::ProviderItem { api, item });
            }
        }
        Ok(None)
    }
}

fn is_empty_arguments(given: &str) -> bool {
    let given = given.trim();
    given.is_empty()
        || given == "null"
        || serde_json::from_str(given).is_ok_and(|map: Map<_, _>| map.is_empty())
}

fn text_event(text: String) -> Option<ModelEvent> {
    (!text.is_empty()).then_some(ModelEvent::TextDelta { text })
}

fn thinking_event(text: String) -> Option<ModelEvent> {
    (!text.is_empty()).then_some(ModelEvent::ThinkingDelta { text })
}

/// Appends texts and lists, and replaces all other values, which is how the deltas of all known blocks work.
fn merge_item_delta(
    text: &str,
    grown: &mut Option<Map<String, Value>>,
    delta: Map<String, Value>,
) -> Result<(), ModelError> {
    let grown = match grown {
        Some(grown) => grown,
        None => grown.insert(parse("a block", text)?),
    };
    for (key, value) in delta {
        match (grown.entry(key).or_insert(Value::Null), value) {
            (Value::String(known), Value::String(more)) => known.push_str(&more),
            (Value::Array(known), Value::Array(more)) => known.extend(more),
            (known, value) => *known = value,
        }
    }
    Ok(())
}

fn build_item(
    text: String,
    grown: Option<Map<String, Value>>,
    input: &str,
) -> Result<RawJson, ModelError> {
    if grown.is_none() && input.is_empty() {
        return Ok(text.into());
    }
    let mut item = match grown {
        Some(item) => item,
        None => parse("a block", &text)?,
    };
    // If the input was truncated, the empty input of the start event is kept; no value is invented.
    if let Ok(input) = serde_json::from_str::<Value>(input) {
        item.insert("input".to_owned(), input);
    }
    Ok(Value::Object(item).to_string().into())
}
