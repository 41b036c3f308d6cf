//! The label of a result, and of a conversation that came without one.

use super::untrusted::{self, OPENING, UNKNOWN_SOURCE};
use super::{ReadInput, Reader};
use crate::tool::{ToolOrigin, ToolSpec};
use crate::transcript::{Content, ContentBlock, Label, Message, Source};

/// How the source of what a server returned begins.
const SERVER: &str = "MCP server ";

/// The tools whose output was enclosed, and is that of the session's own commands: in journals without labels, only the
/// name tells.
const OWN_COMMANDS: [&str; 2] = ["bash", "bash_output"];

/// Returns the label of a conversation whose results were read without this process: of each result, the enclosure tells
/// where it came from.
///
/// A turn that is loaded from a journal has its label from the records; this is for conversations that come as messages.
#[must_use]
pub fn label_of(messages: &[Message]) -> Label {
    let results = messages.iter().filter_map(|message| match message {
        Message::Tool { content } => Some(content),
        _ => None,
    });
    let mut label = Label::user();
    for result in results.flatten() {
        label.join(&label_of_content(&result.content));
    }
    label
}

/// Returns the label of a result by its enclosure. Results of the workspace have none.
pub(in crate::agent) fn label_of_content(content: &Content) -> Label {
    let texts = content.iter().filter_map(ContentBlock::as_text);
    let mut sources = texts.filter_map(source_of_text);
    match sources.next() {
        Some(source) if OWN_COMMANDS.contains(&&*source.tool) => Label::workspace(),
        Some(source) => sources.fold(Label::from(source), |label, source| {
            label.joined(&Label::from(source))
        }),
        None => Label::workspace(),
    }
}

/// Reads the opening tag of an enclosure.
pub(in crate::agent) fn source_of_text(text: &str) -> Option<Source> {
    let (name, rest) = text.strip_prefix(OPENING)?.split_once("\" tool=\"")?;
    let (tool, _) = rest.split_once("\">")?;
    Some(match name.strip_prefix(SERVER) {
        Some(server) => {
            let (server, _) = server.split_once(", ").unwrap_or((server, ""));
            Source::server(tool, server, name)
        }
        None => Source::web(tool, name),
    })
}

impl Reader {
    /// Returns where an untrusted text came from, for its label and its enclosure.
    pub(super) fn untrusted_source(&self, input: &ReadInput<'_>) -> Option<String> {
        if let Some(given) = input.label.filter(|label| label.is_untrusted()) {
            let worst = given.sources().last();
            let name = worst.map_or(UNKNOWN_SOURCE, |source| &*source.name);
            return Some(name.to_owned());
        }
        let spec = input.spec.filter(|spec| spec.untrusted_output)?;
        let described = untrusted::describe(&input.call.arguments);
        Some(match (&spec.output_source, described) {
            (Some(server), Some(described)) => format!("{server}, {described}"),
            (Some(server), None) => server.to_string(),
            (None, described) => described.unwrap_or_else(|| UNKNOWN_SOURCE.to_owned()),
        })
    }

    /// Returns the label of a result: what its tool declares, and what is known of it besides.
    ///
    /// Commands of the session's sandbox work in the user's files, so that what they write is as trustworthy as those,
    /// though it is enclosed. Whoever runs them adds what they reached over the network.
    pub(super) fn label(
        &self,
        input: &ReadInput<'_>,
        source: Option<&str>,
        flags: &[String],
    ) -> Label {
        let spec = input.spec.filter(|spec| spec.untrusted_output);
        let own = match (spec, source) {
            (Some(spec), Some(source)) => label_of_spec(spec, source, flags),
            _ => Label::workspace(),
        };
        match input.label {
            Some(given) => given.clone().joined(&own).joined(&Label::workspace()),
            None => own,
        }
    }
}

fn label_of_spec(spec: &ToolSpec, source: &str, flags: &[String]) -> Label {
    let tool = &*spec.name;
    let source = match &spec.origin {
        ToolOrigin::Server { server, .. } => Source::server(tool, &**server, source),
        // What the commands reach is in the label that the gate of the sandbox gives; a network of the tool's own is not.
        _ if spec.requires.process && !spec.requires.net => return Label::workspace(),
        _ => Source::web(tool, source),
    };
    Label::from(source.flagged(flags.to_vec()))
}
