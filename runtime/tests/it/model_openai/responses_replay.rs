//! A reply of Responses that is read, kept and sent back.

use helve_runtime::model::{ModelRequest, OpenAiResponsesModel};
use helve_runtime::transcript::{Message, MessagePart};
use serde_json::{Value, json};

use crate::model_openai::conversation::{OPENAI, responses};
use crate::model_openai::reading::read_response;

/// Reads a reply of these items, keeps it as a journal does, and returns what goes back of it.
fn back(items: &[Value]) -> Vec<Value> {
    back_to(&responses("openai/gpt-5", OPENAI), items)
}

fn back_to(model: &OpenAiResponsesModel, items: &[Value]) -> Vec<Value> {
    let mut events: Vec<_> = (0..)
        .zip(items)
        .map(|(index, item): (u64, _)| json!({"type": "response.output_item.done", "output_index": index, "item": item}))
        .collect();
    events.push(
        json!({"type": "response.completed", "response": {"status": "completed", "output": items}}),
    );
    let reply = read_response(&events).unwrap();
    let kept = serde_json::to_string(&Message::Assistant(reply.message)).unwrap();
    let request = ModelRequest::new(vec![serde_json::from_str(&kept).unwrap()]);
    let body: Value = serde_json::from_slice(&model.body(&request)).unwrap();
    body["input"].as_array().unwrap().clone()
}

fn call() -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": "c", "name": "x", "arguments": "{}", "status": "completed"})
}

fn reasoning(id: &str) -> Value {
    json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAA", "odd": [1.50, null]})
}

#[test]
fn reasoning_goes_back_before_its_call() {
    let sent = back(&[reasoning("rs_1"), reasoning("rs_2"), call()]);
    assert_eq!(sent[..2], [reasoning("rs_1"), reasoning("rs_2")]);
    let call = json!({"type": "function_call", "call_id": "c", "name": "x", "arguments": "{}"});
    assert_eq!(sent[2..], [call]);
}

#[test]
fn reasoning_that_led_to_nothing_stays_here() {
    assert_eq!(back(&[reasoning("rs_1")]), [] as [Value; 0]);
}

#[test]
fn reasoning_without_a_proof_goes_back_where_it_is_understood() {
    let plain = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]});
    let items = [plain.clone(), call()];
    assert_eq!(back(&items).len(), 1);
    // Anything but the host is the same, so that what is read of it is at home there.
    let elsewhere = responses("openai/grok", "https://api.x.ai/v1");
    assert_eq!(back_to(&elsewhere, &items)[0], plain);
}

#[test]
fn items_of_types_that_nobody_knows_go_back() {
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed"});
    let news = json!({"type": "news_of_tomorrow", "id": "n_1", "deep": {"er": [1, 2]}});
    assert_eq!(back(&[search.clone(), news.clone()]), [search, news]);
}

#[test]
fn the_phase_of_a_message_goes_back_with_its_text_and_without_its_id() {
    let message = |id: Option<&str>, text: &str, phase: Option<&str>| {
        let mut message = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]});
        if let Some(id) = id {
            message["id"] = id.into();
        }
        if let Some(phase) = phase {
            message["phase"] = phase.into();
        }
        message
    };
    let sent = back(&[
        message(Some("m1"), "Plain.", None),
        message(Some("m2"), "Let me see.", Some("commentary")),
        message(Some("m3"), "A cat.", Some("final_answer")),
    ]);
    let plain = json!({"type": "message", "role": "assistant", "content": "Plain."});
    let commentary = message(None, "Let me see.", Some("commentary"));
    let answer = message(None, "A cat.", Some("final_answer"));
    assert_eq!(sent, [plain, commentary, answer]);
}

#[test]
fn what_only_the_provider_understands_of_a_call_goes_back() {
    let mut found = call();
    found["namespace"] = "mail".into();
    let sent = back(&[found]);
    assert_eq!(sent[0]["namespace"], "mail");
    assert_eq!(sent[0].get("status"), None);
}

#[test]
fn a_text_that_was_edited_is_truer_than_its_item() {
    let message = json!({"type": "message", "role": "assistant", "phase": "commentary", "content": [{"type": "output_text", "text": "secret"}]});
    let item = MessagePart::ProviderItem {
        api: "openai.responses".into(),
        item: message.to_string().into(),
    };
    let edited = MessagePart::Text {
        text: "[redacted]".into(),
    };
    let mut reply = helve_runtime::transcript::AssistantMessage::default();
    reply.content = vec![edited, item];
    let request = ModelRequest::new(vec![Message::Assistant(reply)]);
    let body = responses("openai/gpt-5", OPENAI).body(&request);
    let body = String::from_utf8(body).unwrap();
    assert!(
        body.contains("[redacted]") && !body.contains("secret"),
        "{body}"
    );
}
