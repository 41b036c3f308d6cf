//! What is read out of Anthropic's events, without a connection.

use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};
use helve_runtime::model::{
    ApiErrorKind, Assembler, Endpoint, ModelError, ModelEvent, Reply, ResponseHead, StopReason,
};
use helve_runtime::transcript::{ArgumentsDefect, MessagePart, Usage};
use serde_json::{Value, json};

use crate::model_http::server::model;

/// Reads these events, which come in one piece.
fn events(events: &[Value]) -> Result<Vec<ModelEvent>, ModelError> {
    let body: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    read("text/event-stream", body)
}

fn read(kind: &str, body: String) -> Result<Vec<ModelEvent>, ModelError> {
    let endpoint = Endpoint::new("anthropic", "https://api.anthropic.com").unwrap();
    let model = model(endpoint);
    let head = ResponseHead::new(200).header("content-type", kind);
    let pieces = stream::iter([Ok(body)]);
    let events = model.decode(head, pieces).boxed().try_collect();
    events.now_or_never().expect("nothing to wait for")
}

fn reply(sent: &[Value]) -> Result<Reply, ModelError> {
    let mut assembler = Assembler::new();
    for event in events(sent)? {
        assembler.push(event)?;
    }
    assembler.finish()
}

fn begin(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn more(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn end(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn call(index: u64, id: &str) -> Value {
    begin(
        index,
        json!({"type": "tool_use", "id": id, "name": "look", "input": {}}),
    )
}

fn arguments(index: u64, text: &str) -> Value {
    more(
        index,
        json!({"type": "input_json_delta", "partial_json": text}),
    )
}

fn stop(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ]
}

fn with_stop(blocks: Vec<Value>, reason: &str) -> Vec<Value> {
    blocks.into_iter().chain(stop(reason)).collect()
}

fn items(reply: &Reply) -> Vec<Value> {
    let items = reply.message.content.iter().filter_map(|part| match part {
        MessagePart::ProviderItem { api, item } if api == "anthropic.messages" => Some(item),
        _ => None,
    });
    items
        .map(|item| serde_json::from_str(item).unwrap())
        .collect()
}

#[test]
fn calls_that_interleave_keep_their_own_arguments() {
    let blocks = vec![
        call(0, "a"),
        call(1, "b"),
        arguments(0, "{\"n\":"),
        arguments(1, "{\"m\":2}"),
        arguments(0, "1}"),
        end(1),
        end(0),
    ];
    let reply = reply(&with_stop(blocks, "tool_use")).unwrap();
    let calls: Vec<_> = reply
        .message
        .calls()
        .map(|call| (&*call.id, &*call.arguments))
        .collect();
    assert_eq!(calls, [("a", "{\"n\":1}"), ("b", "{\"m\":2}")]);
    assert_eq!(reply.stop, StopReason::ToolUse);
}

#[test]
fn a_call_without_arguments_is_told_from_one_that_was_cut() {
    let bare = |reason| {
        let blocks = vec![call(0, "a"), arguments(0, ""), end(0)];
        let reply = reply(&with_stop(blocks, reason)).unwrap();
        let call = reply.message.calls().next().unwrap().clone();
        (call.arguments.as_str().to_owned(), call.defect)
    };
    assert_eq!(bare("tool_use"), ("{}".into(), None));
    for cut in ["max_tokens", "model_context_window_exceeded", "refusal"] {
        assert_eq!(bare(cut), (String::new(), Some(ArgumentsDefect::Truncated)));
    }
    let cut = vec![call(0, "a"), arguments(0, "{\"path\": \"a"), end(0)];
    let cut = reply(&with_stop(cut, "max_tokens")).unwrap();
    let call = cut.message.calls().next().unwrap();
    assert_eq!(call.arguments, "{\"path\": \"a");
    assert_eq!(call.defect, Some(ArgumentsDefect::Truncated));
}

#[test]
fn arguments_that_come_with_the_beginning_are_arguments() {
    let whole = json!({"type": "tool_use", "id": "a", "name": "look", "input": {"path": "x"}});
    let reply = reply(&with_stop(vec![begin(0, whole), end(0)], "tool_use")).unwrap();
    assert_eq!(
        reply.message.calls().next().unwrap().arguments,
        "{\"path\":\"x\"}"
    );
}

#[test]
fn thinking_keeps_its_proof_and_what_is_hidden_is_kept_whole() {
    let redacted = json!({"type": "redacted_thinking", "data": "opaque=="});
    let blocks = vec![
        begin(
            0,
            json!({"type": "thinking", "thinking": "", "signature": ""}),
        ),
        more(0, json!({"type": "thinking_delta", "thinking": "Hm"})),
        more(0, json!({"type": "thinking_delta", "thinking": "m."})),
        more(0, json!({"type": "signature_delta", "signature": "pro"})),
        more(0, json!({"type": "signature_delta", "signature": "of"})),
        end(0),
        begin(1, redacted.clone()),
        end(1),
        begin(
            2,
            json!({"type": "thinking", "thinking": "", "signature": "hidden"}),
        ),
        end(2),
    ];
    let reply = reply(&with_stop(blocks, "end_turn")).unwrap();
    let proof = |text: &str, signature: &str| MessagePart::Thinking {
        text: text.into(),
        signature: Some(signature.into()),
    };
    assert_eq!(reply.message.content[0], proof("Hmm.", "proof"));
    assert_eq!(items(&reply), [redacted]);
    assert_eq!(reply.message.content[2], proof("", "hidden"));
}

#[test]
fn what_the_provider_ran_itself_is_kept_as_it_came() {
    let found =
        json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"n": 1.50}]});
    let blocks = vec![
        begin(
            0,
            json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
        ),
        arguments(0, "{\"query\": "),
        arguments(0, "\"x\"}"),
        end(0),
        begin(1, found.clone()),
        end(1),
        begin(2, json!({"type": "text", "text": "", "citations": []})),
        more(
            2,
            json!({"type": "citations_delta", "citation": {"url": "u"}}),
        ),
        more(2, json!({"type": "text_delta", "text": "So."})),
        end(2),
        begin(
            3,
            json!({"type": "server_tool_use", "id": "t", "name": "web_search", "input": {}}),
        ),
        arguments(3, "{\"query\": \"cut"),
    ];
    let reply = reply(&with_stop(blocks, "pause_turn")).unwrap();
    let search = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}});
    let cut = json!({"type": "server_tool_use", "id": "t", "name": "web_search", "input": {}});
    assert_eq!(items(&reply), [search, found, cut]);
    assert_eq!(
        (&*reply.message.text(), reply.stop),
        ("So.", StopReason::PauseTurn)
    );
}

