//! Content blocks as these protocols take them.

use std::borrow::Cow;

use crate::model::http::{Sendable, data_url};
use crate::transcript::{ContentBlock, ToolResult};

/// What a result is that holds no text.
const NOTHING: &str = "(no output)";

/// A block, with its data in a URL.
#[derive(Debug)]
pub(super) enum Shown<'a> {
    Text(Cow<'a, str>),
    Image(String),
    /// A sound in base64, and its format.
    Sound {
        data: &'a str,
        format: &'static str,
    },
    /// A document: the name of its file, and the URL.
    File(String, String),
}

/// What a provider takes beside texts and images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Takes {
    pub(super) sounds: bool,
    pub(super) files: bool,
}

/// Sorts a block. What cannot be shown is said in words, so that the model knows that it was there.
pub(super) fn shown(block: &ContentBlock, takes: Takes) -> Shown<'_> {
    let sendable = Sendable::of(block);
    match sendable {
        Sendable::Image { mime, data } if is_known_image(mime) => {
            Shown::Image(data_url(mime, data))
        }
        Sendable::Audio { mime, data } if takes.sounds => match mime {
            "audio/wav" | "audio/x-wav" | "audio/wave" => Shown::Sound {
                data,
                format: "wav",
            },
            "audio/mpeg" | "audio/mp3" => Shown::Sound {
                data,
                format: "mp3",
            },
            _ => Shown::Text(sendable.into_text()),
        },
        Sendable::Pdf { name, data } if takes.files => {
            let file = name.rsplit('/').find(|part| !part.is_empty());
            let file = file.unwrap_or("document.pdf").to_owned();
            Shown::File(file, data_url("application/pdf", data))
        }
        other => Shown::Text(other.into_text()),
    }
}

/// One image of another type is the end of the conversation.
fn is_known_image(mime: &str) -> bool {
    matches!(
        mime,
        "image/png" | "image/jpeg" | "image/gif" | "image/webp"
    )
}

/// Joins the texts of blocks of which nothing but text can be sent.
pub(super) fn in_words(blocks: &[ContentBlock]) -> Cow<'_, str> {
    match blocks {
        [block] => Sendable::of(block).into_text(),
        blocks => {
            let texts = blocks.iter().map(|block| Sendable::of(block).into_text());
            texts.collect::<Vec<_>>().join("\n\n").into()
        }
    }
}

/// Joins the texts of a result. These protocols have no word for a call that failed, so the text says it.
pub(super) fn result_text<'a>(result: &ToolResult, mut texts: Vec<Cow<'a, str>>) -> Cow<'a, str> {
    let text = match texts.len() {
        1 => texts.remove(0),
        _ => texts.join("\n\n").into(),
    };
    let text = match text.is_empty() {
        true => NOTHING.into(),
        false => text,
    };
    match result.is_error {
        true => format!("Error: {text}").into(),
        false => text,
    }
}

/// Says where that is which cannot stand in a result.
pub(super) fn later(number: usize) -> Cow<'static, str> {
    format!("[attachment {number}, in the message after the results]").into()
}

/// Says what that is which stands outside of its result.
pub(super) fn caption(number: usize, call: &str) -> Cow<'static, str> {
    format!("Attachment {number}, of the result of the call {call}:").into()
}
