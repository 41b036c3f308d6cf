//! What is read out of Responses that are not as the documentation has them.

use helve_runtime::model::{ApiErrorKind, ModelError, Reply, StopReason};
use helve_runtime::transcript::{ArgumentsDefect, MessagePart};
use serde_json::{Value, json};

use crate::model_openai::conversation::{OPENAI, responses};
use crate::model_openai::reading::{api_error, assemble, head, read_response, responses_events};

fn over(kind: &str, response: Value) -> Value {
    json!({"type": kind, "response": response})
}

fn completed() -> Value {
    over(
        "response.completed",
        json!({"id": "r", "status": "completed", "output": []}),
    )
}

fn whole(body: &Value) -> Result<Reply, ModelError> {
    let model = responses("openai/gpt-5", OPENAI);
    assemble(responses_events(
        &model,
        head("application/json"),
        &body.to_string(),
    ))
}

fn call_added() -> Value {
    json!({"type": "response.output_item.added", "output_index": 0,
        "item": {"type": "function_call", "id": "fc", "call_id": "c", "name": "x", "arguments": ""}})
}

fn arguments(delta: &str) -> Value {
    json!({"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc", "delta": delta})
}

fn arguments_done(text: &str) -> Value {
    json!({"type": "response.function_call_arguments.done", "output_index": 0, "item_id": "fc", "arguments": text})
}

#[test]
fn a_server_may_send_nothing_but_the_whole() {
    let output = json!([
        {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]},
        {"type": "function_call", "call_id": "c", "name": "x", "arguments": "{\"n\": 1}"},
    ]);
    let response = json!({"id": "r", "model": "m", "status": "completed", "output": output});
    let streamed = read_response(&[over("response.completed", response.clone())]).unwrap();
    let whole = whole(&response).unwrap();
    assert_eq!(streamed, whole);
    assert_eq!(whole.stop, StopReason::ToolUse);
    let thinking = MessagePart::Thinking {
        text: "a\n\nb".into(),
        signature: None,
    };
    assert_eq!(whole.message.content[0], thinking);
    assert_eq!(
        whole.message.calls().next().unwrap().arguments,
        *"{\"n\": 1}"
    );
}

#[test]
fn what_the_end_repeats_is_not_told_again() {
    let item =
        json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hi"}]});
    let reply = read_response(&[
        json!({"type": "response.output_text.delta", "output_index": 0, "item_id": "m", "delta": "Hi"}),
        json!({"type": "response.output_text.done", "output_index": 0, "item_id": "m", "text": "Hi"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        over(
            "response.completed",
            json!({"status": "completed", "output": [item]}),
        ),
    ]);
    assert_eq!(reply.unwrap().message.text(), "Hi");
}

#[test]
fn truncated_arguments_are_reported() {
    let reply = read_response(&[
        call_added(),
        arguments("{\"path\": \"/et"),
        over(
            "response.incomplete",
            json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}),
        ),
    ])
    .unwrap();
    assert_eq!(reply.stop, StopReason::MaxTokens);
    let call = reply.message.calls().next().unwrap();
    assert_eq!(call.defect, Some(ArgumentsDefect::Truncated));
    assert_eq!(call.arguments, *"{\"path\": \"/et");
}

#[test]
fn arguments_are_what_was_streamed_of_them() {
    let read = |events: &[Value]| {
        let mut all = vec![call_added()];
        all.extend_from_slice(events);
        all.push(completed());
        let reply = read_response(&all)?;
        Ok::<_, ModelError>(reply.message.calls().next().unwrap().arguments.to_string())
    };
    assert_eq!(read(&[arguments_done("{\"n\": 1}")]).unwrap(), "{\"n\": 1}");
    assert_eq!(
        read(&[arguments("{\"n\":"), arguments_done("{\"n\": 1}")]).unwrap(),
        "{\"n\": 1}"
    );
    assert_eq!(
        read(&[arguments("{\"n\":1}"), arguments_done("{\"n\": 1}")]).unwrap(),
        "{\"n\":1}"
    );
    let contradiction = read(&[arguments("{\"n\":1}"), arguments_done("{\"n\":2}")]);
    assert!(
        matches!(contradiction, Err(ModelError::Malformed(_))),
        "{contradiction:?}"
    );
}

