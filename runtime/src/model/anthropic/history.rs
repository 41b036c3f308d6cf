//! From our messages to the provider's turns, which alternate between the user and the assistant.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::wire::{Block, Role, Source, Turn, empty_object};
use crate::model::api::ANTHROPIC_MESSAGES;
use crate::model::http::Sendable;
use crate::transcript::{AssistantMessage, ContentBlock, Message, Part, ToolCall, ToolResult};

/// The longest name of a tool that the provider takes.
const LONGEST_NAME: usize = 128;

/// The conversation so far.
#[derive(Debug, Default)]
pub(super) struct History<'a> {
    pub(super) turns: Vec<Turn<'a>>,
    /// Whether the last reply called tools, and did not begin with thinking that can be sent back.
    pub(super) is_open_without_thinking: bool,
}

impl<'a> History<'a> {
    /// Writes the messages for a provider. What only another one understands is left out.
    pub(super) fn of(messages: &'a [Message], provider: &str) -> Self {
        let pairs = Pairs::of(messages, provider);
        let last_reply = messages
            .iter()
            .rposition(|message| matches!(message, Message::Assistant(_)));
        let mut history = Self::default();
        for (index, message) in messages.iter().enumerate() {
            let (role, content) = match message {
                Message::System { content } => (Role::User, instructions(content)),
                Message::User { content } => (Role::User, blocks(content).collect()),
                Message::Tool { content } => (Role::User, results(content)),
                Message::Assistant(reply) => {
                    let said = Said {
                        is_from_there: reply.is_from(ANTHROPIC_MESSAGES, provider),
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

    /// A reply that is to go on must not end with white space.
    fn trim_end(&mut self) {
        let last = self
            .turns
            .last_mut()
            .filter(|turn| turn.role == Role::Assistant);
        if let Some(Block::Text { text, .. }) = last.and_then(|turn| turn.content.last_mut()) {
            *text = text.trim_end().to_owned().into();
        }
    }

    /// Adds to the last turn, if it is of the same role.
    fn push(&mut self, role: Role, content: Vec<Block<'a>>) {
        match self.turns.last_mut() {
            _ if content.is_empty() => {}
            Some(turn) if turn.role == role => turn.content.extend(content),
            _ => self.turns.push(Turn { role, content }),
        }
    }

    fn is_open_without_thinking(&self) -> bool {
        let [.., reply, results] = &self.turns[..] else {
            return false;
        };
        let is_result = |block: &Block<'_>| matches!(block, Block::ToolResult { .. });
        results.content.iter().any(is_result)
            && !matches!(
                reply.content.first(),
                Some(Block::Thinking { .. } | Block::AsItCame(_))
            )
    }
}

/// How a reply is written.
struct Said<'s> {
    /// Whether it came from where it goes to, so that proofs and items of its own are understood.
    is_from_there: bool,
    /// Whether the provider's own calls in it may still be open.
    is_last: bool,
    pairs: &'s Pairs,
}

impl Said<'_> {
    fn blocks<'a>(&self, reply: &'a AssistantMessage) -> Vec<Block<'a>> {
        reply
            .content
            .iter()
            .filter_map(|part| self.block(part))
            .collect()
    }

    fn block<'a>(&self, part: &'a Part) -> Option<Block<'a>> {
        match part {
            Part::Text { text } => Block::text(text.into()),
            // Thinking without a proof is worth nothing to the provider, and another one's proof is an error.
            Part::Thinking { text, signature } => {
                let signature = signature.as_deref().filter(|_| self.is_from_there)?;
                Some(Block::Thinking {
                    thinking: text,
                    signature,
                })
            }
            Part::ToolCall(call) => Some(tool_use(call)),
            Part::ProviderItem { api, item } => {
                let item = (api == ANTHROPIC_MESSAGES && self.is_from_there).then_some(item)?;
                let item: &RawValue = serde_json::from_str(item).ok()?;
                self.is_complete(item).then_some(Block::AsItCame(item))
            }
        }
    }

    /// Half of a pair cannot be sent back: a call that was cut off before its result came, or a result alone.
    fn is_complete(&self, item: &RawValue) -> bool {
        match serde_json::from_str::<Item>(item.get()) {
            Ok(Item {
                kind, id: Some(id), ..
            }) if is_call(&kind) => self.is_last || self.pairs.results.contains(&id),
            Ok(Item {
                tool_use_id: Some(id),
                ..
            }) => self.pairs.calls.contains(&id),
            _ => true,
        }
    }
}

