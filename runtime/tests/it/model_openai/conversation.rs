//! A conversation that has a bit of everything.

use std::sync::Arc;

use helve_runtime::model::{
    Effort, Endpoint, ModelName, ModelOptions, ModelRequest, OfferedTool, OpenAiChatModel,
    OpenAiResponsesModel, OutputFormat,
};
use helve_runtime::schema;
use helve_runtime::transcript::{
    ArgumentsDefect, AssistantMessage, Content, ContentBlock, Message, MessagePart, ReplySource,
    Resource, ToolCall, ToolCallResult,
};
use serde_json::{Value, json};

/// Makes a chat model of a provider.
pub(crate) fn chat(name: &str, base_url: &str) -> OpenAiChatModel {
    let name: ModelName = name.parse().unwrap();
    let endpoint = Endpoint::new(name.provider(), base_url).unwrap();
    OpenAiChatModel::new(name, endpoint)
}

/// Makes a Responses model of a provider.
pub(crate) fn responses(name: &str, base_url: &str) -> OpenAiResponsesModel {
    let name: ModelName = name.parse().unwrap();
    let endpoint = Endpoint::new(name.provider(), base_url).unwrap();
    OpenAiResponsesModel::new(name, endpoint)
}

pub(crate) const OPENAI: &str = "https://api.openai.com/v1";

/// Shows a body for people.
pub(crate) fn shown(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).expect("a body that is JSON");
    serde_json::to_string_pretty(&body).unwrap()
}

/// Makes a result of a call.
pub(crate) fn result(call: &str, blocks: Vec<ContentBlock>, is_error: bool) -> ToolCallResult {
    ToolCallResult {
        call_id: call.into(),
        content: Content::from(blocks),
        is_error,
    }
}

pub(crate) fn image() -> ContentBlock {
    ContentBlock::Image {
        data: "iVBORw0K".into(),
        mime_type: "image/png".into(),
    }
}

/// Makes a reply that came from there.
pub(crate) fn reply(api: &str, provider: &str, parts: Vec<MessagePart>) -> Message {
    let mut message = AssistantMessage::new(parts);
    message.source = Some(Box::new(ReplySource::new(api, provider, "m")));
    Message::Assistant(message)
}

pub(crate) fn thinking(text: &str, signature: Option<&str>) -> MessagePart {
    MessagePart::Thinking {
        text: text.into(),
        signature: signature.map(str::to_owned),
    }
}

pub(crate) fn text(text: &str) -> MessagePart {
    MessagePart::Text { text: text.into() }
}

/// Makes the whole conversation; the first reply is the provider's own, with what it needs back.
pub(crate) fn everything(first_reply: Message) -> ModelRequest {
    let document = Resource {
        uri: "file:///notes/plan.pdf".into(),
        mime_type: Some("application/pdf".into()),
        text: None,
        blob: Some("JVBERi0x".into()),
    };
    let mut truncated = ToolCall::new("call_3", "read", "{\"path\": \"/et");
    truncated.defect = Some(ArgumentsDefect::Truncated);
    let messages = vec![
        Message::User {
            content: vec![
                ContentBlock::text("What is on it?"),
                image(),
                ContentBlock::Resource { resource: document },
            ],
        },
        first_reply,
        Message::Tool {
            content: vec![
                result("call_1", vec![ContentBlock::text("A cat."), image()], false),
                result("call_2", vec![ContentBlock::text("no such file")], true),
            ],
        },
        Message::system("The user prefers short answers."),
        reply(
            "anthropic.messages",
            "anthropic",
            vec![
                thinking("Foreign.", Some("c2ln")),
                text("Once more."),
                MessagePart::ToolCall(truncated),
            ],
        ),
        Message::Tool {
            content: vec![result("call_3", Vec::new(), true)],
        },
        Message::user("Go on"),
    ];
    ModelRequest::new(messages)
        .system("Be brief.")
        .tools(tools())
        .options(
            ModelOptions::new()
                .max_output_tokens(1000)
                .temperature(0.5)
                .effort(Effort::High)
                .output(OutputFormat::new("answer", answer())),
        )
}

/// Makes the two calls of the first reply.
pub(crate) fn calls() -> [MessagePart; 2] {
    [
        MessagePart::ToolCall(ToolCall::new("call_1", "look", "")),
        MessagePart::ToolCall(ToolCall::new("call_2", "read", "{\"path\": \"/a\"}")),
    ]
}

fn tools() -> Vec<OfferedTool> {
    let schema = |schema| Arc::new(schema::from_value(schema).unwrap());
    let path = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    });
    vec![
        OfferedTool::new(
            "look",
            "Looks.",
            schema(json!({"type": "object", "properties": {}})),
        ),
        OfferedTool::new("read", "Reads a file.", schema(path)),
    ]
}

fn answer() -> schema::CanonicalSchema {
    let answer = json!({
        "type": "object",
        "properties": {"animal": {"type": "string"}},
        "required": ["animal"],
    });
    schema::from_value(answer).unwrap()
}
