//! The offer is a part of the records: it is there after a reload, and the same bytes go out while nothing changes.

use helve::agent::exposure::{ToolExposure, ToolGroup};
use std::sync::Arc;

use helve::agent::session::{MemoryStore, SessionMetadata, Sessions};
use helve::agent::{Agent, Conversation};
use helve::model::{ModelRequest, ScriptedModel};
use helve::prelude::*;
use helve::transcript::{Message, SessionId};
use serde_json::json;

use crate::offer::{ToolCallLog, numbered, offered};

fn agent(ran: &ToolCallLog, model: &Arc<ScriptedModel>) -> Agent {
    let fillers = numbered(20);
    let tools = ran
        .tool("walk_dog", "Takes a dog out.")
        .layered(&ran.tools(fillers.iter().map(String::as_str)));
    let shop = ToolGroup::new("shop", "The shop.")
        .tools(ran.tools(["sell"]))
        .off();
    Agent::with_model("main", model.clone())
        .instructions("You help.")
        .toolset(tools)
        .tool_exposure(ToolExposure::new().group(shop).unwrap())
}

/// Writes a request as a client would, but for the conversation.
fn prefix(request: &ModelRequest) -> String {
    let tools: Vec<_> = request
        .tools
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": &*tool.description, "input_schema": tool.input_schema.value() }))
        .collect();
    json!({ "system": request.system.as_deref(), "tools": tools }).to_string()
}

async fn say(agent: &Agent, conversation: &mut Conversation, says: &str) {
    let context = ToolContext::new();
    let told = agent.run_in(conversation, Message::user(says), &context, |_| {});
    told.await.unwrap();
}

#[tokio::test]
async fn the_prefix_is_the_same_bytes_while_nothing_changes() {
    let ran = ToolCallLog::default();
    let model = Arc::new(
        ScriptedModel::new()
            .call("tool_expand_tools", json!({ "tool_names": ["tool_05"] }))
            .say("One.")
            .say("Two.")
            .call("walk_dog", json!({}))
            .say("Three.")
            .say("Four."),
    );
    let agent = agent(&ran, &model);
    let sessions = Sessions::new(MemoryStore::default());
    let id = SessionId::new("s1");
    let session = sessions
        .create(SessionMetadata::new("test").session(id.clone()))
        .await
        .unwrap();
    let mut conversation = Conversation::new(session);
    for says in ["My dog is restless.", "The dog again.", "The dog, please."] {
        say(&agent, &mut conversation, says).await;
    }
    drop(conversation);
    // Another process, which knows nothing but the journal.
    let mut conversation = Conversation::from(sessions.load(&id).await.unwrap());
    say(&agent, &mut conversation, "And the dog once more.").await;

    let requests = model.requests();
    let prefixes: Vec<String> = requests.iter().map(prefix).collect();
    assert_eq!(requests.len(), 6);
    assert_eq!(
        offered(&requests[1]),
        [
            "reset_tools",
            "tool_05",
            "tool_expand_tools",
            "tool_search",
            "walk_dog"
        ]
    );
    assert_ne!(prefixes[0], prefixes[1], "it asked for one more");
    for later in &prefixes[2..] {
        assert_eq!(*later, prefixes[1]);
    }
}

#[tokio::test]
async fn groups_stay_as_they_were_switched() {
    let ran = ToolCallLog::default();
    let model = Arc::new(
        ScriptedModel::new()
            .call("reset_tools", json!({ "shop": true }))
            .say("One.")
            .call("tool_expand_tools", json!({ "tool_names": ["sell"] }))
            .call("sell", json!({}))
            .say("Two."),
    );
    let agent = agent(&ran, &model);
    let sessions = Sessions::new(MemoryStore::default());
    let id = SessionId::new("s1");
    let session = sessions
        .create(SessionMetadata::new("test").session(id.clone()))
        .await
        .unwrap();
    let mut conversation = Conversation::new(session);
    say(&agent, &mut conversation, "Open the shop.").await;
    drop(conversation);
    let mut conversation = Conversation::from(sessions.load(&id).await.unwrap());
    say(&agent, &mut conversation, "Sell one.").await;
    assert_eq!(ran.names(), ["sell"]);
}
