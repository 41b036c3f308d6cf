//! How many tokens a text has, about.

use super::ModelRequest;
use crate::schema::Dialect;
use crate::transcript::{ContentBlock, Message, Part};

/// Twentieths of a token for a letter of an alphabet, for an ideograph, and for anything else.
const LETTER: u64 = 5;
const IDEOGRAPH: u64 = 12;
const OTHER: u64 = 8;

/// What an image or a sound takes, about: it depends on its size more than on its bytes.
const MEDIA: u64 = 1_000;

/// Estimates how many tokens a text has, without the vocabulary of any model.
///
/// Four letters count as one token, five ideographs as three, and digits, spaces and punctuation as 0.4 of one each.
///
/// ```
/// use helve_runtime::model::estimate_tokens;
///
/// assert_eq!(estimate_tokens("Please inspect app.py and patch the bug."), 11);
/// assert_eq!(estimate_tokens("验证仍在进行。"), 4);
/// ```
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    let weight = |character: char| match character {
        '\u{2e80}'..='\u{2fdf}'
        | '\u{3040}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => IDEOGRAPH,
        letter if letter.is_alphabetic() => LETTER,
        _ => OTHER,
    };
    text.chars().map(weight).sum::<u64>() / 20
}

impl ModelRequest {
    /// Estimates how many tokens the request has, as [`estimate_tokens`] does.
    #[must_use]
    pub fn estimated_tokens(&self) -> u64 {
        let instructions = self.system.as_deref().map_or(0, estimate_tokens);
        let tools = self.tools.iter().map(|tool| {
            estimate_tokens(&tool.description)
                + estimate_tokens(tool.input_schema.render(Dialect::Mcp))
        });
        let messages = self.messages.iter().map(of_message);
        instructions + tools.chain(messages).sum::<u64>()
    }
}

fn of_message(message: &Message) -> u64 {
    match message {
        Message::System { content } | Message::User { content } => of_blocks(content),
        Message::Assistant(reply) => reply.content.iter().map(of_part).sum(),
        Message::Tool { content } => content
            .iter()
            .map(|result| of_blocks(&result.content))
            .sum(),
    }
}

fn of_part(part: &Part) -> u64 {
    match part {
        Part::Text { text } | Part::Thinking { text, .. } => estimate_tokens(text),
        Part::ToolCall(call) => {
            estimate_tokens(call.name.as_str()) + estimate_tokens(call.arguments.as_str())
        }
        Part::ProviderItem { item, .. } => estimate_tokens(item.as_str()),
    }
}

fn of_blocks(blocks: &[ContentBlock]) -> u64 {
    let of_block = |block: &ContentBlock| match block {
        ContentBlock::Text { text } => estimate_tokens(text),
        ContentBlock::Image { .. } | ContentBlock::Audio { .. } => MEDIA,
        ContentBlock::Resource { resource } => {
            resource.text.as_deref().map_or(MEDIA, estimate_tokens)
        }
        ContentBlock::ResourceLink { uri, name, .. } => {
            estimate_tokens(uri) + estimate_tokens(name)
        }
    };
    blocks.iter().map(of_block).sum()
}
