//! From messages to genai's.

use ::genai::chat::{
    Binary, ChatMessage, ContentPart, MessageContent, ToolCall as Call, ToolResponse,
};
use serde_json::Value;

use crate::transcript::{AssistantMessage, ContentBlock, Message, Part, ToolCall, ToolResult};

/// Whom the conversation goes to.
pub(super) struct From<'a> {
    pub(super) api: &'a str,
    pub(super) provider: &'a str,
}

/// Makes the messages of one.
pub(super) fn messages(to: &From<'_>, message: &Message) -> Vec<ChatMessage> {
    match message {
        Message::System { content } => vec![ChatMessage::system(blocks(content))],
        Message::User { content } => vec![ChatMessage::user(blocks(content))],
        Message::Assistant(message) => vec![ChatMessage::assistant(reply(to, message))],
        Message::Tool { content } => results(content),
    }
}

fn blocks(content: &[ContentBlock]) -> MessageContent {
    content.iter().filter_map(block).collect()
}

fn block(block: &ContentBlock) -> Option<ContentPart> {
    Some(match block {
        ContentBlock::Image { data, mime_type } | ContentBlock::Audio { data, mime_type } => {
            binary(mime_type, data)
        }
        ContentBlock::Resource { resource } => match (&resource.text, &resource.blob) {
            (Some(text), _) => ContentPart::from_text(text),
            (None, Some(data)) => {
                let kind = resource.mime_type.as_deref();
                binary(kind.unwrap_or("application/octet-stream"), data)
            }
            (None, None) => return None,
        },
        ContentBlock::ResourceLink { uri, name, .. } => {
            ContentPart::from_text(format!("[{name}]({uri})"))
        }
        ContentBlock::Text { text } => ContentPart::from_text(text),
    })
}

fn binary(kind: &str, data: &str) -> ContentPart {
    ContentPart::Binary(Binary::from_base64(kind, data, None))
}

fn reply(to: &From<'_>, message: &AssistantMessage) -> MessageContent {
    let is_theirs = message.is_from(to.api, to.provider);
    let mut parts = Vec::new();
    for part in &message.content {
        match part {
            Part::Text { text } => parts.push(ContentPart::from_text(text)),
            Part::Thinking { text, signature } => {
                // A proof without its text is a block of its own, and a text without a proof is of no use to anybody.
                if let Some(proof) = signature.as_ref().filter(|_| is_theirs) {
                    parts.push(ContentPart::ThoughtSignature(proof.clone()));
                    if !text.is_empty() {
                        parts.push(ContentPart::ReasoningContent(text.clone()));
                    }
                }
            }
            Part::ToolCall(made) => parts.push(call(made, is_theirs)),
            Part::ProviderItem { .. } => {}
        }
    }
    // A proof that came last was that of an empty text.
    if let Some(ContentPart::ThoughtSignature(_)) = parts.last() {
        parts.push(ContentPart::from_text(""));
    }
    MessageContent::from_parts(parts)
}

fn call(call: &ToolCall, is_theirs: bool) -> ContentPart {
    // Providers want an object; arguments that are none were answered with an error, which the model reads next.
    let arguments = serde_json::from_str(call.arguments.as_str()).ok();
    let arguments = arguments.filter(Value::is_object);
    let proof = call.signature.clone().filter(|_| is_theirs);
    ContentPart::ToolCall(Call {
        call_id: call.id.as_str().to_owned(),
        fn_name: call.name.as_str().to_owned(),
        fn_arguments: arguments.unwrap_or_else(|| Value::Object(serde_json::Map::new())),
        thought_signatures: proof.map(|proof| vec![proof]),
    })
}

/// Makes one message of each result, and one of the images that results cannot hold.
fn results(results: &[ToolResult]) -> Vec<ChatMessage> {
    let mut messages = Vec::with_capacity(results.len());
    let mut shown = Vec::new();
    for result in results {
        let parts: Vec<_> = result.content.iter().filter_map(block).collect();
        let texts: Vec<_> = parts.iter().filter_map(ContentPart::as_text).collect();
        let mut text = texts.join("\n");
        if result.is_error {
            text.insert_str(0, "Error: ");
        }
        let images = parts.iter().filter(|part| part.as_text().is_none());
        let images: Vec<_> = images.cloned().collect();
        if !images.is_empty() {
            let id = result.call_id.as_str();
            shown.push(ContentPart::from_text(format!(
                "What the call {id} showed:"
            )));
            shown.extend(images);
        }
        let id = result.call_id.as_str();
        messages.push(ChatMessage::tool(ToolResponse::new(id, text)));
    }
    if !shown.is_empty() {
        messages.push(ChatMessage::user(MessageContent::from_parts(shown)));
    }
    messages
}
