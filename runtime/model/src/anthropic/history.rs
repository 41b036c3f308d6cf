//! Converts messages to the turns of the provider, which alternate between the user and the assistant.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::wire::{ContentBlockParam, MediaSource, MessageParam, Role, empty_object};
use crate::api::ANTHROPIC_MESSAGES;
use crate::http::{OutboundBlock, is_supported_image, sanitize_identifier};
use crate::note::render_note;
use helve_core::transcript::{
    AssistantMessage, ContentBlock, Message, MessagePart, ToolCall, ToolCallResult,
};

const MAX_TOOL_NAME_LEN: usize = 128;

#[derive(Debug, Default)]
pub(super) struct History<'a> {
    pub(super) turns: Vec<MessageParam<'a>>,
    /// Whether the last reply called tools, and did not start with thinking that can be sent back.
    pub(super) is_open_without_thinking: bool,
}

impl<'a> History<'a> {
    /// Converts the messages for a provider. Content that only another provider interprets is left out.
    pub(super) fn from_messages(messages: &'a [Message], provider: &str) -> Self {
        let pairs = ServerToolPairs::collect(messages, provider);
        let last_reply = messages
            .iter()
            .rposition(|message| matches!(message, Message::Assistant(_)));
        let mut history = Self::default();
        for (index, message) in messages.iter().enumerate() {
            let (role, content) = match message {
                Message::System { content } => (Role::User, encode_instructions(content)),
                Message::User { content } => (Role::User, encode_blocks(content).collect()),
                Message::Tool { content } => (Role::User, encode_results(content)),
                Message::Note(note) => {
                    let block = ContentBlockParam::text(render_note(note).into());
                    (Role::User, block.into_iter().collect())
                }
                Message::Assistant(reply) => {
                    let said = ReplyEncoder {
                        is_same_provider: reply.is_from(ANTHROPIC_MESSAGES, provider),
                        is_last: Some(index) == last_reply,
                        pairs: &pairs,
                    };
                    (Role::Assistant, said.blocks(reply))
                }
            };
            history.push(role, content);
        }
        history.is_open_without_thinking = history.is_open_without_thinking();
        history.trim_end();
        history
    }

    /// Removes trailing white space, because the provider rejects it at the end of a reply that is to be continued.
    fn trim_end(&mut self) {
        if let Some(turn) = self.turns.last_mut()
            && turn.role == Role::Assistant
            && let Some(ContentBlockParam::Text { text, .. }) = turn.content.last_mut()
        {
            *text = text.trim_end().to_owned().into();
        }
    }

    /// Appends content to the last turn if the role is the same, or else starts a turn.
    fn push(&mut self, role: Role, content: Vec<ContentBlockParam<'a>>) {
        match self.turns.last_mut() {
            _ if content.is_empty() => {}
            Some(turn) if turn.role == role => turn.content.extend(content),
            _ => self.turns.push(MessageParam { role, content }),
        }
    }

    fn is_open_without_thinking(&self) -> bool {
        let [.., reply, results] = &self.turns[..] else {
            return false;
        };
        let is_result =
            |block: &ContentBlockParam<'_>| matches!(block, ContentBlockParam::ToolResult { .. });
        results.content.iter().any(is_result)
            && !matches!(
                reply.content.first(),
                Some(ContentBlockParam::Thinking { .. } | ContentBlockParam::AsItCame(_))
            )
    }
}

struct ReplyEncoder<'s> {
    /// Whether the reply came from the same provider, which accepts its own signatures and items.
    is_same_provider: bool,
    /// Whether the message is the last one, in which calls of the provider's own tools may still be open.
    is_last: bool,
    pairs: &'s ServerToolPairs,
}

impl ReplyEncoder<'_> {
    fn blocks<'a>(&self, reply: &'a AssistantMessage) -> Vec<ContentBlockParam<'a>> {
        let parts = reply.content.iter();
        parts.filter_map(|part| self.block(part)).collect()
    }

    fn block<'a>(&self, part: &'a MessagePart) -> Option<ContentBlockParam<'a>> {
        match part {
            MessagePart::Text { text } => ContentBlockParam::text(text.into()),
            // The provider ignores thinking without a signature, and rejects the signature of another provider.
            MessagePart::Thinking { text, signature } => {
                let signature = signature.as_deref().filter(|_| self.is_same_provider)?;
                Some(ContentBlockParam::Thinking {
                    thinking: text,
                    signature,
                })
            }
            MessagePart::ToolCall(call) => Some(tool_use(call)),
            MessagePart::ProviderItem { api, item } => {
                let item = (api == ANTHROPIC_MESSAGES && self.is_same_provider).then_some(item)?;
                let item: &RawValue = serde_json::from_str(item).ok()?;
                self.is_complete(item)
                    .then_some(ContentBlockParam::AsItCame(item))
            }
        }
    }

    /// Returns whether an item can be sent back: a call without a result, and a result without a call, are rejected.
    fn is_complete(&self, item: &RawValue) -> bool {
        match serde_json::from_str::<ProviderItemHead>(item.get()) {
            Ok(ProviderItemHead {
                kind, id: Some(id), ..
            }) if is_call(&kind) => self.is_last || self.pairs.results.contains(&id),
            Ok(ProviderItemHead {
                tool_use_id: Some(id),
                ..
            }) => self.pairs.calls.contains(&id),
            _ => true,
        }
    }
}

