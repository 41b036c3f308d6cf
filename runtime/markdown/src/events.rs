//! The events of a Markdown text, from which every output is rendered: the terminal, HTML and plain text.

use pulldown_cmark::{Options, Parser};

pub use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Tag, TagEnd};

/// Parses a text. Its events are those of nested elements: each start has its end.
pub fn parse(text: &str) -> impl Iterator<Item = Event<'_>> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_ext(text, options)
}

/// Returns the language of a code block; empty if it has none.
pub fn language<'a>(kind: &'a CodeBlockKind<'_>) -> &'a str {
    match kind {
        CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default(),
        CodeBlockKind::Indented => "",
    }
}
