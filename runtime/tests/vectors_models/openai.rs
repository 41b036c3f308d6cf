//! OpenAI Chat Completions, of many providers, and OpenAI Responses.

use helve_runtime::model::{
    Endpoint, ModelName, OpenAiChatModel, OpenAiResponsesModel, Reply, ResponseHead, StopReason,
};
use helve_runtime::transcript::Part;
use serde_json::{Value, json};

use crate::reading::{Events, Found, Pieces, Protocol};
use crate::recorded;

struct Chat(OpenAiChatModel);

impl Protocol for Chat {
    fn api(&self) -> &'static str {
        "openai.chat"
    }

    fn read<'a>(&'a self, head: ResponseHead, pieces: Pieces<'a>) -> Events<'a> {
        self.0.decode(head, pieces)
    }

    fn found(&self, reply: &Reply) -> Found {
        let mut found = Found::of(reply);
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

    fn read<'a>(&'a self, head: ResponseHead, pieces: Pieces<'a>) -> Events<'a> {
        self.0.decode(head, pieces)
    }

    fn found(&self, reply: &Reply) -> Found {
        let mut found = Found::of(reply);
        found.stop_reason = match reply.stop {
            StopReason::EndTurn | StopReason::ToolUse => "completed",
            StopReason::MaxTokens => "incomplete",
            _ => "another",
        };
        for part in &reply.message.content {
            let Part::ProviderItem { item, .. } = part else {
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

#[test]
fn every_recorded_response_is_read_right() {
    let endpoint = Endpoint::new("openai", "https://api.openai.com/v1").unwrap();
    let name = ModelName::new("openai", "gpt-5");
    recorded::check(&Responses(OpenAiResponsesModel::new(name, endpoint)), &[]);
}