#[test]
fn what_there_will_be_is_kept_or_passed_over() {
    let blocks = vec![
        json!({"type": "ping"}),
        json!({"type": "weather_report", "index": "seven", "delta": [1]}),
        begin(
            0,
            json!({"type": "compaction", "content": null, "parts": [1]}),
        ),
        more(
            0,
            json!({"type": "compaction_delta", "content": "We ", "parts": [2]}),
        ),
        more(0, json!({"type": "compaction_delta", "content": "spoke."})),
        end(0),
        begin(1, json!({"type": "text", "text": "A"})),
        more(1, json!({"type": "glow_delta", "glow": 7})),
        more(1, json!({"type": "text_delta", "text": "b"})),
        end(1),
    ];
    let reply = reply(&with_stop(blocks, "a_new_reason")).unwrap();
    let compaction = json!({"type": "compaction", "content": "We spoke.", "parts": [1, 2]});
    assert_eq!(items(&reply), [compaction]);
    assert_eq!(
        (&*reply.message.text(), reply.stop),
        ("Ab", StopReason::EndTurn)
    );
}

#[test]
fn every_reason_to_stop_is_known() {
    let reason = |word| reply(&stop(word)).unwrap().stop;
    assert_eq!(reason("end_turn"), StopReason::EndTurn);
    assert_eq!(reason("tool_use"), StopReason::ToolUse);
    assert_eq!(reason("max_tokens"), StopReason::MaxTokens);
    assert_eq!(reason("stop_sequence"), StopReason::StopSequence);
    assert_eq!(reason("refusal"), StopReason::Refusal);
    assert_eq!(reason("pause_turn"), StopReason::PauseTurn);
    assert_eq!(
        reason("model_context_window_exceeded"),
        StopReason::ContextWindow
    );
    let calls = with_stop(vec![call(0, "a"), end(0)], "a_new_reason");
    assert_eq!(reply(&calls).unwrap().stop, StopReason::ToolUse);
}

