//! Converts an earlier reply of the model to input items.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::input::{InputItem, ResponsesContent, TypedItem};
use super::{ResponsesDialect, item};
use crate::api::OPENAI_RESPONSES;
use crate::openai::json;
use helve_core::transcript::{AssistantMessage, MessagePart, ToolCall};

/// Encodes the items of a reply, in their original order.
pub(super) fn encode_reply<'a>(
    message: &'a AssistantMessage,
    dialect: &ResponsesDialect,
    provider: &str,
) -> Vec<InputItem<'a>> {
    let at_home = message.is_from(OPENAI_RESPONSES, provider);
    let mut written = ReplyItems::default();
    for part in &message.content {
        match part {
            MessagePart::Text { text } => written.push_text(text),
            MessagePart::Thinking { signature, .. } if at_home => {
                written.push_item(signature.as_deref(), dialect);
            }
            MessagePart::ProviderItem { api, item } if at_home && api == OPENAI_RESPONSES => {
                written.push_item(Some(item), dialect);
            }
            MessagePart::Thinking { .. } | MessagePart::ProviderItem { .. } => {}
            MessagePart::ToolCall(call) => {
                let extras = extras(call, at_home);
                written.push(InputItem::call(call, extras, dialect), false);
            }
        }
    }
    written.without_idle_reasoning()
}

struct ReceivedItem<'a> {
    raw: &'a RawValue,
    value: Value,
}

fn parse(text: &str) -> Option<ReceivedItem<'_>> {
    let raw: &RawValue = serde_json::from_str(text).ok()?;
    let value: Value = serde_json::from_str(text).ok()?;
    value.is_object().then_some(ReceivedItem { raw, value })
}

fn extras(call: &ToolCall, at_home: bool) -> Map<String, Value> {
    let proof = call.signature.as_deref().filter(|_| at_home);
    let fields = proof.and_then(|proof| serde_json::from_str(proof).ok());
    match fields {
        Some(Value::Object(fields)) => item::extras(&fields),
        _ => Map::new(),
    }
}

/// The encoded items, and which of them are reasoning.
#[derive(Default)]
struct ReplyItems<'a> {
    items: Vec<(InputItem<'a>, bool)>,
}

impl<'a> ReplyItems<'a> {
    fn push(&mut self, input: InputItem<'a>, is_reasoning: bool) {
        self.items.push((input, is_reasoning));
    }

    fn push_text(&mut self, text: &'a str) {
        if !text.is_empty() {
            let content = ResponsesContent::Text(text.into());
            self.push(InputItem::message("assistant", content), false);
        }
    }

    fn push_item(&mut self, item: Option<&'a str>, dialect: &ResponsesDialect) {
        let Some(came) = item.and_then(parse) else {
            return;
        };
        match json::text(&came.value, "type") {
            Some("message") => self.push_message(came.value),
            Some("reasoning") => {
                let goes_back = match json::text(&came.value, "encrypted_content") {
                    Some(_) => dialect.encrypted_reasoning,
                    None => dialect.plain_reasoning,
                };
                if goes_back {
                    self.push(came.into_input(dialect), true);
                }
            }
            Some(_) => self.push(came.into_input(dialect), false),
            None => {}
        }
    }

    /// Replaces the preceding text by the message item of the same text, which contains more, such as its phase.
    fn push_message(&mut self, mut message: Value) {
        let own = item::message_text(&message);
        let Some((InputItem::Written(TypedItem::Message { content, .. }), _)) =
            self.items.last_mut()
        else {
            return;
        };
        let ResponsesContent::Text(text) = content else {
            return;
        };
        // If the text was edited, the edited text is used and not the item.
        let Some(before) = text.strip_suffix(&*own) else {
            return;
        };
        match before {
            "" => drop(self.items.pop()),
            before => *text = before.to_owned().into(),
        }
        remove_id(&mut message);
        self.push(InputItem::Mended(message), false);
    }

    /// Removes reasoning at the end without an item that follows, because the provider rejects it.
    fn without_idle_reasoning(mut self) -> Vec<InputItem<'a>> {
        let is_reasoning = |item: &mut (InputItem<'a>, bool)| item.1;
        while self.items.pop_if(is_reasoning).is_some() {}
        self.items.into_iter().map(|(input, _)| input).collect()
    }
}

impl<'a> ReceivedItem<'a> {
    fn into_input(mut self, dialect: &ResponsesDialect) -> InputItem<'a> {
        if dialect.item_ids {
            return InputItem::AsItCame(self.raw);
        }
        remove_id(&mut self.value);
        InputItem::Mended(self.value)
    }
}

fn remove_id(item: &mut Value) {
    if let Some(fields) = item.as_object_mut() {
        // `shift_remove` keeps the order of the other fields.
        fields.shift_remove("id");
    }
}
