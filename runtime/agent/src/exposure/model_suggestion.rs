//! The model as the suggester of tools.

use super::VisibleTools;
use helve_core::toolset::Toolset;
use helve_core::transcript::{Message, ToolName};
use helve_model::ModelRequest;

/// The maximum length of the description of a tool in the request: a part of its first line, in characters.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// Builds the request in which the model chooses tools. The request itself has no tools.
pub(crate) fn suggestion_request(of: &ModelRequest, visible: &VisibleTools) -> ModelRequest {
    let mut list = String::new();
    for tool in visible.hidden() {
        let spec = tool.spec();
        let first = spec.description.lines().next().unwrap_or_default();
        let first: String = first.chars().take(MAX_DESCRIPTION_CHARS).collect();
        list.push_str(&format!("- {}: {first}\n", spec.name));
    }
    let asks = format!(
        "Which of these tools will you most likely need to answer? Write the names of at most {}, one on a line, and \
         nothing else. Write `none` where none is needed.\n\n{list}",
        visible.limit()
    );
    let mut messages = of.messages.clone();
    messages.push(Message::user(asks));
    let mut request = ModelRequest::new(messages);
    request.system.clone_from(&of.system);
    request
}

/// Lists the names of tools in the reply of the model, in their order.
pub(crate) fn parse_suggestion(reply: &str, tools: &Toolset) -> Vec<ToolName> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    let mut names: Vec<ToolName> = Vec::new();
    for word in reply.split(|character| !is_part(character)) {
        if tools.get(word).is_some() && !names.iter().any(|name| name.as_str() == word) {
            names.push(ToolName::from(word));
        }
    }
    names
}
