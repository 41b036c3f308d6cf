//! One block of a reply while it streams.

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
        /// The arguments that came with the beginning.
        initial_arguments: String,
        /// Whether any came later.
        has_delta: bool,
    },
    /// A block that only the provider understands.
    Item {
        /// As it came; what grew is changed in a copy, on first need.
        text: String,
        merged: Option<Map<String, Value>>,
        /// The text of its `input` so far.
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
    /// Takes the beginning of a block, or the whole of it.
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

    /// Takes more of it. What is unknown is left out of a block that we know, and kept in one that we do not.
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
            // Citations repeat what the results of the searches hold, and those are kept.
            _ => {}
        }
        Ok(())
    }

    /// Returns a call for which no arguments came: it has none, or the reply was cut before them.
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

/// Texts and lists go on, everything else is replaced: so have all the blocks grown that there are.
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
    // Where it was cut off, the empty one of the beginning stays, and nothing is made up.
    if let Ok(input) = serde_json::from_str::<Value>(input) {
        item.insert("input".to_owned(), input);
    }
    Ok(Value::Object(item).to_string().into())
}
