//! Whatever a server sends, what is told of it hangs together: no call twice, no arguments without a call, nothing after
//! the end.

use std::fmt::Write as _;

use helve_runtime::model::{Assembler, ModelError, ModelEvent};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::model_openai::conversation::{OPENAI, chat, responses};
use crate::model_openai::reading::{chat_events, head, responses_events, streamed};

type Events = Vec<Result<ModelEvent, ModelError>>;

/// Fails where the events contradict each other; that the reply itself is wrong may be said in an error at the end.
fn hangs_together(events: Events) -> Result<(), TestCaseError> {
    let mut assembler = Assembler::new();
    let last = events.len();
    for (place, event) in (1..).zip(events) {
        match event {
            Ok(event) => {
                let told = format!("{event:?}");
                let pushed = assembler.push(event);
                prop_assert!(pushed.is_ok(), "{pushed:?}: {told}");
            }
            Err(_) => prop_assert_eq!(place, last, "an error is the last"),
        }
    }
    Ok(())
}

fn text() -> impl Strategy<Value = Value> {
    let texts = [
        "",
        "a",
        "b",
        "x",
        "{",
        "}",
        "{}",
        "{\"n\":1}",
        ":1}",
        "[DONE]",
    ];
    prop_oneof![
        8 => prop::sample::select(texts.to_vec()).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!({"n": 1})),
        1 => Just(json!([7, "x"])),
    ]
}

fn index() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0..3_u64).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!(-1)),
        1 => Just(json!("0")),
    ]
}

fn chunk() -> impl Strategy<Value = Value> {
    let call = (index(), text(), text(), text()).prop_map(|(index, id, name, arguments)| {
        json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}})
    });
    let reason = prop::sample::select(vec![
        json!(null),
        json!("stop"),
        json!("tool_calls"),
        json!("length"),
    ]);
    let calls = prop::collection::vec(call, 0..3);
    (text(), text(), calls, reason).prop_map(|(content, thinking, calls, reason)| {
        json!({
            "id": "r",
            "choices": [{
                "delta": {"content": content, "reasoning": thinking, "tool_calls": calls},
                "finish_reason": reason,
            }],
            "usage": {"prompt_tokens": content},
        })
    })
}

fn event() -> impl Strategy<Value = Value> {
    let kinds = [
        "response.created",
        "response.output_item.added",
        "response.output_item.done",
        "response.output_text.delta",
        "response.output_text.done",
        "response.refusal.done",
        "response.reasoning_summary_text.delta",
        "response.reasoning_text.delta",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.news",
    ];
    let types = ["function_call", "message", "reasoning", "web_search_call"];
    let item = (
        prop::sample::select(types.to_vec()),
        text(),
        text(),
        text(),
        text(),
    );
    let item = item.prop_map(|(kind, id, call, name, arguments)| {
        json!({
            "type": kind, "id": id, "call_id": call, "name": name, "arguments": arguments,
            "encrypted_content": name, "phase": call,
            "content": [{"type": "output_text", "text": arguments}],
        })
    });
    let kind = prop::sample::select(kinds.to_vec());
    (kind, index(), text(), text(), item).prop_map(|(kind, index, id, text, item)| {
        json!({
            "type": kind, "output_index": index, "item_id": id, "summary_index": index,
            "delta": text, "text": text, "refusal": text, "arguments": text, "item": item,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chat_completions_hang_together(chunks in prop::collection::vec(chunk(), 0..12), done: bool) {
        let mut body = streamed(&chunks);
        if done {
            write!(body, "data: [DONE]\n\n").unwrap();
        }
        let model = chat("openai/gpt-5", OPENAI);
        hangs_together(chat_events(&model, head("text/event-stream"), &body))?;
        if let Some(whole) = chunks.first() {
            let whole = whole.to_string().replace("\"delta\"", "\"message\"");
            hangs_together(chat_events(&model, head("application/json"), &whole))?;
        }
    }

    #[test]
    fn responses_hang_together(events in prop::collection::vec(event(), 0..12)) {
        let output: Vec<_> = events.iter().map(|event| event["item"].clone()).collect();
        let response = json!({"id": "r", "status": "completed", "output": output});
        let mut events = events;
        events.push(json!({"type": "response.completed", "response": response}));
        let model = responses("openai/gpt-5", OPENAI);
        hangs_together(responses_events(&model, head("text/event-stream"), &streamed(&events)))?;
        hangs_together(responses_events(&model, head("application/json"), &response.to_string()))?;
    }
}
