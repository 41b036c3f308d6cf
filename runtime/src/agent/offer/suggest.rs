//! Choosing tools for a turn.

use futures_util::future::BoxFuture;

use super::Window;
use crate::model::ModelRequest;
use crate::support::text::first_chars;
use crate::toolset::Toolset;
use crate::transcript::{ContentBlock, Message, ToolName};

/// How many messages of the user are looked at.
const MESSAGES: usize = 5;

/// How much of them, in characters: the end, which is the latest.
const CHARACTERS: usize = 4_000;

/// How much of a tool's description a model chooses by, in characters: of its first line.
const SHOWN: usize = 200;

/// Chooses the tools that a turn most likely needs.
pub trait Suggester: Send + Sync {
    /// Returns names of the request's tools, the most likely first. Others are passed over, and so is what goes beyond the
    /// request's limit.
    fn suggest<'a>(&'a self, request: &'a SuggestionRequest) -> BoxFuture<'a, Vec<ToolName>>;
}

/// What a suggestion is asked for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SuggestionRequest {
    /// What the user said last, each message on lines of its own, the latest last.
    pub said: String,
    /// The tools to choose from.
    pub tools: Toolset,
    /// How many at most.
    pub limit: usize,
}

impl SuggestionRequest {
    /// Asks about a conversation.
    #[must_use]
    pub fn new(messages: &[Message], tools: Toolset, limit: usize) -> Self {
        let said: Vec<String> = messages
            .iter()
            .rev()
            .filter_map(said_by_user)
            .take(MESSAGES)
            .collect();
        let said: Vec<String> = said.into_iter().rev().collect();
        let said = said.join("\n");
        let extra = said.chars().count().saturating_sub(CHARACTERS);
        Self {
            said: said.chars().skip(extra).collect(),
            tools,
            limit,
        }
    }
}

fn said_by_user(message: &Message) -> Option<String> {
    let Message::User { content } = message else {
        return None;
    };
    let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
    Some(texts.join("\n")).filter(|said| !said.trim().is_empty())
}

/// Makes the request in which a model chooses. It offers no tools: there is nothing to do but to name some.
pub(in crate::agent) fn model_request(of: &ModelRequest, window: &Window) -> ModelRequest {
    let mut list = String::new();
    for tool in window.hidden() {
        let spec = tool.spec();
        let first = spec.description.lines().next().unwrap_or_default();
        let first = first_chars(first, SHOWN);
        list.push_str(&format!("- {}: {first}\n", spec.name));
    }
    let asks = format!(
        "Which of these tools will you most likely need to answer? Write the names of at most {}, one on a line, and \
         nothing else. Write `none` where none is needed.\n\n{list}",
        window.limit()
    );
    let mut messages = of.messages.clone();
    messages.push(Message::user(asks));
    let mut request = ModelRequest::new(messages);
    request.system.clone_from(&of.system);
    request
}

/// Reads the names out of what a model wrote: any words that are names of tools, in their order.
pub(in crate::agent) fn names_in(reply: &str, tools: &Toolset) -> Vec<ToolName> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    let mut names: Vec<ToolName> = Vec::new();
    for word in reply.split(|character| !is_part(character)) {
        if tools.get(word).is_some() && !names.iter().any(|name| name.as_str() == word) {
            names.push(ToolName::from(word));
        }
    }
    names
}
