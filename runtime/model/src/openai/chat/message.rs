//! Converts the messages of a conversation to Chat Completions.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::dialect::{ChatDialect, ThinkingField};
use super::extras;
use crate::ModelRequest;
use crate::api::OPENAI_CHAT;
use crate::note::render_note;
use crate::openai::content::{self, EncodedBlock, MediaSupport};
use crate::openai::{call_id, fields, json};
use helve_core::transcript::{
    AssistantMessage, ContentBlock, Message as Said, MessagePart as SaidPart, ToolCall,
    ToolCallResult,
};

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(super) enum ChatRequestMessage<'a> {
    System {
        content: ChatContent<'a>,
    },
    User {
        content: ChatContent<'a>,
    },
    Assistant {
        content: Option<ChatContent<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ChatToolCall<'a>>,
        /// Fields of some providers: thinking, and fields that are sent back unchanged.
        #[serde(flatten)]
        extras: Map<String, Value>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        content: ChatContent<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ChatContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<ChatContentPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ChatContentPart<'a> {
    Text { text: Cow<'a, str> },
    Thinking { thinking: Vec<ChatContentPart<'a>> },
    ImageUrl { image_url: ImageUrl },
    InputAudio { input_audio: InputAudio<'a> },
    File { file: FilePart },
}

#[derive(Serialize)]
pub(super) struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
pub(super) struct InputAudio<'a> {
    data: &'a str,
    format: &'a str,
}

#[derive(Serialize)]
pub(super) struct FilePart {
    filename: String,
    file_data: String,
}

#[derive(Serialize)]
pub(super) struct ChatToolCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: FunctionCall<'a>,
    /// The signature of a call in Gemini's format.
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

impl<'a> ChatRequestMessage<'a> {
    pub(super) fn system(text: Cow<'a, str>) -> Self {
        Self::System {
            content: ChatContent::Text(text),
        }
    }
}

pub(super) fn encode_messages<'a>(
    request: &'a ModelRequest,
    dialect: &ChatDialect,
    provider: &str,
) -> Vec<ChatRequestMessage<'a>> {
    let mut written = Vec::with_capacity(request.messages.len() + 1);
    for message in &request.messages {
        match message {
            Said::System { content } => {
                written.push(ChatRequestMessage::system(content::join_text(content)));
            }
            Said::User { content } => {
                let content = encode_blocks(content, dialect);
                written.push(ChatRequestMessage::User { content });
            }
            Said::Assistant(message) => written.extend(encode_reply(message, dialect, provider)),
            Said::Tool { content } => encode_results(content, dialect, &mut written),
            Said::Note(note) => push_note(render_note(note), &mut written),
        }
    }
    written
}

/// Adds a note to the last message of the user, if that comes directly before: some servers require that roles alternate.
fn push_note(text: String, written: &mut Vec<ChatRequestMessage<'_>>) {
    match written.last_mut() {
        Some(ChatRequestMessage::User { content }) => match content {
            ChatContent::Text(before) => *before = format!("{before}\n\n{text}").into(),
            ChatContent::Parts(parts) => parts.push(ChatContentPart::Text { text: text.into() }),
        },
        _ => written.push(ChatRequestMessage::User {
            content: ChatContent::Text(text.into()),
        }),
    }
}

/// Encodes the content of a user; content without other blocks is one text, which every server supports.
fn encode_blocks<'a>(blocks: &'a [ContentBlock], dialect: &ChatDialect) -> ChatContent<'a> {
    let parts: Vec<_> = blocks
        .iter()
        .map(|block| encode_block(block, dialect))
        .collect();
    let text = |part: &ChatContentPart<'a>| match part {
        ChatContentPart::Text { text } => Some(text.clone()),
        _ => None,
    };
    match parts.iter().map(text).collect::<Option<Vec<_>>>() {
        Some(texts) => ChatContent::Text(content::join(texts)),
        None => ChatContent::Parts(parts),
    }
}

fn encode_block<'a>(block: &'a ContentBlock, dialect: &ChatDialect) -> ChatContentPart<'a> {
    let takes = MediaSupport {
        audio: dialect.media,
        files: dialect.media,
    };
    match content::encode_block(block, takes) {
        EncodedBlock::Text(text) => ChatContentPart::Text { text },
        EncodedBlock::Image(url) => ChatContentPart::ImageUrl {
            image_url: ImageUrl { url },
        },
        EncodedBlock::Audio { data, format } => ChatContentPart::InputAudio {
            input_audio: InputAudio { data, format },
        },
        EncodedBlock::File(filename, file_data) => ChatContentPart::File {
            file: FilePart {
                filename,
                file_data,
            },
        },
    }
}

