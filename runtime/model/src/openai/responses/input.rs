//! Converts the messages of a conversation to input items.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{ResponsesDialect, reply};
use crate::ModelRequest;
use crate::note::render_note;
use crate::openai::content::{self, EncodedBlock, MediaSupport};
use crate::openai::{call_id, fields};
use helve_core::transcript::{ContentBlock, Message, ToolCall, ToolCallResult};

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum InputItem<'a> {
    Written(TypedItem<'a>),
    /// An item that is sent back to the provider unchanged.
    AsItCame(&'a RawValue),
    /// An item that is sent back without the fields that the provider cannot resolve.
    Mended(Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum TypedItem<'a> {
    Message {
        role: &'static str,
        content: ResponsesContent<'a>,
    },
    FunctionCall {
        call_id: Cow<'a, str>,
        name: Cow<'a, str>,
        arguments: &'a str,
        /// Fields that only the provider interprets.
        #[serde(flatten)]
        extras: Map<String, Value>,
    },
    FunctionCallOutput {
        call_id: Cow<'a, str>,
        output: ResponsesContent<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ResponsesContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<ResponsesContentPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type")]
pub(super) enum ResponsesContentPart<'a> {
    #[serde(rename = "input_text")]
    Text { text: Cow<'a, str> },
    #[serde(rename = "input_image")]
    Image {
        image_url: String,
        detail: &'static str,
    },
    #[serde(rename = "input_file")]
    File { filename: String, file_data: String },
}

const MEDIA_SUPPORT: MediaSupport = MediaSupport {
    audio: false,
    files: true,
};

pub(super) fn encode_items<'a>(
    request: &'a ModelRequest,
    dialect: &ResponsesDialect,
    provider: &str,
) -> Vec<InputItem<'a>> {
    let mut items = Vec::with_capacity(request.messages.len() + 1);
    if let Some(text) = request.system.as_deref().filter(|_| !dialect.instructions) {
        let content = ResponsesContent::Text(text.into());
        items.push(InputItem::message("system", content));
    }
    for message in &request.messages {
        match message {
            Message::System { content } => items.push(encode_message("system", content)),
            Message::User { content } => items.push(encode_message("user", content)),
            Message::Assistant(message) => {
                items.extend(reply::encode_reply(message, dialect, provider))
            }
            Message::Tool { content } => encode_results(content, dialect, &mut items),
            Message::Note(note) => {
                let content = ResponsesContent::Text(render_note(note).into());
                items.push(InputItem::message("user", content));
            }
        }
    }
    items
}

impl<'a> InputItem<'a> {
    pub(super) fn message(role: &'static str, content: ResponsesContent<'a>) -> Self {
        Self::Written(TypedItem::Message { role, content })
    }

    pub(super) fn call(
        call: &'a ToolCall,
        extras: Map<String, Value>,
        dialect: &ResponsesDialect,
    ) -> Self {
        Self::Written(TypedItem::FunctionCall {
            call_id: dialect.call_ids.format_id(&call.id),
            name: call_id::sanitize_name(&call.name),
            arguments: fields::arguments(call),
            extras,
        })
    }
}

fn encode_message<'a>(role: &'static str, blocks: &'a [ContentBlock]) -> InputItem<'a> {
    let parts = blocks.iter().map(encode_block).collect();
    InputItem::message(role, ResponsesContent::from_parts(parts))
}

fn encode_block(block: &ContentBlock) -> ResponsesContentPart<'_> {
    match content::encode_block(block, MEDIA_SUPPORT) {
        EncodedBlock::Image(image_url) => ResponsesContentPart::Image {
            image_url,
            detail: "auto",
        },
        EncodedBlock::File(filename, file_data) => ResponsesContentPart::File {
            filename,
            file_data,
        },
        EncodedBlock::Text(text) => ResponsesContentPart::Text { text },
        // No audio: requests of these dialects do not enable it.
        EncodedBlock::Audio { data, .. } => ResponsesContentPart::Text { text: data.into() },
    }
}

impl<'a> ResponsesContent<'a> {
    /// Creates content; parts of text only become one text, which every server supports.
    fn from_parts(parts: Vec<ResponsesContentPart<'a>>) -> Self {
        let text = |part: &ResponsesContentPart<'a>| match part {
            ResponsesContentPart::Text { text } => Some(text.clone()),
            _ => None,
        };
        match parts.iter().map(text).collect::<Option<Vec<_>>>() {
            Some(texts) => Self::Text(content::join(texts)),
            None => Self::Parts(parts),
        }
    }
}

/// Encodes the results of one reply's calls, followed by the content that results cannot contain.
fn encode_results<'a>(
    results: &'a [ToolCallResult],
    dialect: &ResponsesDialect,
    items: &mut Vec<InputItem<'a>>,
) {
    let mut later = Vec::new();
    for result in results {
        let call_id = dialect.call_ids.format_id(&result.call_id);
        let mut texts = Vec::new();
        let mut inside = Vec::new();
        for block in result.content.iter() {
            match encode_block(block) {
                ResponsesContentPart::Text { text } => texts.push(text),
                other if dialect.images_in_results => inside.push(other),
                other => {
                    let number = later.len() / 2 + 1;
                    texts.push(content::attachment_reference(number));
                    let text = content::attachment_caption(number, &call_id);
                    later.extend([ResponsesContentPart::Text { text }, other]);
                }
            }
        }
        let has_text = !texts.is_empty() || result.is_error || inside.is_empty();
        if has_text {
            let text = content::result_text(result, texts);
            inside.insert(0, ResponsesContentPart::Text { text });
        }
        items.push(InputItem::Written(TypedItem::FunctionCallOutput {
            call_id,
            output: ResponsesContent::from_parts(inside),
        }));
    }
    if !later.is_empty() {
        items.push(InputItem::message("user", ResponsesContent::Parts(later)));
    }
}
