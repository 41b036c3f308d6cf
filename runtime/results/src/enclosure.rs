//! The labels that follow from the enclosures of untrusted text.

use helve_core::transcript::{Content, ContentBlock, Label, Message, Source};
use helve_untrusted::{CLOSING, OPENING};

/// The prefix of the source name of a server.
const SERVER_PREFIX: &str = "MCP server ";

/// The tools that run commands of the session. Their output is enclosed but has the label of the workspace; journals
/// without labels only hold the name.
const SESSION_COMMAND_TOOLS: [&str; 2] = ["bash", "bash_output"];

/// Returns the label of a conversation by the enclosures of its results.
///
/// The records of a turn that is loaded from a journal hold its label; this function is for conversations that consist of
/// messages only.
#[must_use]
pub fn conversation_label(messages: &[Message]) -> Label {
    let mut label = Label::user();
    for message in messages {
        match message {
            Message::Tool { content } => content
                .iter()
                .for_each(|result| label.join(&content_label(&result.content))),
            Message::Note(note) => label.join(&note.label),
            _ => {}
        }
    }
    label
}

/// Returns the label of a result by its enclosure. Results of the workspace are not enclosed.
pub(super) fn content_label(content: &Content) -> Label {
    let texts = content.iter().filter_map(ContentBlock::as_text);
    let mut sources = texts.filter_map(parse_enclosure);
    match sources.next() {
        Some(source) if SESSION_COMMAND_TOOLS.contains(&&*source.tool) => Label::workspace(),
        Some(source) => sources.fold(Label::from(source), |label, source| {
            label.joined(&Label::from(source))
        }),
        None => Label::workspace(),
    }
}

/// Returns a text without its enclosure, which is for the model: for people, and for programs that show it to them.
///
/// ```
/// use helve::{results, untrusted};
///
/// assert_eq!(results::strip_enclosure(&untrusted::wrap("Hello.", "fetch", "https://example.org")), "Hello.");
/// assert_eq!(results::strip_enclosure("Hello."), "Hello.");
/// ```
#[must_use]
pub fn strip_enclosure(text: &str) -> &str {
    let without_tags = || {
        let (_, inside) = text.strip_prefix(OPENING)?.split_once("\">\n")?;
        inside.strip_suffix(CLOSING)?.strip_suffix('\n')
    };
    without_tags().unwrap_or(text)
}

/// Parses the opening tag of an enclosure.
pub fn parse_enclosure(text: &str) -> Option<Source> {
    let (name, rest) = text.strip_prefix(OPENING)?.split_once("\" tool=\"")?;
    let (tool, _) = rest.split_once("\">")?;
    Some(match name.strip_prefix(SERVER_PREFIX) {
        Some(server) => {
            let (server, _) = server.split_once(", ").unwrap_or((server, ""));
            Source::server(tool, server, name)
        }
        None => Source::web(tool, name),
    })
}
