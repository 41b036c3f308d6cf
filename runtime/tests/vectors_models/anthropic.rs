//! Anthropic Messages.

use helve_runtime::model::{AnthropicModel, Endpoint, ModelName, Reply, ResponseHead, StopReason};
use helve_runtime::transcript::Part;
use serde_json::{Value, json};

use crate::reading::{Events, Found, Pieces, Protocol};
use crate::recorded;

struct Anthropic(AnthropicModel);

impl Protocol for Anthropic {
    fn api(&self) -> &'static str {
        "anthropic.messages"
    }

    fn read<'a>(&'a self, head: ResponseHead, pieces: Pieces<'a>) -> Events<'a> {
        self.0.decode(head, pieces)
    }

    fn found(&self, reply: &Reply) -> Found {
        let mut found = Found::of(reply);
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
            let Part::ProviderItem { item, .. } = part else {
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

#[test]
fn every_recorded_response_is_read_right() {
    let endpoint = Endpoint::new("anthropic", "https://api.anthropic.com").unwrap();
    let name = ModelName::new("anthropic", "claude-sonnet-4-6");
    recorded::check(&Anthropic(AnthropicModel::new(name, endpoint)), &[]);
}
