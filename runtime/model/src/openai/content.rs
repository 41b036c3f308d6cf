//! Converts content blocks to the forms of OpenAI's protocols.

use std::borrow::Cow;

use crate::http::{OutboundBlock, data_url, is_supported_image};
use helve_core::transcript::{ContentBlock, ToolCallResult};

const NO_OUTPUT: &str = "(no output)";

/// An encoded block, with its data in a URL.
#[derive(Debug)]
pub(super) enum EncodedBlock<'a> {
    Text(Cow<'a, str>),
    Image(String),
    /// Audio in base64, and its format.
    Audio {
        data: &'a str,
        format: &'static str,
    },
    /// A document: its file name and its URL.
    File(String, String),
}

/// The types of content that a provider supports in addition to text and images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MediaSupport {
    pub(super) audio: bool,
    pub(super) files: bool,
}

/// Encodes a block. An unsupported block becomes a text, so that the model knows of the content.
pub(super) fn encode_block(block: &ContentBlock, takes: MediaSupport) -> EncodedBlock<'_> {
    let sendable = OutboundBlock::from_block(block);
    match sendable {
        OutboundBlock::Image { mime, data } if is_supported_image(mime) => {
            EncodedBlock::Image(data_url(mime, data))
        }
        OutboundBlock::Audio { mime, data } if takes.audio => match mime {
            "audio/wav" | "audio/x-wav" | "audio/wave" => EncodedBlock::Audio {
                data,
                format: "wav",
            },
            "audio/mpeg" | "audio/mp3" => EncodedBlock::Audio {
                data,
                format: "mp3",
            },
            _ => EncodedBlock::Text(sendable.into_text()),
        },
        OutboundBlock::Pdf { name, data } if takes.files => {
            let file = name.rsplit('/').find(|part| !part.is_empty());
            let file = file.unwrap_or("document.pdf").to_owned();
            EncodedBlock::File(file, data_url("application/pdf", data))
        }
        other => EncodedBlock::Text(other.into_text()),
    }
}

/// Joins the texts of blocks, for places that only support text.
pub(super) fn join_text(blocks: &[ContentBlock]) -> Cow<'_, str> {
    let texts = blocks.iter().map(OutboundBlock::from_block);
    join(texts.map(OutboundBlock::into_text).collect())
}

pub(super) fn join(mut texts: Vec<Cow<'_, str>>) -> Cow<'_, str> {
    match texts.len() {
        1 => texts.remove(0),
        _ => texts.join("\n\n").into(),
    }
}

/// Joins the texts of a result. The protocols have no flag for a failed call, so that the text states the failure.
pub(super) fn result_text<'a>(result: &ToolCallResult, texts: Vec<Cow<'a, str>>) -> Cow<'a, str> {
    let text = join(texts);
    let text = match text.is_empty() {
        true => NO_OUTPUT.into(),
        false => text,
    };
    match result.is_error {
        true => format!("Error: {text}").into(),
        false => text,
    }
}

/// Returns the text that refers to content that a result cannot contain.
pub(super) fn attachment_reference(number: usize) -> Cow<'static, str> {
    format!("[attachment {number}, in the message after the results]").into()
}

/// Returns the caption of content that is sent outside of its result.
pub(super) fn attachment_caption(number: usize, call: &str) -> Cow<'static, str> {
    format!("Attachment {number}, of the result of the call {call}:").into()
}
