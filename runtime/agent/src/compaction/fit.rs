//! Shortens a request that is too long even for a summary of it.

use helve_core::support::text;
use helve_core::transcript::{
    AssistantMessage, Content, ContentBlock, Message, MessagePart, RawJson, ToolCall,
    ToolCallResult,
};
use helve_model::{ModelRequest, TokenCounter};
use helve_results::Pruning;

/// The lengths in characters to which results are cut, one after the other, after old results were cleared.
const RESULT_LIMITS: [usize; 3] = [4_000, 1_000, 200];

/// The lengths in characters to which all texts are cut afterwards.
const TEXT_LIMITS: [usize; 2] = [2_000, 400];

/// The notice that replaces omitted messages.
const OMISSION_NOTICE: &str =
    "(The beginning of the conversation is omitted: it does not fit into the context.)";

/// Shortens the conversation of a request until the request has at most the given number of tokens: old results first,
/// then all results, then all texts but the last, which contains the instruction. If the conversation is still too
/// long, its beginning is dropped. Calls keep their results.
pub(crate) fn fit_request(request: &mut ModelRequest, counter: &dyn TokenCounter, room: u64) {
    let fits = |request: &ModelRequest| counter.count_request(request) <= room;
    if fits(request) {
        return;
    }
    let mut pruning = Pruning::default();
    // First trimmed, then cleared.
    for fill in [0.3, 0.5] {
        pruning.raise(fill);
        pruning.apply(&mut request.messages);
        if fits(request) {
            return;
        }
    }
    for most in RESULT_LIMITS {
        for message in &mut request.messages {
            if let Message::Tool { content } = message {
                cut_results(content, most);
            }
        }
        if fits(request) {
            return;
        }
    }
    for most in TEXT_LIMITS {
        let asked = request.messages.len().saturating_sub(1);
        for message in &mut request.messages[..asked] {
            cut_message(message, most);
        }
        if fits(request) {
            return;
        }
    }
    drop_beginning(request, counter, room);
}

/// Drops as much of the beginning as necessary, and never a call without its result.
fn drop_beginning(request: &mut ModelRequest, counter: &dyn TokenCounter, room: u64) {
    let room = room
        .saturating_sub(counter.count_prefix(request))
        .saturating_sub(counter.count_text(OMISSION_NOTICE));
    let mut from = request.messages.len().saturating_sub(1);
    let mut used = counter.count_message(&request.messages[from]);
    for at in (0..from).rev() {
        used = used.saturating_add(counter.count_message(&request.messages[at]));
        if used > room {
            break;
        }
        // A call is followed by its result, so the rest begins with any other message.
        if !matches!(request.messages[at], Message::Tool { .. }) {
            from = at;
        }
    }
    request.messages.drain(..from);
    request.messages.insert(0, Message::user(OMISSION_NOTICE));
}

fn cut_results(results: &mut [ToolCallResult], most: usize) {
    for result in results {
        let blocks = result.content.iter().map(|block| cut_block(block, most));
        result.content = Content::from(blocks.collect::<Vec<ContentBlock>>());
    }
}

fn cut_message(message: &mut Message, most: usize) {
    match message {
        Message::System { content } | Message::User { content } => {
            for block in content {
                *block = cut_block(block, most);
            }
        }
        Message::Assistant(reply) => cut_reply(reply, most),
        Message::Tool { .. } => {}
        Message::Note(note) => {
            note.text = text::truncate_middle(&note.text, most).into_owned();
        }
    }
}

/// Cuts a reply. Its thinking is removed, because the signature would no longer match.
fn cut_reply(reply: &mut AssistantMessage, most: usize) {
    let speaks = |part: &MessagePart| !matches!(part, MessagePart::Thinking { .. });
    if reply.content.iter().any(speaks) {
        reply.content.retain(speaks);
    }
    for part in &mut reply.content {
        match part {
            MessagePart::Text { text } => *text = text::truncate_middle(text, most).into_owned(),
            MessagePart::ToolCall(call) => cut_arguments(call, most),
            MessagePart::Thinking { .. } | MessagePart::ProviderItem { .. } => {}
        }
    }
}

/// Cuts arguments so that they remain valid JSON.
fn cut_arguments(call: &mut ToolCall, most: usize) {
    if call.arguments.chars().nth(most).is_some() {
        let cut = text::truncate_middle(&call.arguments, most).into_owned();
        call.arguments = RawJson::from(serde_json::json!({ "cut": cut }).to_string());
    }
}

/// Cuts a block. A block that is not text is replaced by its name, because there is only room for words.
fn cut_block(block: &ContentBlock, most: usize) -> ContentBlock {
    match block {
        ContentBlock::Text { text } => ContentBlock::text(text::truncate_middle(text, most)),
        ContentBlock::Image { .. } => ContentBlock::text("(an image)"),
        ContentBlock::Audio { .. } => ContentBlock::text("(a sound)"),
        ContentBlock::Resource { resource } => match &resource.text {
            Some(text) => ContentBlock::text(text::truncate_middle(text, most)),
            None => ContentBlock::text("(a resource)"),
        },
        ContentBlock::ResourceLink { .. } => block.clone(),
    }
}
