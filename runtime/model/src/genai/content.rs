//! Converts messages to those of genai.

use ::genai::adapter::AdapterKind;
use ::genai::chat::{
    Binary, ChatMessage, ChatRole, ContentPart, MessageContent, ToolCall as Call, ToolResponse,
};
use serde_json::Value;

use super::GenaiProtocol;
use crate::http::OutboundBlock;
use crate::note::render_note;
use helve_core::transcript::{
    AssistantMessage, ContentBlock, Message, MessagePart, ToolCall, ToolCallResult,
};

pub(super) struct MessageEncoder<'a> {
    pub(super) protocol: GenaiProtocol,
    pub(super) provider: &'a str,
}

impl MessageEncoder<'_> {
    pub(super) fn encode_messages(&self, messages: &[Message]) -> Vec<ChatMessage> {
        let made = messages
            .iter()
            .flat_map(|message| self.encode_message(message));
        match self.protocol.adapter {
            AdapterKind::BedrockApi => merge_consecutive(made),
            _ => made.collect(),
        }
    }

    fn encode_message(&self, message: &Message) -> Vec<ChatMessage> {
        match message {
            Message::System { content } => vec![ChatMessage::system(self.encode_blocks(content))],
            Message::User { content } => vec![ChatMessage::user(self.encode_blocks(content))],
            Message::Assistant(message) => vec![ChatMessage::assistant(self.encode_reply(message))],
            Message::Tool { content } => self.encode_results(content),
            Message::Note(note) => vec![ChatMessage::user(render_note(note))],
        }
    }

    fn encode_blocks(&self, content: &[ContentBlock]) -> MessageContent {
        let parts = content.iter().map(|block| self.encode_block(block));
        if self.protocol.adapter != AdapterKind::Ollama {
            return parts.collect();
        }
        // genai expects one text, and would join several on one line.
        let (texts, others): (Vec<_>, Vec<_>) = parts.partition(|part| part.as_text().is_some());
        let texts: Vec<_> = texts.iter().filter_map(ContentPart::as_text).collect();
        let text = ContentPart::from_text(texts.join("\n\n"));
        std::iter::once(text).chain(others).collect()
    }

    /// Encodes a block. An unsupported block becomes a text, because genai would drop it silently.
    fn encode_block(&self, block: &ContentBlock) -> ContentPart {
        let adapter = self.protocol.adapter;
        match OutboundBlock::from_block(block) {
            OutboundBlock::Image { mime, data } => binary_part(mime, data, None),
            OutboundBlock::Pdf { name, data } if adapter != AdapterKind::Ollama => {
                binary_part("application/pdf", data, Some(name.to_owned()))
            }
            OutboundBlock::Audio { mime, data } if adapter == AdapterKind::Gemini => {
                binary_part(mime, data, None)
            }
            other => ContentPart::from_text(other.into_text()),
        }
    }

    fn encode_reply(&self, message: &AssistantMessage) -> MessageContent {
        let is_theirs = message.is_from(self.protocol.name, self.provider);
        let mut parts = Vec::new();
        for part in &message.content {
            match part {
                MessagePart::Text { text } => parts.push(ContentPart::from_text(text)),
                MessagePart::Thinking { text, signature } => {
                    // Only its provider can use thinking without a signature.
                    let Some(proof) = signature.as_ref().filter(|_| is_theirs) else {
                        continue;
                    };
                    parts.push(ContentPart::ThoughtSignature(proof.clone()));
                    if !text.is_empty() {
                        parts.push(ContentPart::ReasoningContent(text.clone()));
                    }
                }
                MessagePart::ToolCall(made) => parts.push(call_part(made, is_theirs)),
                MessagePart::ProviderItem { .. } => {}
            }
        }
        // A signature at the end must be followed by an empty text.
        if let Some(ContentPart::ThoughtSignature(_)) = parts.last() {
            parts.push(ContentPart::from_text(""));
        }
        MessageContent::from_parts(parts)
    }

    /// Encodes each result as one message, followed by one message of the images, which results cannot contain.
    fn encode_results(&self, results: &[ToolCallResult]) -> Vec<ChatMessage> {
        let mut messages = Vec::with_capacity(results.len());
        let mut shown = Vec::new();
        for result in results {
            let (texts, images): (Vec<_>, Vec<_>) = result
                .content
                .iter()
                .map(|block| self.encode_block(block))
                .partition(|part| part.as_text().is_some());
            let texts: Vec<_> = texts.iter().filter_map(ContentPart::as_text).collect();
            let id = result.call_id.as_str();
            let text = result_text(&texts.join("\n\n"), result.is_error, !images.is_empty());
            messages.push(ChatMessage::tool(ToolResponse::new(id, text)));
            if !images.is_empty() {
                let title = format!("Images from the tool call {id}:");
                shown.push(ContentPart::from_text(title));
                shown.extend(images);
            }
        }
        if !shown.is_empty() {
            messages.push(ChatMessage::user(MessageContent::from_parts(shown)));
        }
        messages
    }
}

/// Returns the text of a result, because genai supports no other content.
fn result_text(text: &str, is_error: bool, is_shown: bool) -> String {
    let text = match (text.is_empty(), is_shown) {
        (false, _) => text,
        (true, true) => "(shown in the next message)",
        (true, false) => "(no output)",
    };
    match is_error {
        true => format!("Error: {text}"),
        false => text.to_owned(),
    }
}

fn binary_part(mime: &str, data: &str, name: Option<String>) -> ContentPart {
    ContentPart::Binary(Binary::from_base64(mime, data, name))
}

fn call_part(call: &ToolCall, is_theirs: bool) -> ContentPart {
    // Providers expect an object. For other arguments, the result of the call is an error, which the model reads.
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

/// Merges consecutive messages of one role: Bedrock requires that roles alternate, and that results are merged with
/// the user's message.
fn merge_consecutive(messages: impl Iterator<Item = ChatMessage>) -> Vec<ChatMessage> {
    let (mut systems, mut joined) = (Vec::new(), Vec::<ChatMessage>::new());
    for mut message in messages {
        if message.role == ChatRole::System {
            // System messages are moved above the conversation.
            systems.push(message);
            continue;
        }
        if message.role == ChatRole::Tool {
            message.role = ChatRole::User;
        }
        match joined.last_mut() {
            Some(last) if last.role == message.role && message.role == ChatRole::User => {
                last.content.extend(message.content);
            }
            _ => joined.push(message),
        }
    }
    systems.extend(joined);
    systems
}
