//! The items of a conversation.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{ResponsesDialect, replay};
use crate::model::ModelRequest;
use crate::model::openai::content::{self, Shown, Takes};
use crate::model::openai::{call_id, tool};
use crate::transcript::{ContentBlock, Message, ToolCall, ToolResult};

/// An item, as the protocol has it.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Input<'a> {
    Written(Item<'a>),
    /// What the provider wants back, exactly as it came.
    AsItCame(&'a RawValue),
    /// The same without what it cannot find.
    Mended(Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item<'a> {
    Message {
        role: &'static str,
        content: Content<'a>,
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
        output: Content<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type")]
pub(super) enum Part<'a> {
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
const TAKES: Takes = Takes {
    sounds: false,
    files: true,
};

/// Writes all items of a conversation.
pub(super) fn all<'a>(
    request: &'a ModelRequest,
    dialect: &ResponsesDialect,
    provider: &str,
) -> Vec<Input<'a>> {
    let mut items = Vec::with_capacity(request.messages.len() + 1);
    let system = request.system.as_deref();
    let first = system.filter(|_| !dialect.instructions);
    items.extend(first.map(|text| Input::message("system", Content::Text(text.into()))));
    for message in &request.messages {
        match message {
            Message::System { content } => items.push(said("system", content)),
            Message::User { content } => items.push(said("user", content)),
            Message::Assistant(message) => items.extend(replay::reply(message, dialect, provider)),
            Message::Tool { content } => results(content, dialect, &mut items),
        }
    }
    items
}

impl<'a> Input<'a> {
    pub(super) fn message(role: &'static str, content: Content<'a>) -> Self {
        Self::Written(Item::Message { role, content })
    }

    pub(super) fn call(
        call: &'a ToolCall,
        extras: Map<String, Value>,
        dialect: &ResponsesDialect,
    ) -> Self {
        Self::Written(Item::FunctionCall {
            call_id: dialect.call_ids.write(&call.id),
            name: call_id::name(&call.name),
            arguments: tool::arguments(call),
            extras,
        })
    }
}

fn said<'a>(role: &'static str, blocks: &'a [ContentBlock]) -> Input<'a> {
    let parts = blocks
        .iter()
        .map(|block| part(content::shown(block, TAKES)));
    Input::message(role, Content::of(parts.collect()))
}

fn part(shown: Shown<'_>) -> Part<'_> {
    match shown {
        Shown::Image(url) => image(url),
        Shown::File(filename, file_data) => Part::File {
            filename,
            file_data,
        },
        Shown::Text(text) => Part::Text { text },
        // None is asked for.
        Shown::Sound { data, .. } => Part::Text { text: data.into() },
    }
}

fn image<'a>(image_url: String) -> Part<'a> {
    Part::Image {
        image_url,
        detail: "auto",
    }
}

impl<'a> Content<'a> {
    /// One text where it is nothing else, which every server takes.
    fn of(mut parts: Vec<Part<'a>>) -> Self {
        let text = |part: &Part<'a>| match part {
            Part::Text { text } => Some(text.clone()),
            _ => None,
        };
        if let [Part::Text { text }] = &mut *parts {
            return Self::Text(std::mem::take(text));
        }
        match parts.iter().map(text).collect::<Option<Vec<_>>>() {
            Some(texts) => Self::Text(texts.join("\n\n").into()),
            None => Self::Parts(parts),
        }
    }
}

/// Writes the results of the calls of one reply, and after them what they cannot hold.
fn results<'a>(results: &'a [ToolResult], dialect: &ResponsesDialect, items: &mut Vec<Input<'a>>) {
    let mut later = Vec::new();
    for result in results {
        let call_id = dialect.call_ids.write(&result.call_id);
        let mut texts = Vec::new();
        let mut inside = Vec::new();
        for block in result.content.iter() {
            match part(content::shown(block, TAKES)) {
                Part::Text { text } => texts.push(text),
                other if dialect.images_in_results => inside.push(other),
                other => {
                    let number = later.len() / 2 + 1;
                    texts.push(content::later(number));
                    let text = content::caption(number, &call_id);
                    later.extend([Part::Text { text }, other]);
                }
            }
        }
        let has_text = !texts.is_empty() || result.is_error || inside.is_empty();
        if has_text {
            let text = content::result_text(result, texts);
            inside.insert(0, Part::Text { text });
        }
        items.push(Input::Written(Item::FunctionCallOutput {
            call_id,
            output: Content::of(inside),
        }));
    }
    if !later.is_empty() {
        items.push(Input::message("user", Content::Parts(later)));
    }
}