/// Encodes a reply of the model; returns `None` if no part of it can be sent back, because an empty message is
/// rejected.
fn encode_reply<'a>(
    message: &'a AssistantMessage,
    dialect: &ChatDialect,
    provider: &str,
) -> Option<ChatRequestMessage<'a>> {
    let at_home = message.is_from(OPENAI_CHAT, provider);
    let tool_calls: Vec<_> = message
        .calls()
        .map(|call| encode_call(call, dialect, at_home))
        .collect();
    let (mut extras, thinking) = match at_home {
        true => (extras::extra_fields(message), thinking_text(message)),
        false => (Map::new(), String::new()),
    };
    let text = Some(message.text()).filter(|text| !text.is_empty());
    let mut content = text.map(|text| ChatContent::Text(text.into()));
    match dialect.thinking {
        // The details contain the text already, with signatures.
        ThinkingField::Named(_) if extras.contains_key(extras::DETAILS_FIELD) => {}
        ThinkingField::Required(field) if !tool_calls.is_empty() => {
            extras.insert(field.to_owned(), thinking.into());
        }
        ThinkingField::Named(field) | ThinkingField::Required(field) if !thinking.is_empty() => {
            extras.insert(field.to_owned(), thinking.into());
        }
        ThinkingField::Part if !thinking.is_empty() => {
            content = Some(with_thinking(thinking, content));
        }
        _ => {}
    }
    if content.is_none() && tool_calls.is_empty() {
        if extras.is_empty() {
            return None;
        }
        content = Some(ChatContent::Text("".into()));
    }
    Some(ChatRequestMessage::Assistant {
        content,
        tool_calls,
        extras,
    })
}

fn with_thinking<'a>(thinking: String, content: Option<ChatContent<'a>>) -> ChatContent<'a> {
    let text = |text| ChatContentPart::Text { text };
    let mut parts = vec![ChatContentPart::Thinking {
        thinking: vec![text(thinking.into())],
    }];
    match content {
        Some(ChatContent::Text(said)) => parts.push(text(said)),
        Some(ChatContent::Parts(more)) => parts.extend(more),
        None => {}
    }
    ChatContent::Parts(parts)
}

fn thinking_text(message: &AssistantMessage) -> String {
    let thoughts = message.content.iter().filter_map(|part| match part {
        SaidPart::Thinking { text, .. } => Some(&**text),
        _ => None,
    });
    thoughts.collect()
}

fn encode_call<'a>(call: &'a ToolCall, dialect: &ChatDialect, at_home: bool) -> ChatToolCall<'a> {
    let proof = call.signature.as_deref().filter(|_| at_home);
    ChatToolCall {
        id: dialect.call_ids.format_id(&call.id),
        r#type: "function",
        function: FunctionCall {
            name: call_id::sanitize_name(&call.name),
            arguments: encode_arguments(call, dialect),
        },
        extra_content: proof.and_then(|proof| serde_json::from_str(proof).ok()),
    }
}

/// Encodes the arguments of a call unchanged.
///
/// If the server parses the arguments, invalid JSON would make every further request fail: it is quoted in an object
/// then.
fn encode_arguments<'a>(call: &'a ToolCall, dialect: &ChatDialect) -> Cow<'a, str> {
    let text = fields::arguments(call);
    if dialect.requires_json_arguments && !json::is_whole(text) {
        let mut quoted = Map::new();
        quoted.insert("no_json".to_owned(), text.into());
        return Value::Object(quoted).to_string().into();
    }
    text.into()
}

/// Encodes the results of one reply's calls as one message each, followed by the content that such messages cannot
/// contain.
fn encode_results<'a>(
    results: &'a [ToolCallResult],
    dialect: &ChatDialect,
    written: &mut Vec<ChatRequestMessage<'a>>,
) {
    let mut later = Vec::new();
    for result in results {
        let id = dialect.call_ids.format_id(&result.call_id);
        let mut texts = Vec::new();
        let mut inside = Vec::new();
        for block in result.content.iter() {
            match encode_block(block, dialect) {
                ChatContentPart::Text { text } => texts.push(text),
                image @ ChatContentPart::ImageUrl { .. } if dialect.images_in_results => {
                    inside.push(image)
                }
                other => {
                    let number = later.len() / 2 + 1;
                    texts.push(content::attachment_reference(number));
                    let text = content::attachment_caption(number, &id);
                    later.extend([ChatContentPart::Text { text }, other]);
                }
            }
        }
        let text = content::result_text(result, texts);
        let content = match inside.is_empty() {
            true => ChatContent::Text(text),
            false => {
                inside.insert(0, ChatContentPart::Text { text });
                ChatContent::Parts(inside)
            }
        };
        written.push(ChatRequestMessage::Tool {
            tool_call_id: id,
            content,
        });
    }
    if !later.is_empty() {
        let content = ChatContent::Parts(later);
        written.push(ChatRequestMessage::User { content });
    }
}
