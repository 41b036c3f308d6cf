//! Anthropic Messages.

use helve_runtime::model::{
    AnthropicModel, Endpoint, ModelName, ModelRequest, Reply, ResponseHead, StopReason,
};
use helve_runtime::transcript::{Message, MessagePart};
use serde_json::{Value, json};

use crate::vectors_models::reading::{Chunks, DecodedReply, Events, Protocol};
use crate::vectors_models::recorded;

struct Anthropic(AnthropicModel);

impl Protocol for Anthropic {
    fn api(&self) -> &'static str {
        "anthropic.messages"
    }

    fn read<'a>(&'a self, head: ResponseHead, pieces: Chunks<'a>) -> Events<'a> {
        self.0.decode(head, pieces)
    }

    fn found(&self, reply: &Reply) -> DecodedReply {
        let mut found = DecodedReply::of(reply);
        // The index counts the input without what came from the cache or went there.
        let cached = found.usage["cache_read"] + found.usage["cache_write"];
        *found.usage.get_mut("input").unwrap() -= cached;
        found.stop_reason = match reply.stop {
            StopReason::EndTurn => "end_turn",
            StopReason::ToolUse => "tool_use",
            StopReason::MaxTokens => "max_tokens",
            _ => "another",
        };
        for part in &reply.message.content {
            let MessagePart::ProviderItem { item, .. } = part else {
                continue;
            };
            let item: Value = serde_json::from_str(item).expect("an item is JSON");
            if item["type"] == "server_tool_use" {
                found.server_tool_calls.push(json!({
                    "id": item["id"],
                    "name": item["name"],
                    "arguments": item["input"],
                }));
            }
        }
        found
    }
}

fn anthropic() -> Anthropic {
    let endpoint = Endpoint::new("anthropic", "https://api.anthropic.com").unwrap();
    let name = ModelName::new("anthropic", "claude-sonnet-4-6");
    Anthropic(AnthropicModel::new(name, endpoint).prompt_caching(false))
}

#[test]
fn every_recorded_response_is_read_right() {
    recorded::check(&anthropic(), &[]);
}

/// The blocks of a recorded response, put together as simply as can be.
fn recorded_blocks(body: &[u8]) -> Vec<Value> {
    if let Ok(whole) = serde_json::from_slice::<Value>(body) {
        return whole["content"].as_array().unwrap().clone();
    }
    let text = std::str::from_utf8(body).unwrap();
    let mut blocks = Vec::new();
    let mut inputs: Vec<String> = Vec::new();
    for event in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let event: Value = serde_json::from_str(event).unwrap();
        if event["type"] == "content_block_start" {
            blocks.push(event["content_block"].clone());
            inputs.push(String::new());
        }
        let delta = event["delta"].as_object().into_iter().flatten();
        for (key, more) in delta.filter(|_| event["type"] == "content_block_delta") {
            let index = usize::try_from(event["index"].as_u64().unwrap()).unwrap();
            match (key.as_str(), more.as_str()) {
                ("partial_json", Some(more)) => {
                    inputs[index].push_str(more);
                    let input = serde_json::from_str(&inputs[index]);
                    blocks[index]["input"] = input.unwrap_or(json!({}));
                }
                ("text" | "thinking" | "signature", Some(more)) => {
                    let known = blocks[index][key].as_str().unwrap_or_default();
                    blocks[index][key] = format!("{known}{more}").into();
                }
                _ => {}
            }
        }
    }
    blocks
}

/// What goes back: texts that touch are one, without citations; who called a tool is known.
fn normal(blocks: Vec<Value>) -> Vec<Value> {
    let mut normal: Vec<Value> = Vec::new();
    for mut block in blocks {
        if block["type"] == "text" {
            block.as_object_mut().unwrap().remove("citations");
            let text = block["text"].as_str().unwrap();
            if let Some(last) = normal.last_mut().filter(|last| last["type"] == "text") {
                last["text"] = format!("{}{text}", last["text"].as_str().unwrap()).into();
                continue;
            }
        }
        if block["type"] == "tool_use" {
            block.as_object_mut().unwrap().remove("caller");
        }
        normal.push(block);
    }
    normal
}

#[test]
fn what_was_said_goes_back_as_it_came() {
    let protocol = anthropic();
    let Some(recorded) = recorded::of(protocol.api()) else {
        return;
    };
    for recorded in &recorded {
        let reply = recorded.reply(&protocol).expect("a whole reply");
        let messages = vec![
            Message::user("Hello"),
            Message::Assistant(reply.message),
            Message::user("Go on."),
        ];
        let body = protocol.0.body(&ModelRequest::new(messages));
        let body: Value = serde_json::from_slice(&body).unwrap();
        let sent = body["messages"][1]["content"].as_array().unwrap().clone();
        assert_eq!(
            sent,
            normal(recorded_blocks(&recorded.body)),
            "{}",
            recorded.file
        );
    }
    let replies = recorded.len();
    println!("anthropic.messages: {replies} of {replies} replies go back as they came");
}
