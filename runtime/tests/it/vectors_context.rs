//! How other systems count and share out the model's context, held against helve; see `support/vectors.rs`.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::vectors;

use std::sync::Arc;

use helve_runtime::ToolContext;
use helve_runtime::agent::session::{MemoryStore, SessionMetadata, Sessions};
use helve_runtime::agent::{Agent, Conversation};
use helve_runtime::model::{EstimatedTokenCounter, ModelRequest, ScriptedModel, TokenCounter as _};
use helve_runtime::transcript::Message;
use serde_json::Value;
use vectors::{Case, Tally, load_topic};

/// What of a budget helve has no counterpart for, wherever a case has it.
const SHARES: &str = "the shares of history, recent and new messages are the reference's: helve has one window, ages results \
    from 0.3 of it on and sums up at 0.8";

#[test]
fn context_budget() {
    let Some(cases) = load_topic("context_budget") else {
        return;
    };
    let mut tally = Tally::new("context_budget");
    for case in &cases {
        match &*case.function {
            "calculate_str_token_length" => {
                let found =
                    EstimatedTokenCounter.count_text(case.input["content"].as_str().unwrap());
                tally.compare(case, &found, &case.expected.as_u64().unwrap());
            }
            "calculate_budget" => {
                println!("  {}: in part: {SHARES}", case.id);
                budget(&mut tally, case);
            }
            other => panic!("{}: unknown function {other}", case.id),
        }
    }
    tally.finish(&[]);
}

/// Returns the first of these keys that an input has, wherever it keeps them.
fn input(case: &Case, key: &str) -> Value {
    let own = &case.input["$self"][key];
    if own.is_null() {
        case.input[key].clone()
    } else {
        own.clone()
    }
}

/// What instructions take is the same, and is not available to the conversation: in helve, one that would just fit without
/// them is summed up.
fn budget(tally: &mut Tally, case: &Case) {
    let config = spaced(&input(case, "agent_config"));
    let window = input(case, "max_model_len").as_u64().unwrap();
    let mut request = ModelRequest::new(Vec::new());
    request.system = Some(config.as_str().into());
    let taken = EstimatedTokenCounter.count_prefix(&request);
    let found = (taken, window.saturating_sub(taken));
    let recorded = |key: &str| case.expected[key].as_u64().unwrap();
    let expected = (
        recorded("agent_config_tokens"),
        recorded("available_tokens"),
    );
    if found == expected && !takes_room(&config, window) {
        return tally.differ_laxer(case, "instructions take no room of the window");
    }
    tally.compare(case, &found, &expected);
}

/// Writes JSON with a space behind commas and colons, as the reference does.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), spaced(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Reports whether a conversation that fills less than 0.8 of a window by itself is summed up once there are instructions
/// that take the rest.
fn takes_room(instructions: &str, window: u64) -> bool {
    let taken = EstimatedTokenCounter.count_text(instructions);
    // Four letters are a token: with the instructions it is 0.8 of the window, without them it is not.
    let reply = (window * 8).div_ceil(10).saturating_sub(taken).max(4) + 1;
    let replies = usize::try_from(reply).unwrap() * 4;
    let summed_up = |instructions: Option<&str>| {
        let model = Arc::new(
            ScriptedModel::new()
                .say("x".repeat(replies))
                .say("Summed up.")
                .say("Yes."),
        );
        let mut agent = Agent::with_model("main", model.clone()).context_window(window);
        if let Some(instructions) = instructions {
            agent = agent.instructions(instructions);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let sessions = Sessions::new(MemoryStore::new());
            let session = sessions.create(SessionMetadata::new("test")).await.unwrap();
            let mut conversation = Conversation::new(session);
            for says in ["a", "b"] {
                let context = ToolContext::new();
                let told = agent.run_in(&mut conversation, Message::user(says), &context, |_| {});
                told.await.unwrap();
            }
        });
        model.used() == 3
    };
    summed_up(Some(instructions)) && !summed_up(None)
}
