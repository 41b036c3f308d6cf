//! What is read out of Chat Completions that are not as the documentation has them.

use std::time::Duration;

use helve_runtime::model::{ApiErrorKind, ModelError, ResponseHead, StopReason};
use helve_runtime::transcript::MessagePart;
use serde_json::{Value, json};

use crate::model_openai::conversation::{OPENAI, chat};
use crate::model_openai::reading::{api_error, assemble, chat_events, head, read_chat, streamed};

fn delta(delta: Value) -> Value {
    json!({"id": "r", "model": "m", "choices": [{"index": 0, "delta": delta}]})
}

fn end(reason: &str) -> Value {
    json!({"id": "r", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn stop(reason: &str) -> StopReason {
    read_chat(&[delta(json!({"content": "x"})), end(reason)])
        .unwrap()
        .stop
}

#[test]
fn a_reply_may_end_without_saying_done() {
    let reply = read_chat(&[delta(json!({"content": "Hi"})), end("stop")]).unwrap();
    assert_eq!(
        (reply.stop, reply.message.text()),
        (StopReason::EndTurn, "Hi".into())
    );
    let source = reply.message.source.unwrap();
    assert_eq!((&*source.api, &*source.model), ("openai.chat", "m"));
    assert_eq!(source.id.as_deref(), Some("r"));
}

#[test]
fn a_reply_that_says_done_may_lack_a_reason() {
    let model = chat("local/m", "http://localhost:1/v1");
    let read = |chunks: &[Value]| {
        let body = streamed(chunks) + "data: [DONE]\n\n";
        assemble(chat_events(&model, head("text/event-stream"), &body))
    };
    assert_eq!(
        read(&[delta(json!({"content": "Hi"}))]).unwrap().stop,
        StopReason::EndTurn
    );
    assert!(matches!(read(&[]), Err(ModelError::UnexpectedEnd)));
    let cut = read_chat(&[delta(json!({"content": "Hi"}))]);
    assert!(matches!(cut, Err(ModelError::UnexpectedEnd)), "{cut:?}");
}

#[test]
fn reasons_have_many_names() {
    assert_eq!(stop("length"), StopReason::MaxTokens);
    assert_eq!(stop("content_filter"), StopReason::Refusal);
    assert_eq!(stop("model_length"), StopReason::ContextWindow);
    assert_eq!(stop("eos"), StopReason::EndTurn);
    assert_eq!(stop("tool_calls"), StopReason::EndTurn);
    let error = api_error(read_chat(&[end("insufficient_system_resource")]));
    assert_eq!(error.kind, ApiErrorKind::Overloaded);
}

#[test]
fn a_call_is_a_call_whatever_the_reason() {
    let call =
        json!({"tool_calls": [{"id": "a", "function": {"name": "x", "arguments": {"n": 1}}}]});
    let reply = read_chat(&[delta(call), end("stop")]).unwrap();
    assert_eq!(reply.stop, StopReason::ToolUse);
    assert_eq!(
        reply.message.calls().next().unwrap().arguments,
        *"{\"n\":1}"
    );
}

#[test]
fn a_call_that_never_says_its_name_is_no_finished_reply() {
    let call = json!({"tool_calls": [{"index": 3, "function": {"arguments": "{\"n\":1}"}}]});
    for reason in ["tool_calls", "stop"] {
        let read = read_chat(&[delta(call.clone()), end(reason)]);
        assert!(matches!(read, Err(ModelError::Malformed(_))), "{read:?}");
    }
    let empty =
        json!({"tool_calls": [{"index": 0, "function": {"arguments": ""}}], "content": "x"});
    assert!(read_chat(&[delta(empty), end("stop")]).is_ok());
}

#[test]
fn a_refusal_is_text_that_ends_so() {
    let refusal = json!({"refusal": "I cannot."});
    let reply = read_chat(&[delta(refusal), end("stop")]).unwrap();
    assert_eq!(
        (reply.stop, reply.message.text()),
        (StopReason::Refusal, "I cannot.".into())
    );
}

#[test]
fn content_in_parts_is_text_and_thinking() {
    let parts = json!({"content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Hi"},
    ]});
    let reply = read_chat(&[delta(parts), end("stop")]).unwrap();
    let thinking = MessagePart::Thinking {
        text: "Hm.".into(),
        signature: None,
    };
    let text = MessagePart::Text { text: "Hi".into() };
    assert_eq!(reply.message.content, [thinking, text]);
}

#[test]
fn only_the_first_choice_is_asked_for() {
    let both = json!({"choices": [
        {"index": 1, "delta": {"content": "second"}},
        {"index": 0, "delta": {"content": "first"}},
    ]});
    let second =
        json!({"choices": [{"index": 1, "delta": {"content": "more"}, "finish_reason": "stop"}]});
    let reply = read_chat(&[both, second, end("stop")]).unwrap();
    assert_eq!(reply.message.text(), "first");
}

#[test]
fn a_message_at_the_end_that_repeats_everything_is_not_told_again() {
    let whole =
        json!({"choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}]});
    let reply = read_chat(&[delta(json!({"content": "Hi"})), whole.clone()]).unwrap();
    assert_eq!(reply.message.text(), "Hi");
    assert_eq!(read_chat(&[whole]).unwrap().message.text(), "Hi");
}

#[test]
fn errors_inside_of_a_stream_are_errors() {
    let rate = json!({"error": {"code": 429, "message": "slow down, try again in 1.5s"}});
    let error = api_error(read_chat(&[delta(json!({"content": "Hi"})), rate]));
    assert_eq!(
        (error.kind, error.status),
        (ApiErrorKind::RateLimited, None)
    );
    assert_eq!(error.retry_after, Some(Duration::from_millis(1500)));
    let model = chat("openai/gpt-5", OPENAI);
    let body = "event: error\ndata: {\"message\": \"it broke\", \"code\": \"server_error\"}\n\n";
    let error = api_error(assemble(chat_events(
        &model,
        head("text/event-stream"),
        body,
    )));
    assert_eq!(
        (error.kind, &*error.message),
        (ApiErrorKind::Server, "it broke")
    );
    let choice = json!({"choices": [{"index": 0, "error": {"code": 502, "message": "m"}, "finish_reason": "error"}]});
    assert_eq!(api_error(read_chat(&[choice])).kind, ApiErrorKind::Server);
}

#[test]
fn nonsense_is_an_error_that_says_so() {
    let model = chat("openai/gpt-5", OPENAI);
    for body in [
        "data: {nope}\n\ndata: [DONE]\n\n",
        "data: 7\n\ndata: [DONE]\n\n",
    ] {
        let read = assemble(chat_events(&model, head("text/event-stream"), body));
        assert!(matches!(read, Err(ModelError::Malformed(_))), "{read:?}");
    }
    let read = assemble(chat_events(
        &model,
        head("application/json"),
        "{\"choices\": []}",
    ));
    assert!(matches!(read, Err(ModelError::Malformed(_))), "{read:?}");
    let unknown = json!({"object": "news", "choices": [], "what": [1, 2]});
    assert!(read_chat(&[unknown, delta(json!({"content": "Hi"})), end("stop")]).is_ok());
}

#[test]
fn a_whole_reply_is_as_good_as_a_stream() {
    let body = json!({
        "id": "r", "model": "m",
        "choices": [{"message": {
            "content": null,
            "reasoning_content": "Hm.",
            "tool_calls": [{"function": {"name": "x", "arguments": "{}"}}, {"id": "b", "function": {"name": "y"}}],
        }, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    });
    let model = chat("openai/gpt-5", OPENAI);
    let reply = assemble(chat_events(
        &model,
        head("application/json"),
        &body.to_string(),
    ))
    .unwrap();
    let ids: Vec<_> = reply
        .message
        .calls()
        .map(|call| call.id.to_string())
        .collect();
    assert!(ids[0].starts_with("call_") && ids[1] == "b", "{ids:?}");
    assert_eq!(
        (reply.stop, reply.usage.output_tokens),
        (StopReason::ToolUse, 4)
    );
}

#[test]
fn errors_with_a_status_say_what_they_are() {
    let model = chat("xai/grok-4", "https://api.x.ai/v1");
    let error = |status: u16, body: &str| {
        api_error(assemble(chat_events(
            &model,
            ResponseHead::new(status),
            body,
        )))
    };
    let wrong_key = error(
        400,
        r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: x"}"#,
    );
    assert_eq!(wrong_key.kind, ApiErrorKind::Authentication);
    let long = error(
        400,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
    );
    assert_eq!(long.kind, ApiErrorKind::ContextTooLong);
    assert_eq!(
        error(
            400,
            r#"{"object":"error","message":"m","type":"BadRequestError"}"#
        )
        .message,
        "m"
    );
    assert_eq!(
        error(422, r#"{"detail":[{"loc":["body"],"msg":"extra fields"}]}"#).message,
        "extra fields"
    );
    assert_eq!(
        error(503, "<html><title>Busy</title></html>").kind,
        ApiErrorKind::Overloaded
    );
    assert_eq!(
        error(
            429,
            r#"{"error":{"code":"insufficient_quota","message":"m"}}"#
        )
        .kind,
        ApiErrorKind::Quota
    );
}

#[test]
fn details_are_thinking_where_nothing_else_is() {
    let piece = |text: &str| {
        delta(json!({"reasoning_details": [{"type": "reasoning.text", "text": text}]}))
    };
    let reply = read_chat(&[
        piece("a"),
        piece("b"),
        delta(json!({"content": "Hi"})),
        end("stop"),
    ])
    .unwrap();
    let thinking = MessagePart::Thinking {
        text: "ab".into(),
        signature: None,
    };
    assert_eq!(reply.message.content[0], thinking);
    let Some(MessagePart::ProviderItem { item, .. }) = reply.message.content.last() else {
        panic!("an item");
    };
    assert_eq!(
        item,
        r#"{"reasoning_details":[{"type":"reasoning.text","text":"ab"}]}"#
    );
}
