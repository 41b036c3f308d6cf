//! Content blocks as these protocols take them: texts, and data inside of URLs.

use crate::transcript::{ContentBlock, Resource, ToolResult};

/// What a result is that holds no text.
const NOTHING: &str = "(no output)";

/// A block, sorted by what these protocols have a word for.
#[derive(Debug)]
pub(super) enum Shown<'a> {
    Text(String),
    /// An image, as a data URL.
    Image(String),
    /// A sound in base64, and its format.
    Sound(&'a str, &'a str),
    /// A document: its name, and the data URL.
    File(String, String),
}

/// Sorts a block. What cannot be shown is said in words, so that the model knows that it was there.
pub(super) fn shown(block: &ContentBlock) -> Shown<'_> {
    match block {
        ContentBlock::Text { text } => Shown::Text(text.clone()),
        ContentBlock::Image { data, mime_type } => Shown::Image(data_url(mime_type, data)),
        ContentBlock::Audio { data, mime_type } => match &**mime_type {
            "audio/wav" | "audio/x-wav" | "audio/wave" => Shown::Sound(data, "wav"),
            "audio/mpeg" | "audio/mp3" => Shown::Sound(data, "mp3"),
            other => Shown::Text(format!(
                "[a sound of the type {other}, which cannot be shown]"
            )),
        },
        ContentBlock::Resource { resource } => of_resource(resource),
        ContentBlock::ResourceLink { uri, name, .. } => Shown::Text(format!("{name}: {uri}")),
    }
}

fn of_resource(resource: &Resource) -> Shown<'_> {
    let uri = &resource.uri;
    let kind = resource.mime_type.as_deref().unwrap_or("unknown");
    match (&resource.text, &resource.blob) {
        (Some(text), _) => Shown::Text(format!("{uri}:\n{text}")),
        (None, Some(blob)) if kind.starts_with("image/") => Shown::Image(data_url(kind, blob)),
        (None, Some(blob)) if kind == "application/pdf" => {
            let name = uri.rsplit('/').next().filter(|name| !name.is_empty());
            let name = name.unwrap_or("document.pdf").to_owned();
            Shown::File(name, data_url(kind, blob))
        }
        (None, _) => Shown::Text(format!(
            "[{uri}, of the type {kind}, which cannot be shown]"
        )),
    }
}

impl Shown<'_> {
    /// Says in words what a provider has no word for.
    pub(super) fn in_words(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Image(_) => "[an image, which cannot be shown]".to_owned(),
            Self::Sound(..) => "[a sound, which cannot be shown]".to_owned(),
            Self::File(name, _) => format!("[{name}, a document, which cannot be shown]"),
        }
    }
}

/// Joins the texts of a result. These protocols have no word for a call that failed, so the text says it.
pub(super) fn result_text(result: &ToolResult, texts: &[String]) -> String {
    let text = texts.join("\n\n");
    let text = match text.is_empty() {
        true => NOTHING,
        false => &text,
    };
    match result.is_error {
        true => format!("Error: {text}"),
        false => text.to_owned(),
    }
}

fn data_url(mime_type: &str, data: &str) -> String {
    format!("data:{mime_type};base64,{data}")
}