#[test]
fn the_input_counts_what_came_from_the_cache() {
    let start = json!({"type": "message_start", "message": {"id": "m", "model": "x", "usage":
        {"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30, "output_tokens": 1}}});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage":
        {"output_tokens": 50, "cache_read_input_tokens": null, "output_tokens_details": {"thinking_tokens": 20}}});
    let mut expected = Usage::new(240, 50);
    expected.cache_read_input_tokens = 200;
    expected.cache_creation_input_tokens = 30;
    expected.reasoning_output_tokens = 20;
    assert_eq!(reply(&[start, end]).unwrap().usage, expected);
}

#[test]
fn a_later_count_replaces_the_one_before_even_where_it_is_zero() {
    // As after a compaction: what was counted at first is not what is paid for.
    let start = json!({"type": "message_start", "message": {"id": "m", "model": "x", "usage":
        {"input_tokens": 55_096, "cache_read_input_tokens": 7, "output_tokens": 1}}});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage":
        {"input_tokens": 181, "cache_read_input_tokens": 0, "output_tokens": 0}});
    assert_eq!(reply(&[start, end]).unwrap().usage, Usage::new(181, 0));
}

#[test]
fn a_reply_is_whole_once_it_said_why_it_stopped() {
    let [reason, _] = stop("end_turn");
    let text = begin(0, json!({"type": "text", "text": "Done"}));
    assert_eq!(
        reply(&[text.clone(), reason]).unwrap().message.text(),
        "Done"
    );
    assert!(matches!(reply(&[text]), Err(ModelError::UnexpectedEnd)));
    assert!(matches!(reply(&[]), Err(ModelError::UnexpectedEnd)));
    let done = "data: {\"type\":\"message_stop\"}\n\ndata: [DONE]\n\n".to_owned();
    assert_eq!(read("text/event-stream", done).unwrap().len(), 1);
}

#[test]
fn errors_in_a_stream_have_their_kind() {
    let kind = |word: &str| {
        let error = json!({"type": "error", "error": {"type": word, "message": "It failed."}});
        match reply(&[error]) {
            Err(ModelError::Api(error)) => (error.kind, error.code.unwrap()),
            other => panic!("{other:?}"),
        }
    };
    for (word, expected) in [
        ("overloaded_error", ApiErrorKind::Overloaded),
        ("api_error", ApiErrorKind::Server),
        ("rate_limit_error", ApiErrorKind::RateLimited),
        ("invalid_request_error", ApiErrorKind::InvalidRequest),
        ("authentication_error", ApiErrorKind::Authentication),
        ("billing_error", ApiErrorKind::Quota),
        ("a_new_error", ApiErrorKind::Other),
    ] {
        assert_eq!(kind(word), (expected, word.to_owned()));
    }
}

#[test]
fn a_whole_reply_that_is_cut_is_broken_off() {
    let whole =
        r#"{"type":"message","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}"#;
    let read = |text: &str| read("application/json", text.to_owned());
    assert!(read(whole).is_ok());
    assert!(matches!(read(&whole[..40]), Err(ModelError::UnexpectedEnd)));
    assert!(matches!(
        read("{\"type\":\"list\"}"),
        Err(ModelError::Malformed(_))
    ));
    let error = read(r#"{"type":"error","error":{"type":"api_error","message":"no"}}"#);
    assert!(matches!(error, Err(ModelError::Api(_))));
}
