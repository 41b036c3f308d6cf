//! The items of a conversation.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{ResponsesDialect, reply};
use crate::ModelRequest;
use crate::openai::content::{self, EncodedBlock, MediaSupport};
use crate::openai::{call_id, tool};
use helve_core::transcript::{ContentBlock, Message, ToolCall, ToolCallResult};

/// An item, as the protocol has it.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum InputItem<'a> {
    Written(TypedItem<'a>),
    /// What has to be sent back to the provider, exactly as it came.
    AsItCame(&'a RawValue),
    /// The same without what it cannot find.
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
        /// What only the provider understands.
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

/// What goes along with texts and images.
const MEDIA_SUPPORT: MediaSupport = MediaSupport {
    audio: false,
    files: true,
};

/// Writes all items of a conversation.
pub(super) fn encode_items<'a>(
    request: &'a ModelRequest,
    dialect: &ResponsesDialect,
    provider: &str,
) -> Vec<InputItem<'a>> {
    let mut items = Vec::with_capacity(request.messages.len() + 1);
    let system = request.system.as_deref();
    let first = system.filter(|_| !dialect.instructions);
    items.extend(
        first.map(|text| InputItem::message("system", ResponsesContent::Text(text.into()))),
    );
    for message in &request.messages {
        match message {
            Message::System { content } => items.push(encode_message("system", content)),
            Message::User { content } => items.push(encode_message("user", content)),
            Message::Assistant(message) => {
                items.extend(reply::encode_reply(message, dialect, provider))
            }
            Message::Tool { content } => encode_results(content, dialect, &mut items),
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
            arguments: tool::arguments(call),
            extras,
        })
    }
}

fn encode_message<'a>(role: &'static str, blocks: &'a [ContentBlock]) -> InputItem<'a> {
    let parts = blocks
        .iter()
        .map(|block| encode_block(content::encode_block(block, MEDIA_SUPPORT)));
    InputItem::message(role, ResponsesContent::from_parts(parts.collect()))
}

fn encode_block(shown: EncodedBlock<'_>) -> ResponsesContentPart<'_> {
    match shown {
        EncodedBlock::Image(url) => image_part(url),
        EncodedBlock::File(filename, file_data) => ResponsesContentPart::File {
            filename,
            file_data,
        },
        EncodedBlock::Text(text) => ResponsesContentPart::Text { text },
        // None is asked for.
        EncodedBlock::Audio { data, .. } => ResponsesContentPart::Text { text: data.into() },
    }
}

fn image_part<'a>(image_url: String) -> ResponsesContentPart<'a> {
    ResponsesContentPart::Image {
        image_url,
        detail: "auto",
    }
}

impl<'a> ResponsesContent<'a> {
    /// One text where it is nothing else, which every server takes.
    fn from_parts(mut parts: Vec<ResponsesContentPart<'a>>) -> Self {
        let text = |part: &ResponsesContentPart<'a>| match part {
            ResponsesContentPart::Text { text } => Some(text.clone()),
            _ => None,
        };
        if let [ResponsesContentPart::Text { text }] = &mut *parts {
            return Self::Text(std::mem::take(text));
        }
        match parts.iter().map(text).collect::<Option<Vec<_>>>() {
            Some(texts) => Self::Text(texts.join("\n\n").into()),
            None => Self::Parts(parts),
        }
    }
}

/// Writes the results of the calls of one reply, and after them what they cannot hold.
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
            match encode_block(content::encode_block(block, MEDIA_SUPPORT)) {
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
