//! Conversations that other software wrote.

use helve_runtime::transcript::{
    AssistantMessage, Content, Message, MessagePart, ToolCall, ToolCallResult, sanitize,
};
use serde_json::Value;

use super::vectors::{Tally, load_topic};

const DIFFERENCES: &[(&str, &str)] = &[];

#[test]
fn conversations_are_mended_alike() {
    let Some(cases) = load_topic("message_sanitize") else {
        return;
    };
    let mut tally = Tally::new("message_sanitize");
    for case in &cases {
        // The recorded functions mend one thing each; helve mends all of them at once, so that what was recorded after
        // one is mended of the others before it is compared.
        let mended = sanitize(messages(&case.input["messages"]));
        let expected = sanitize(messages(&case.expected));
        let alone = case.input["messages"].as_array().unwrap().len();
        assert!(mended.len() <= alone, "{}", case.id);
        tally.compare(case, &mended, &expected);
    }
    tally.finish(DIFFERENCES);
}

/// Reads messages in the form of OpenAI's API; results that follow each other are one message.
fn messages(list: &Value) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for message in list.as_array().unwrap() {
        let text = message["content"].as_str().unwrap_or_default();
        match message["role"].as_str().unwrap() {
            "user" => messages.push(Message::user(text)),
            "assistant" => messages.push(Message::Assistant(reply(message, text))),
            "tool" => {
                let result = ToolCallResult {
                    call_id: message["tool_call_id"].as_str().unwrap().into(),
                    content: Content::text(text),
                    is_error: false,
                };
                match messages.last_mut() {
                    Some(Message::Tool { content }) => content.push(result),
                    _ => messages.push(Message::Tool {
                        content: vec![result],
                    }),
                }
            }
            other => panic!("{other}"),
        }
    }
    messages
}

fn reply(message: &Value, text: &str) -> AssistantMessage {
    let mut content = Vec::new();
    if !text.is_empty() {
        content.push(MessagePart::Text { text: text.into() });
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let function = &call["function"];
        content.push(MessagePart::ToolCall(ToolCall::new(
            text(&call["id"]),
            text(&function["name"]),
            &*text(&function["arguments"]),
        )));
    }
    AssistantMessage::new(content)
}