#[test]
fn ends_have_reasons() {
    let stop = |kind: &str, response: Value| read_response(&[over(kind, response)]);
    let incomplete =
        |reason: &str| json!({"status": "incomplete", "incomplete_details": {"reason": reason}});
    let read = |reason: &str| {
        stop("response.incomplete", incomplete(reason))
            .unwrap()
            .stop
    };
    assert_eq!(read("content_filter"), StopReason::Refusal);
    assert_eq!(read("max_output_tokens"), StopReason::MaxTokens);
    let failed = json!({"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "try again in 20ms"}});
    let error = api_error(stop("response.failed", failed));
    assert_eq!(error.kind, ApiErrorKind::RateLimited);
    assert!(error.retry_after.is_some());
    let silent = api_error(stop(
        "response.failed",
        json!({"status": "failed", "error": null}),
    ));
    assert_eq!(silent.kind, ApiErrorKind::Server);
    let cancelled = stop("response.cancelled", json!({"status": "cancelled"}));
    assert!(matches!(cancelled, Err(ModelError::UnexpectedEnd)));
    assert!(matches!(
        read_response(&[call_added()]),
        Err(ModelError::UnexpectedEnd)
    ));
}

#[test]
fn refusals_are_text_that_ends_so() {
    let reply = read_response(&[
        json!({"type": "response.refusal.delta", "output_index": 0, "delta": "I cannot."}),
        completed(),
    ])
    .unwrap();
    assert_eq!(
        (reply.stop, reply.message.text()),
        (StopReason::Refusal, "I cannot.".into())
    );
}

#[test]
fn errors_inside_of_a_stream_are_errors() {
    let flat =
        json!({"type": "error", "code": "server_is_overloaded", "message": "m", "param": null});
    assert_eq!(
        api_error(read_response(&[flat])).kind,
        ApiErrorKind::Overloaded
    );
    let nested = json!({"type": "error", "error": {"type": "invalid_request_error", "code": "context_length_exceeded", "message": "m"}});
    assert_eq!(
        api_error(read_response(&[nested])).kind,
        ApiErrorKind::ContextTooLong
    );
    let gateway = json!({"error": {"message": "upstream", "code": 502}});
    assert_eq!(
        api_error(read_response(&[gateway])).kind,
        ApiErrorKind::Server
    );
    let with_success = whole(&json!({"error": {"message": "no", "code": "invalid_api_key"}}));
    assert_eq!(api_error(with_success).kind, ApiErrorKind::Authentication);
}

#[test]
fn events_without_places_are_about_the_last_item() {
    let reply = read_response(&[
        json!({"type": "response.output_item.added", "item": {"type": "function_call", "call_id": "c", "name": "x"}}),
        json!({"type": "response.function_call_arguments.delta", "delta": "{}"}),
        json!({"type": "response.output_item.done", "item": {"type": "function_call", "call_id": "c", "name": "x", "arguments": "{}"}}),
        json!({"type": "response.output_item.done", "item": {"type": "function_call", "call_id": "d", "name": "y", "arguments": ""}}),
        over("response.completed", json!({"status": "completed", "output": [
            {"type": "function_call", "call_id": "c", "name": "x", "arguments": "{}"},
            {"type": "function_call", "call_id": "d", "name": "y", "arguments": ""},
        ]})),
    ])
    .unwrap();
    let calls: Vec<_> = reply
        .message
        .calls()
        .map(|call| (call.id.to_string(), call.arguments.to_string()))
        .collect();
    assert_eq!(
        calls,
        [("c".into(), "{}".into()), ("d".into(), String::new())]
    );
}

/// Writes the events of a message whose id is another one in each, if it changes.
fn message_events(index: u64, ids: [&str; 3], text: &str) -> [Value; 3] {
    let item = |id: &str| json!({"type": "message", "id": id, "content": [{"type": "output_text", "text": text}]});
    [
        json!({"type": "response.output_item.added", "output_index": index, "item": {"type": "message", "id": ids[0]}}),
        json!({"type": "response.output_text.delta", "output_index": index, "item_id": ids[1], "delta": text}),
        json!({"type": "response.output_item.done", "output_index": index, "item": item(ids[2])}),
    ]
}

#[test]
fn ids_of_items_may_change_and_all_may_be_the_first() {
    let item = |id: &str, text: &str| json!({"type": "message", "id": id, "content": [{"type": "output_text", "text": text}]});
    let end = |output: Value| {
        over(
            "response.completed",
            json!({"status": "completed", "output": output}),
        )
    };
    let mut events = message_events(0, ["a", "b", "c"], "Hi").to_vec();
    events.push(end(json!([item("d", "Hi")])));
    assert_eq!(read_response(&events).unwrap().message.text(), "Hi");
    let mut events = message_events(0, ["a"; 3], "Hi ").to_vec();
    events.extend(message_events(0, ["b"; 3], "there"));
    events.push(end(json!([item("a", "Hi "), item("b", "there")])));
    assert_eq!(read_response(&events).unwrap().message.text(), "Hi there");
}

#[test]
fn paragraphs_of_thinking_are_kept_apart() {
    let summary = |part: u64, text: &str| json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": part, "delta": text});
    let item = json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "g"});
    let reply = read_response(&[
        summary(0, "**A**"),
        summary(0, " a"),
        summary(1, "**B**"),
        json!({"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "raw"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        completed(),
    ])
    .unwrap();
    let thinking = MessagePart::Thinking {
        text: "**A** a\n\n**B**".into(),
        signature: Some(item.to_string()),
    };
    assert_eq!(reply.message.content, [thinking]);
}

#[test]
fn nonsense_is_an_error_that_says_so() {
    let no_type =
        json!({"type": "response.output_item.done", "output_index": 0, "item": {"id": "x"}});
    let no_item = json!({"type": "response.output_item.done", "output_index": 0});
    let no_name = json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "function_call"}});
    for event in [no_type, no_item, no_name] {
        let read = read_response(&[event, completed()]);
        assert!(matches!(read, Err(ModelError::Malformed(_))), "{read:?}");
    }
    let unknown = json!({"type": "response.news", "output_index": 99, "delta": {}});
    assert!(read_response(&[unknown, completed()]).is_ok());
    assert!(matches!(
        whole(&json!({"id": "r"})),
        Err(ModelError::Malformed(_))
    ));
}
