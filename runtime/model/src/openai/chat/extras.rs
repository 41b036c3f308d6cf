//! Fields of an assistant message that only its provider interprets, and that are sent back unchanged.

use serde_json::{Map, Value};

use crate::ModelEvent;
use crate::api::OPENAI_CHAT;
use crate::openai::json;
use helve_core::transcript::{AssistantMessage, MessagePart, RawJson};

/// OpenRouter's field of thinking with signatures.
pub(super) const DETAILS_FIELD: &str = "reasoning_details";

/// Copilot's field of the thinking's signature.
const OPAQUE_FIELD: &str = "reasoning_opaque";

#[derive(Debug, Default)]
pub(super) struct ReasoningExtras {
    details: Vec<Value>,
    opaque: Option<String>,
}

impl ReasoningExtras {
    pub(super) fn push_delta(&mut self, delta: &Value) {
        for detail in json::list(delta, DETAILS_FIELD) {
            match self.details.last_mut() {
                Some(last) if continues_detail(last, detail) => extend_detail(last, detail),
                _ => self.details.push(detail.clone()),
            }
        }
        if let Some(opaque) = json::text(delta, OPAQUE_FIELD) {
            self.opaque = Some(opaque.to_owned());
        }
    }

    pub(super) fn into_event(self) -> Option<ModelEvent> {
        let mut fields = Map::new();
        if !self.details.is_empty() {
            fields.insert(DETAILS_FIELD.to_owned(), self.details.into());
        }
        if let Some(opaque) = self.opaque {
            fields.insert(OPAQUE_FIELD.to_owned(), opaque.into());
        }
        (!fields.is_empty()).then(|| ModelEvent::ProviderItem {
            api: OPENAI_CHAT.to_owned(),
            item: RawJson::from(Value::Object(fields).to_string()),
        })
    }
}

fn continues_detail(last: &Value, next: &Value) -> bool {
    let same = |key| last.get(key) == next.get(key);
    let streams = matches!(
        json::text(next, "type"),
        Some("reasoning.text" | "reasoning.summary")
    );
    // A signature ends a block.
    let is_open = json::text(last, "signature").is_none();
    streams && is_open && same("type") && same("index")
}

fn extend_detail(last: &mut Value, next: &Value) {
    let (Some(last), Some(next)) = (last.as_object_mut(), next.as_object()) else {
        return;
    };
    for (key, more) in next {
        match (last.get_mut(key), more) {
            (Some(Value::String(text)), Value::String(more))
                if key == "text" || key == "summary" =>
            {
                text.push_str(more);
            }
            (Some(_), Value::Null) => {}
            _ => {
                last.insert(key.clone(), more.clone());
            }
        }
    }
}

/// Returns the extra fields of a message that are sent back.
pub(super) fn extra_fields(message: &AssistantMessage) -> Map<String, Value> {
    let mut fields = Map::new();
    for part in &message.content {
        let MessagePart::ProviderItem { api, item } = part else {
            continue;
        };
        if api == OPENAI_CHAT
            && let Ok(Value::Object(item)) = serde_json::from_str(item)
        {
            // The other fields of the message are written by this client.
            let ours = ["role", "content", "tool_calls"];
            fields.extend(item.into_iter().filter(|(key, _)| !ours.contains(&&**key)));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn details_are_joined_as_they_stream() {
        let mut extras = ReasoningExtras::default();
        for detail in [
            json!({"type": "reasoning.text", "text": "a", "index": 0, "format": "f"}),
            json!({"type": "reasoning.text", "text": "b", "index": 0, "format": "f"}),
            json!({"type": "reasoning.text", "signature": "s", "index": 0}),
            json!({"type": "reasoning.text", "text": "c", "index": 0}),
            json!({"type": "reasoning.encrypted", "data": "x", "index": 1}),
            json!({"type": "reasoning.encrypted", "data": "y", "index": 1}),
        ] {
            extras.push_delta(&json!({DETAILS_FIELD: [detail]}));
        }
        let Some(ModelEvent::ProviderItem { item, .. }) = extras.into_event() else {
            panic!("an item");
        };
        insta::assert_snapshot!(item, @r#"{"reasoning_details":[{"type":"reasoning.text","text":"ab","index":0,"format":"f","signature":"s"},{"type":"reasoning.text","text":"c","index":0},{"type":"reasoning.encrypted","data":"x","index":1},{"type":"reasoning.encrypted","data":"y","index":1}]}"#);
    }
}
