//! Suggesters: how tools are chosen for a turn.

use futures_util::future::BoxFuture;

use helve_core::toolset::Toolset;
use helve_core::transcript::{ContentBlock, Message, NoteSource, ToolName};

/// The number of messages of the user that a request for suggestions holds.
const MAX_MESSAGES: usize = 5;

/// The maximum length of these messages in characters; the end counts, which is the latest.
const MAX_CHARACTERS: usize = 4_000;

/// Chooses the tools that a turn most likely needs.
pub trait Suggester: Send + Sync {
    /// Returns the names of tools of the request, the most likely first. Unknown names and names beyond the limit of the
    /// request are ignored.
    fn suggest<'a>(&'a self, request: &'a SuggestionRequest) -> BoxFuture<'a, Vec<ToolName>>;
}

/// A request for suggestions.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SuggestionRequest {
    /// The latest messages of the user, separated by line breaks, the latest last.
    pub user_text: String,
    /// The tools to choose from.
    pub tools: Toolset,
    /// The maximum number of suggestions.
    pub limit: usize,
}

impl SuggestionRequest {
    /// Creates the request for a conversation.
    #[must_use]
    pub fn new(messages: &[Message], tools: Toolset, limit: usize) -> Self {
        let latest = messages.iter().rev().filter_map(user_text);
        let mut said: Vec<String> = latest.take(MAX_MESSAGES).collect();
        said.reverse();
        let said = said.join("\n");
        let extra = said.chars().count().saturating_sub(MAX_CHARACTERS);
        Self {
            user_text: said.chars().skip(extra).collect(),
            tools,
            limit,
        }
    }
}

fn user_text(message: &Message) -> Option<String> {
    let content = match message {
        Message::User { content } => content,
        Message::Note(note) if note.source == NoteSource::User => return Some(note.text.clone()),
        _ => return None,
    };
    let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
    Some(texts.join("\n")).filter(|said| !said.trim().is_empty())
}
