//! Counts tokens.

use super::{ModelRequest, estimate_tokens, render_note};
use helve_core::transcript::{ContentBlock, Message, MessagePart};

/// The approximate number of tokens of an image or audio, which depends on its dimensions rather than its bytes.
const MEDIA_TOKENS: u64 = 1_000;

/// Counts the tokens of texts, messages and requests.
///
/// The overhead that a provider adds to each message, a few tokens, is not counted. An agent uses
/// [`EstimatedTokenCounter`] unless another counter is set.
///
/// ```
/// use helve::model::{EstimatedTokenCounter, ModelRequest, TokenCounter};
/// use helve::transcript::Message;
///
/// /// One token a word.
/// struct Words;
///
/// impl TokenCounter for Words {
///     fn count_text(&self, text: &str) -> u64 {
///         text.split_whitespace().count() as u64
///     }
/// }
///
/// let request = ModelRequest::new(vec![Message::user("Is it going to rain?")]);
/// assert_eq!(Words.count_request(&request), 5);
/// assert_eq!(EstimatedTokenCounter.count_request(&request), 5);
/// ```
pub trait TokenCounter: Send + Sync {
    /// Counts the tokens of a text.
    fn count_text(&self, text: &str) -> u64;

    /// Counts the tokens of a message.
    fn count_message(&self, message: &Message) -> u64 {
        match message {
            Message::System { content } | Message::User { content } => count_blocks(self, content),
            Message::Assistant(reply) => {
                let parts = reply.content.iter();
                parts.map(|part| count_part(self, part)).sum()
            }
            Message::Tool { content } => content
                .iter()
                .map(|result| count_blocks(self, &result.content))
                .sum(),
            Message::Note(note) => self.count_text(&render_note(note)),
        }
    }

    /// Counts the tokens of a request: its instructions, its tool definitions and its messages.
    fn count_request(&self, request: &ModelRequest) -> u64 {
        let messages = request.messages.iter();
        let messages: u64 = messages.map(|message| self.count_message(message)).sum();
        self.count_prefix(request) + messages
    }

    /// Counts the tokens before the messages of a request, which are not available to the conversation.
    fn count_prefix(&self, request: &ModelRequest) -> u64 {
        let instructions = request.system.as_deref();
        let instructions = instructions.map_or(0, |text| self.count_text(text));
        let tools = request.tools.iter().map(|tool| {
            self.count_text(tool.name.as_str())
                + self.count_text(&tool.description)
                + self.count_text(tool.input_schema.text())
        });
        instructions + tools.sum::<u64>()
    }
}

/// Counts tokens with [`estimate_tokens`], for any model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EstimatedTokenCounter;

impl TokenCounter for EstimatedTokenCounter {
    fn count_text(&self, text: &str) -> u64 {
        estimate_tokens(text)
    }
}

fn count_part<C: TokenCounter + ?Sized>(counter: &C, part: &MessagePart) -> u64 {
    match part {
        MessagePart::Text { text } | MessagePart::Thinking { text, .. } => counter.count_text(text),
        MessagePart::ToolCall(call) => {
            counter.count_text(call.name.as_str()) + counter.count_text(call.arguments.as_str())
        }
        MessagePart::ProviderItem { item, .. } => counter.count_text(item.as_str()),
    }
}

fn count_blocks<C: TokenCounter + ?Sized>(counter: &C, blocks: &[ContentBlock]) -> u64 {
    let of_block = |block: &ContentBlock| match block {
        ContentBlock::Text { text } => counter.count_text(text),
        ContentBlock::Image { .. } | ContentBlock::Audio { .. } => MEDIA_TOKENS,
        ContentBlock::Resource { resource } => {
            let text = resource.text.as_deref();
            text.map_or(MEDIA_TOKENS, |text| counter.count_text(text))
        }
        ContentBlock::ResourceLink { uri, name, .. } => {
            counter.count_text(uri) + counter.count_text(name)
        }
    };
    blocks.iter().map(of_block).sum()
}
