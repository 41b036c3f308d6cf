//! A reply of the model on its way back to it.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::input::{Content, Input, Item};
use super::{ResponsesDialect, item};
use crate::model::api::OPENAI_RESPONSES;
use crate::model::openai::json;
use crate::transcript::{AssistantMessage, Part, ToolCall};

/// Writes the items of a reply, in the order in which they came.
pub(super) fn reply<'a>(
    message: &'a AssistantMessage,
    dialect: &ResponsesDialect,
    provider: &str,
) -> Vec<Input<'a>> {
    let at_home = message.is_from(OPENAI_RESPONSES, provider);
    let mut written = Written::default();
    for part in &message.content {
        match part {
            Part::Text { text } => written.text(text),
            Part::Thinking { signature, .. } => {
                let proof = signature.as_deref().filter(|_| at_home);
                if let Some(item) = proof.and_then(parse) {
                    written.item(item, dialect);
                }
            }
            Part::ProviderItem { api, item } if at_home && api == OPENAI_RESPONSES => {
                if let Some(item) = parse(item) {
                    written.item(item, dialect);
                }
            }
            Part::ProviderItem { .. } => {}
            Part::ToolCall(call) => {
                let extras = extras(call, at_home);
                written.push(Input::call(call, extras, dialect), false);
            }
        }
    }
    written.without_idle_reasoning()
}

/// An item that came from the provider.
struct Came<'a> {
    raw: &'a RawValue,
    value: Value,
}

fn parse(text: &str) -> Option<Came<'_>> {
    let raw: &RawValue = serde_json::from_str(text).ok()?;
    let value: Value = serde_json::from_str(text).ok()?;
    value.is_object().then_some(Came { raw, value })
}

/// Returns the fields of a call that only the provider understands.
fn extras(call: &ToolCall, at_home: bool) -> Map<String, Value> {
    let proof = call.signature.as_deref().filter(|_| at_home);
    let fields = proof.and_then(|proof| serde_json::from_str(proof).ok());
    match fields {
        Some(Value::Object(fields)) => item::extras(&fields),
        _ => Map::new(),
    }
}

/// The items that were written, and which of them are reasoning.
#[derive(Default)]
struct Written<'a> {
    items: Vec<(Input<'a>, bool)>,
}

impl<'a> Written<'a> {
    fn push(&mut self, input: Input<'a>, is_reasoning: bool) {
        self.items.push((input, is_reasoning));
    }

    fn text(&mut self, text: &'a str) {
        if !text.is_empty() {
            let content = Content::Text(text.into());
            self.push(Input::message("assistant", content), false);
        }
    }

    fn item(&mut self, came: Came<'a>, dialect: &ResponsesDialect) {
        match json::text(&came.value, "type") {
            Some("message") => self.message(came.value),
            Some("reasoning") => {
                let goes_back = match json::text(&came.value, "encrypted_content") {
                    Some(_) => dialect.encrypted_reasoning,
                    None => dialect.plain_reasoning,
                };
                if goes_back {
                    self.push(came.back(dialect), true);
                }
            }
            Some(_) => self.push(came.back(dialect), false),
            None => {}
        }
    }

    /// Puts a message in the place of the text before it, which is its own: it says more of it, such as its phase.
    fn message(&mut self, mut message: Value) {
        let own = item::message_text(&message);
        let Some((Input::Written(Item::Message { content, .. }), _)) = self.items.last_mut() else {
            return;
        };
        let Content::Text(text) = content else {
            return;
        };
        // A text that was edited is truer than the item.
        let Some(before) = text.strip_suffix(&*own) else {
            return;
        };
        match before {
            "" => drop(self.items.pop()),
            before => *text = before.to_owned().into(),
        }
        without_id(&mut message);
        self.push(Input::Mended(message), false);
    }

    /// Reasoning at the end led to nothing that is known: the provider refuses it.
    fn without_idle_reasoning(mut self) -> Vec<Input<'a>> {
        while self
            .items
            .pop_if(|(_, is_reasoning)| *is_reasoning)
            .is_some()
        {}
        self.items.into_iter().map(|(input, _)| input).collect()
    }
}

impl<'a> Came<'a> {
    fn back(mut self, dialect: &ResponsesDialect) -> Input<'a> {
        if dialect.item_ids {
            return Input::AsItCame(self.raw);
        }
        without_id(&mut self.value);
        Input::Mended(self.value)
    }
}

fn without_id(item: &mut Value) {
    if let Some(fields) = item.as_object_mut() {
        // The order of what stays is kept.
        fields.shift_remove("id");
    }
}