/// The calls that the provider ran itself, and their results, which may come in a later reply.
#[derive(Debug, Default)]
struct Pairs {
    calls: HashSet<String>,
    results: HashSet<String>,
}

impl Pairs {
    fn of(messages: &[Message], provider: &str) -> Self {
        let replies = messages.iter().filter_map(|message| match message {
            Message::Assistant(reply) if reply.is_from(ANTHROPIC_MESSAGES, provider) => Some(reply),
            _ => None,
        });
        let items = replies
            .flat_map(|reply| &reply.content)
            .filter_map(|part| match part {
                Part::ProviderItem { api, item } if api == ANTHROPIC_MESSAGES => Some(item),
                _ => None,
            });
        let mut pairs = Self::default();
        for item in items.filter_map(|item| serde_json::from_str::<Item>(item).ok()) {
            pairs.calls.extend(item.id.filter(|_| is_call(&item.kind)));
            pairs.results.extend(item.tool_use_id);
        }
        pairs
    }
}

/// What counts of an item of the provider's own.
#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    tool_use_id: Option<String>,
}

fn is_call(kind: &str) -> bool {
    matches!(kind, "server_tool_use" | "mcp_tool_use")
}

/// The arguments go back as the model wrote them. Where they are no object, an empty one takes their place, because the
/// provider takes nothing else: what was wrong with them stands in the result of the call.
fn tool_use(call: &ToolCall) -> Block<'_> {
    let written = serde_json::from_str::<&RawValue>(&call.arguments).ok();
    let object = written.filter(|written| written.get().starts_with('{'));
    Block::ToolUse {
        id: word(&call.id, usize::MAX),
        name: word(&call.name, LONGEST_NAME),
        input: object.unwrap_or(empty_object()),
    }
}

/// The results come first, as the provider wants it; what cannot stand in one comes after them.
fn results(results: &[ToolResult]) -> Vec<Block<'_>> {
    let mut after = Vec::new();
    let mut blocks: Vec<_> = results
        .iter()
        .map(|result| tool_result(result, &mut after))
        .collect();
    blocks.append(&mut after);
    blocks
}

fn tool_result<'a>(result: &'a ToolResult, after: &mut Vec<Block<'a>>) -> Block<'a> {
    let mut content: Vec<_> = blocks(&result.content).collect();
    if result.is_error {
        // The result of a failure has to be a text, and not an empty one.
        let (texts, others): (Vec<_>, Vec<_>) = content
            .into_iter()
            .partition(|block| matches!(block, Block::Text { .. }));
        after.extend(others);
        content = texts;
        if content.is_empty() {
            content.extend(Block::text("The call failed.".into()));
        }
    }
    Block::ToolResult {
        tool_use_id: word(&result.call_id, usize::MAX),
        is_error: result.is_error,
        content,
        cache_control: None,
    }
}

/// Most models take instructions at the beginning only; in the middle they are the user's words, marked.
fn instructions(content: &[ContentBlock]) -> Vec<Block<'_>> {
    let marked = content.iter().map(|block| match Sendable::of(block) {
        Sendable::Text(text) => Block::text(format!("<system>\n{text}\n</system>").into()),
        other => sendable(other),
    });
    marked.flatten().collect()
}

fn blocks(content: &[ContentBlock]) -> impl Iterator<Item = Block<'_>> {
    content
        .iter()
        .filter_map(|block| sendable(Sendable::of(block)))
}

fn sendable(block: Sendable<'_>) -> Option<Block<'_>> {
    match block {
        Sendable::Image { mime, data } if is_known_image(mime) => Some(Block::Image {
            source: Source::base64(mime, data),
            cache_control: None,
        }),
        Sendable::Pdf { name, data } => Some(Block::Document {
            title: name,
            source: Source::base64("application/pdf", data),
            cache_control: None,
        }),
        other => Block::text(other.into_text()),
    }
}

fn is_known_image(mime: &str) -> bool {
    matches!(
        mime,
        "image/png" | "image/jpeg" | "image/gif" | "image/webp"
    )
}

/// Ids and names of other providers, and those that a model made up, may hold what this one refuses.
fn word(text: &str, longest: usize) -> Cow<'_, str> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !text.is_empty() && text.len() <= longest && text.chars().all(is_fine) {
        return Cow::Borrowed(text);
    }
    let mended = text.chars().map(|c| if is_fine(c) { c } else { '_' });
    let mended: String = mended.take(longest).collect();
    Cow::Owned(if mended.is_empty() {
        "_".into()
    } else {
        mended
    })
}