/// The calls of tools that the provider runs itself, and their results, which may be in a later reply.
#[derive(Debug, Default)]
struct ServerToolPairs {
    calls: HashSet<String>,
    results: HashSet<String>,
}

impl ServerToolPairs {
    fn collect(messages: &[Message], provider: &str) -> Self {
        let replies = messages.iter().filter_map(|message| match message {
            Message::Assistant(reply) if reply.is_from(ANTHROPIC_MESSAGES, provider) => Some(reply),
            _ => None,
        });
        let mut pairs = Self::default();
        for part in replies.flat_map(|reply| &reply.content) {
            if let MessagePart::ProviderItem { api, item } = part
                && api == ANTHROPIC_MESSAGES
                && let Ok(item) = serde_json::from_str::<ProviderItemHead>(item)
            {
                pairs.calls.extend(item.id.filter(|_| is_call(&item.kind)));
                pairs.results.extend(item.tool_use_id);
            }
        }
        pairs
    }
}

/// The relevant fields of a provider item.
#[derive(Deserialize)]
struct ProviderItemHead {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    tool_use_id: Option<String>,
}

fn is_call(kind: &str) -> bool {
    matches!(kind, "server_tool_use" | "mcp_tool_use")
}

/// Encodes a call with the arguments as the model wrote them. The provider only accepts objects: other arguments are
/// replaced by an empty object, and the result of the call describes the error.
fn tool_use(call: &ToolCall) -> ContentBlockParam<'_> {
    let written = serde_json::from_str::<&RawValue>(&call.arguments).ok();
    let object = written.filter(|written| written.get().starts_with('{'));
    ContentBlockParam::ToolUse {
        id: sanitize_identifier(&call.id, usize::MAX),
        name: sanitize_identifier(&call.name, MAX_TOOL_NAME_LEN),
        input: object.unwrap_or(empty_object()),
    }
}

/// Encodes the results first, as the provider requires, followed by the content that results cannot contain.
fn encode_results(results: &[ToolCallResult]) -> Vec<ContentBlockParam<'_>> {
    let mut after = Vec::new();
    let blocks = results.iter().map(|result| tool_result(result, &mut after));
    let mut blocks: Vec<_> = blocks.collect();
    blocks.append(&mut after);
    blocks
}

fn tool_result<'a>(
    result: &'a ToolCallResult,
    after: &mut Vec<ContentBlockParam<'a>>,
) -> ContentBlockParam<'a> {
    let mut content: Vec<_> = encode_blocks(&result.content).collect();
    if result.is_error {
        // The result of a failed call must be a text that is not empty.
        let (texts, others): (Vec<_>, Vec<_>) = content
            .into_iter()
            .partition(|block| matches!(block, ContentBlockParam::Text { .. }));
        after.extend(others);
        content = texts;
        if content.is_empty() {
            content.extend(ContentBlockParam::text("The call failed.".into()));
        }
    }
    ContentBlockParam::ToolResult {
        tool_use_id: sanitize_identifier(&result.call_id, usize::MAX),
        is_error: result.is_error,
        content,
        cache_control: None,
    }
}

/// Encodes instructions in the middle of a conversation as marked text of the user, because most models accept
/// instructions only at the beginning.
fn encode_instructions(content: &[ContentBlock]) -> Vec<ContentBlockParam<'_>> {
    let blocks = content.iter().map(OutboundBlock::from_block);
    let marked = blocks.filter_map(|block| match block {
        OutboundBlock::Text(text) => {
            ContentBlockParam::text(format!("<system>\n{text}\n</system>").into())
        }
        other => encode_block(other),
    });
    marked.collect()
}

fn encode_blocks(content: &[ContentBlock]) -> impl Iterator<Item = ContentBlockParam<'_>> {
    let blocks = content.iter().map(OutboundBlock::from_block);
    blocks.filter_map(encode_block)
}

fn encode_block(block: OutboundBlock<'_>) -> Option<ContentBlockParam<'_>> {
    match block {
        OutboundBlock::Image { mime, data } if is_supported_image(mime) => {
            Some(ContentBlockParam::Image {
                source: MediaSource::base64(mime, data),
                cache_control: None,
            })
        }
        OutboundBlock::Pdf { name, data } => Some(ContentBlockParam::Document {
            title: name,
            source: MediaSource::base64("application/pdf", data),
            cache_control: None,
        }),
        other => ContentBlockParam::text(other.into_text()),
    }
}
