//! The messages of a conversation.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::dialect::{ChatDialect, ThinkingField};
use super::extras;
use crate::model::ModelRequest;
use crate::model::api::OPENAI_CHAT;
use crate::model::openai::content::{self, Shown, Takes};
use crate::model::openai::{call_id, json, tool};
use crate::transcript::{
    AssistantMessage, ContentBlock, Message as Said, Part as SaidPart, ToolCall, ToolResult,
};

/// A message, as the protocol has it.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(super) enum Message<'a> {
    System {
        content: Content<'a>,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        content: Option<Content<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
        /// What only some providers know: thinking, and what they want back as it came.
        #[serde(flatten)]
        extras: Map<String, Value>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        content: Content<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    Text { text: Cow<'a, str> },
    Thinking { thinking: Vec<Part<'a>> },
    ImageUrl { image_url: ImageUrl },
    InputAudio { input_audio: InputAudio<'a> },
    File { file: File },
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
pub(super) struct File {
    filename: String,
    file_data: String,
}

#[derive(Serialize)]
pub(super) struct Call<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: Function<'a>,
    /// The proof of a call, as Gemini has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

impl<'a> Message<'a> {
    pub(super) fn system(text: Cow<'a, str>) -> Self {
        Self::System {
            content: Content::Text(text),
        }
    }
}

/// Writes all messages of a conversation.
pub(super) fn all<'a>(
    request: &'a ModelRequest,
    dialect: &ChatDialect,
    provider: &str,
) -> Vec<Message<'a>> {
    let mut written = Vec::with_capacity(request.messages.len() + 1);
    for message in &request.messages {
        match message {
            Said::System { content } => {
                written.push(Message::system(content::in_words(content)));
            }
            Said::User { content } => {
                let content = blocks(content, dialect);
                written.push(Message::User { content });
            }
            Said::Assistant(message) => written.extend(assistant(message, dialect, provider)),
            Said::Tool { content } => results(content, dialect, &mut written),
        }
    }
    written
}

/// Writes what a user says: as one text where it is nothing else, which every server takes.
fn blocks<'a>(blocks: &'a [ContentBlock], dialect: &ChatDialect) -> Content<'a> {
    let parts: Vec<_> = blocks.iter().map(|block| part(block, dialect)).collect();
    let text = |part: &Part<'a>| match part {
        Part::Text { text } => Some(text.clone()),
        _ => None,
    };
    match parts.iter().map(text).collect::<Option<Vec<_>>>() {
        Some(texts) => Content::Text(texts.join("\n\n").into()),
        None => Content::Parts(parts),
    }
}

fn part<'a>(block: &'a ContentBlock, dialect: &ChatDialect) -> Part<'a> {
    match content::shown(block, takes(dialect)) {
        Shown::Text(text) => Part::Text { text },
        Shown::Image(url) => image(url),
        Shown::Sound { data, format } => Part::InputAudio {
            input_audio: InputAudio { data, format },
        },
        Shown::File(filename, file_data) => Part::File {
            file: File {
                filename,
                file_data,
            },
        },
    }
}

fn takes(dialect: &ChatDialect) -> Takes {
    Takes {
        sounds: dialect.media,
        files: dialect.media,
    }
}

/// Writes a reply of the model; none where nothing of it can go back, since an empty message is refused.
fn assistant<'a>(
    message: &'a AssistantMessage,
    dialect: &ChatDialect,
    provider: &str,
) -> Option<Message<'a>> {
    let at_home = message.is_from(OPENAI_CHAT, provider);
    let tool_calls: Vec<_> = message
        .calls()
        .map(|call| written_call(call, dialect, at_home))
        .collect();
    let mut extras = Map::new();
    let mut thinking = String::new();
    if at_home {
        thinking = thoughts(message);
        extras = extras::back(message);
    }
    let text = message.text();
    let mut content = (!text.is_empty()).then(|| Content::Text(text.into()));
    match dialect.thinking {
        // The details hold the text already, with its proofs.
        ThinkingField::Named(_) if extras.contains_key(extras::DETAILS) => {}
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
        content = Some(Content::Text("".into()));
    }
    Some(Message::Assistant {
        content,
        tool_calls,
        extras,
    })
}

fn with_thinking<'a>(thinking: String, content: Option<Content<'a>>) -> Content<'a> {
    let text = |text| Part::Text { text };
    let mut parts = vec![Part::Thinking {
        thinking: vec![text(thinking.into())],
    }];
    match content {
        Some(Content::Text(said)) => parts.push(text(said)),
        Some(Content::Parts(more)) => parts.extend(more),
        None => {}
    }
    Content::Parts(parts)
}

fn thoughts(message: &AssistantMessage) -> String {
    let thoughts = message.content.iter().filter_map(|part| match part {
        SaidPart::Thinking { text, .. } => Some(&**text),
        _ => None,
    });
    thoughts.collect()
}

fn written_call<'a>(call: &'a ToolCall, dialect: &ChatDialect, at_home: bool) -> Call<'a> {
    let proof = call.signature.as_deref().filter(|_| at_home);
    Call {
        id: dialect.call_ids.write(&call.id),
        r#type: "function",
        function: Function {
            name: call_id::name(&call.name),
            arguments: arguments(call, dialect),
        },
        extra_content: proof.and_then(|proof| serde_json::from_str(proof).ok()),
    }
}

/// Writes the arguments of a call as they came.
///
/// Where the server reads them, a text that is no JSON would end the conversation: it is quoted inside of an object then.
fn arguments<'a>(call: &'a ToolCall, dialect: &ChatDialect) -> Cow<'a, str> {
    let text = tool::arguments(call);
    if dialect.reads_arguments && !json::is_whole(text) {
        let mut quoted = Map::new();
        quoted.insert("no_json".to_owned(), text.into());
        return Value::Object(quoted).to_string().into();
    }
    text.into()
}

/// Writes the results of the calls of one reply, each as a message, and after them what no such message can hold.
fn results<'a>(results: &'a [ToolResult], dialect: &ChatDialect, written: &mut Vec<Message<'a>>) {
    let mut later = Vec::new();
    for result in results {
        let id = dialect.call_ids.write(&result.call_id);
        let mut texts = Vec::new();
        let mut inside = Vec::new();
        for block in result.content.iter() {
            match part(block, dialect) {
                Part::Text { text } => texts.push(text),
                image @ Part::ImageUrl { .. } if dialect.images_in_results => inside.push(image),
                other => {
                    let number = later.len() / 2 + 1;
                    texts.push(content::later(number));
                    let text = content::caption(number, &id);
                    later.extend([Part::Text { text }, other]);
                }
            }
        }
        let text = content::result_text(result, texts);
        let content = match inside.is_empty() {
            true => Content::Text(text),
            false => {
                inside.insert(0, Part::Text { text });
                Content::Parts(inside)
            }
        };
        written.push(Message::Tool {
            tool_call_id: id,
            content,
        });
    }
    if !later.is_empty() {
        let content = Content::Parts(later);
        written.push(Message::User { content });
    }
}

fn image<'a>(url: String) -> Part<'a> {
    Part::ImageUrl {
        image_url: ImageUrl { url },
    }
}
