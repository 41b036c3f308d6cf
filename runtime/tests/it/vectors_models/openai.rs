//! OpenAI Chat Completions, of many providers, and OpenAI Responses.

use helve_runtime::model::{
    Endpoint, ModelName, ModelRequest, OpenAiChatModel, OpenAiResponsesModel, Reply, ResponseHead,
    StopReason,
};
use helve_runtime::transcript::{Message, MessagePart};
use serde_json::{Value, json};

use crate::vectors_models::reading::{Chunks, DecodedReply, Events, Protocol};
use crate::vectors_models::recorded;

struct Chat(OpenAiChatModel);

impl Protocol for Chat {
    fn api(&self) -> &'static str {
        "openai.chat"
    }

    fn read<'a>(&'a self, head: ResponseHead, pieces: Chunks<'a>) -> Events<'a> {
        self.0.decode(head, pieces)
    }

    fn found(&self, reply: &Reply) -> DecodedReply {
        let mut found = DecodedReply::of(reply);
        found.stop_reason = match reply.stop {
            StopReason::EndTurn => "stop",
            StopReason::ToolUse => "tool_calls",
            StopReason::MaxTokens => "length",
            StopReason::Refusal => "content_filter",
            _ => "another",
        };
        found
    }
}

struct Responses(OpenAiResponsesModel);

impl Protocol for Responses {
    fn api(&self) -> &'static str {
        "openai.responses"
    }

    fn read<'a>(&'a self, head: ResponseHead, pieces: Chunks<'a>) -> Events<'a> {
        self.0.decode(head, pieces)
    }

    fn found(&self, reply: &Reply) -> DecodedReply {
        let mut found = DecodedReply::of(reply);
        found.stop_reason = match reply.stop {
            StopReason::EndTurn | StopReason::ToolUse => "completed",
            StopReason::MaxTokens => "incomplete",
            _ => "another",
        };
        for part in &reply.message.content {
            let MessagePart::ProviderItem { item, .. } = part else {
                continue;
            };
            let item: Value = serde_json::from_str(item).expect("an item is JSON");
            let kind = item["type"].as_str().expect("a type");
            // Reasoning without a proof, and messages that say more than their text, are kept as items too.
            if !matches!(kind, "reasoning" | "message") {
                let call = json!({ "id": item["id"], "name": kind });
                found.server_tool_calls.push(call);
            }
        }
        found
    }
}

#[test]
fn every_recorded_chat_completion_is_read_right() {
    let endpoint = Endpoint::new("openai", "https://api.openai.com/v1").unwrap();
    let name = ModelName::new("openai", "gpt-4o");
    recorded::check(&Chat(OpenAiChatModel::new(name, endpoint)), &[]);
}

fn responses() -> Responses {
    let endpoint = Endpoint::new("openai", "https://api.openai.com/v1").unwrap();
    let name = ModelName::new("openai", "gpt-5");
    Responses(OpenAiResponsesModel::new(name, endpoint))
}

#[test]
fn every_recorded_response_is_read_right() {
    recorded::check(&responses(), &[]);
}

/// The items of a recorded response: those of the whole, or of the events that end each. (What ends the stream repeats
/// them, with their reasoning encrypted anew.)
fn recorded_items(body: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(body).unwrap();
    if let Ok(whole) = serde_json::from_str::<Value>(text) {
        return whole["output"].as_array().unwrap().clone();
    }
    let events = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = events.map(|event| serde_json::from_str::<Value>(event).unwrap());
    events
        .filter(|event| event["type"] == "response.output_item.done")
        .map(|event| event["item"].clone())
        .collect()
}

/// What goes back of an item: calls and messages as anybody writes them, and the rest untouched. Reasoning of which nothing
/// is encrypted stays here.
fn back(item: Value) -> Option<Value> {
    match item["type"].as_str().unwrap() {
        "message" => {
            let text = item["content"][0]["text"].clone();
            Some(json!({ "type": "message", "role": "assistant", "content": text }))
        }
        "function_call" => Some(json!({
            "type": "function_call",
            "call_id": item["call_id"],
            "name": item["name"],
            "arguments": item["arguments"],
        })),
        "reasoning" if item["encrypted_content"].is_null() => None,
        _ => Some(item),
    }
}

#[test]
fn what_a_response_said_goes_back_as_it_came() {
    let protocol = responses();
    let Some(recorded) = recorded::of(protocol.api()) else {
        return;
    };
    let mut replies = 0;
    for recorded in &recorded {
        let Ok(reply) = recorded.reply(&protocol) else {
            continue;
        };
        replies += 1;
        let request = ModelRequest::new(vec![Message::Assistant(reply.message)]);
        let body: Value = serde_json::from_slice(&protocol.0.body(&request)).unwrap();
        let items = recorded_items(&recorded.body).into_iter();
        let expected: Vec<_> = items.filter_map(back).collect();
        assert_eq!(body["input"], json!(expected), "{}", recorded.file);
    }
    println!("openai.responses: {replies} of {replies} replies go back as they came");
}
