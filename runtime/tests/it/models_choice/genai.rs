//! What goes out through genai, and what is made of answers that are no reply.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use helve_runtime::model::{
    Api, ApiErrorKind, Assembler, Effort, Endpoint, GenaiModel, Model as _, ModelError, ModelEvent,
    ModelName, ModelOptions, ModelRequest, OfferedTool, OutputFormat, Reply, StopReason,
};
use helve_runtime::schema::CanonicalSchema;
use helve_runtime::transcript::{
    AssistantMessage, Content, ContentBlock, Message, MessagePart, Note, NoteSource, ReplySource,
    ToolCall, ToolCallResult,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const KEY: &str = "very-secret-key";

/// What came of a request, and the request as it went out.
struct Exchange {
    reply: Result<Reply, ModelError>,
    events: Vec<ModelEvent>,
    head: String,
    body: Value,
}

/// Asks a model whose provider answers with this.
async fn exchange(api: Api, request: &ModelRequest, head: &str, answer: &str) -> Exchange {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/base", listener.local_addr().unwrap());
    let (header, value) = match api {
        Api::Gemini => ("x-goog-api-key", KEY.to_owned()),
        _ => ("authorization", format!("Bearer {KEY}")),
    };
    let endpoint = Endpoint::new("acme", &base)
        .and_then(|endpoint| endpoint.secret_header(header, &value))
        .and_then(|endpoint| endpoint.header("x-team", "tools"))
        .unwrap()
        .key_source("ACME_KEY");
    let model = GenaiModel::new(ModelName::new("acme", "gemini-3-flash"), api, endpoint).unwrap();
    let asking = async {
        let (mut assembler, mut seen) = (Assembler::new(), Vec::new());
        let mut events = model.reply(request);
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => {
                    seen.push(event.clone());
                    assembler
                        .push(event)
                        .expect("events that follow each other");
                }
                Err(error) => return (Err(error), seen),
            }
        }
        (assembler.finish(), seen)
    };
    let answering = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        let (sent, body) = loop {
            let mut piece = [0; 4096];
            let length = stream.read(&mut piece).await.unwrap();
            request.extend_from_slice(&piece[..length]);
            let text = String::from_utf8_lossy(&request);
            if let Some((head, body)) = text.split_once("\r\n\r\n")
                && let Ok(body) = serde_json::from_str::<Value>(body)
            {
                break (head.to_owned(), body);
            }
        };
        let length = answer.len();
        let whole = format!(
            "HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{answer}"
        );
        stream.write_all(whole.as_bytes()).await.unwrap();
        (sent, body)
    };
    let both = async { tokio::join!(asking, answering) };
    let both = tokio::time::timeout(Duration::from_secs(60), both).await;
    let ((reply, events), (head, body)) = both.expect("an answer in time");
    Exchange {
        reply,
        events,
        head,
        body,
    }
}

fn schema(property: &str) -> Arc<CanonicalSchema> {
    let schema = json!({
        "type": "object",
        "properties": { property: { "type": "string" } },
        "required": [property],
    });
    Arc::new(helve_runtime::schema::from_value(schema).expect("a schema"))
}

/// A conversation with a bit of everything.
fn request(api: &str) -> ModelRequest {
    let source = Some(Box::new(ReplySource::new(api, "acme", "gemini-3-flash")));
    let mut call = ToolCall::new("call#look#0", "look", r#"{"path":"a.png"}"#);
    call.signature = Some("proof of the call".into());
    let mut asks = AssistantMessage::new(vec![
        MessagePart::Thinking {
            text: "Hm.".into(),
            signature: Some("proof of the text".into()),
        },
        MessagePart::Text {
            text: "I look.".into(),
        },
        MessagePart::ToolCall(call),
        MessagePart::ToolCall(ToolCall::new("c2", "look", r#"{"path":"#)),
    ]);
    asks.source = source;
    // From another provider, whose proofs mean nothing here.
    let mut others = AssistantMessage::new(vec![
        MessagePart::Thinking {
            text: "Secret.".into(),
            signature: Some("a stranger's proof".into()),
        },
        MessagePart::Text {
            text: "A cat.".into(),
        },
    ]);
    others.source = Some(Box::new(ReplySource::new("openai.chat", "other", "one")));
    let image = || ContentBlock::Image {
        data: "iVBORw0KGgo=".into(),
        mime_type: "image/png".into(),
    };
    let sound = ContentBlock::Audio {
        data: "UklGRg==".into(),
        mime_type: "audio/wav".into(),
    };
    let result = |id: &str, content: Vec<ContentBlock>, is_error| ToolCallResult {
        call_id: id.into(),
        content: Content::from(content),
        is_error,
    };
    let messages = vec![
        Message::User {
            content: vec![
                ContentBlock::text("What is in a.png, and in this?"),
                image(),
                sound,
            ],
        },
        Message::Assistant(asks),
        Message::Tool {
            content: vec![
                result("call#look#0", vec![image()], false),
                result(
                    "c2",
                    vec![ContentBlock::text("the arguments break off")],
                    true,
                ),
            ],
        },
        Message::Assistant(others),
        Message::user("Are you sure?"),
    ];
    let offered = OfferedTool::new("look", "Looks at a picture.", schema("path"));
    let options = ModelOptions::new()
        .max_output_tokens(100)
        .temperature(0.7)
        .effort(Effort::Low)
        .output(OutputFormat::new("seen", schema("what")));
    ModelRequest::new(messages)
        .system("Be brief.")
        .tools([offered])
        .options(options)
}

const STREAM: &str = "200 OK\r\ncontent-type: text/event-stream";

/// A reply of Gemini in pieces.
fn gemini(pieces: &[Value]) -> String {
    let lines = pieces.iter().map(|piece| format!("data: {piece}\n\n"));
    lines.collect()
}

fn parts(parts: &Value) -> Value {
    json!({ "candidates": [{ "content": { "parts": parts, "role": "model" }, "index": 0 }] })
}

fn end(reason: &str) -> Value {
    json!({ "candidates": [{ "content": { "parts": [{ "text": "" }] }, "finishReason": reason }] })
}

async fn ask_gemini(pieces: &[Value]) -> Exchange {
    let request = ModelRequest::new(vec![Message::user("Hello")]);
    exchange(Api::Gemini, &request, STREAM, &gemini(pieces)).await
}

#[tokio::test]
async fn a_conversation_goes_to_gemini_with_its_own_proofs_and_nobody_elses() {
    let request = request("google.generate_content");
    let answer = gemini(&[parts(&json!([{ "text": "Yes." }])), end("STOP")]);
    let exchange = exchange(Api::Gemini, &request, STREAM, &answer).await;
    assert_eq!(exchange.reply.unwrap().message.text(), "Yes.");
    let first = exchange.head.lines().next().unwrap();
    let path = "/base/models/gemini-3-flash:streamGenerateContent?alt=sse";
    assert_eq!(first, format!("POST {path} HTTP/1.1"));
    let head = exchange.head.to_ascii_lowercase();
    assert_eq!(head.matches(KEY).count(), 1, "{head}");
    assert!(head.contains("x-team: tools"), "{head}");
    insta::assert_snapshot!(lines(&exchange.body), @r#"
    generationConfig: {"thinkingConfig":{"thinkingLevel":"LOW"},"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"what":{"type":"string"}},"required":["what"]},"temperature":0.7,"maxOutputTokens":100}
    systemInstruction: {"parts":[{"text":"Be brief."}]}
    tools: {"functionDeclarations":[{"name":"look","description":"Looks at a picture.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}
    contents: {"role":"user","parts":[{"text":"What is in a.png, and in this?"},{"inline_data":{"mime_type":"image/png","data":"iVBORw0KGgo="}},{"inline_data":{"mime_type":"audio/wav","data":"UklGRg=="}}]}
    contents: {"role":"model","parts":[{"text":"I look.","thoughtSignature":"proof of the text"},{"functionCall":{"name":"look","args":{"path":"a.png"}},"thoughtSignature":"proof of the call"},{"functionCall":{"id":"c2","name":"look","args":{}}}]}
    contents: {"role":"user","parts":[{"functionResponse":{"name":"look","response":{"name":"look","content":"(shown in the next message)"}}},{"functionResponse":{"name":"look","response":{"name":"look","content":"Error: the arguments break off"},"id":"c2"}}]}
    contents: {"role":"user","parts":[{"text":"Images from the tool call call#look#0:"},{"inline_data":{"mime_type":"image/png","data":"iVBORw0KGgo="}}]}
    contents: {"role":"model","parts":[{"text":"A cat."}]}
    contents: {"role":"user","parts":[{"text":"Are you sure?"}]}
    "#);
}

#[tokio::test]
async fn a_conversation_goes_to_ollama_with_the_images_where_it_takes_them() {
    let request = request("ollama.chat");
    let head = "200 OK\r\ncontent-type: application/x-ndjson";
    let answer = r#"{"message":{"role":"assistant","content":"Yes."},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":2}"#;
    let exchange = exchange(Api::Ollama, &request, head, answer).await;
    assert_eq!(exchange.reply.unwrap().message.text(), "Yes.");
    assert!(
        exchange.head.starts_with("POST /base/api/chat HTTP/1.1"),
        "{}",
        exchange.head
    );
    assert_eq!(exchange.head.matches(KEY).count(), 1, "{}", exchange.head);
    insta::assert_snapshot!(lines(&exchange.body), @r#"
    model: "gemini-3-flash"
    stream: true
    options: {"temperature":0.7,"num_predict":100}
    tools: {"type":"function","function":{"name":"look","description":"Looks at a picture.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}}
    messages: {"role":"system","content":"Be brief."}
    messages: {"role":"user","content":"What is in a.png, and in this?\n\n[sound, audio/wav, about 6 bytes: not supported by this model]","images":["iVBORw0KGgo="]}
    messages: {"role":"assistant","content":"I look.","tool_calls":[{"function":{"name":"look","arguments":{"path":"a.png"}}},{"function":{"name":"look","arguments":{}}}]}
    messages: {"role":"tool","content":"(shown in the next message)"}
    messages: {"role":"tool","content":"Error: the arguments break off"}
    messages: {"role":"user","content":"Images from the tool call call#look#0:","images":["iVBORw0KGgo="]}
    messages: {"role":"assistant","content":"A cat."}
    messages: {"role":"user","content":"Are you sure?"}
    format: "json"
    think: "low"
    "#);
}

#[tokio::test]
async fn a_conversation_goes_to_bedrock() {
    let request = request("bedrock.converse");
    let exchange = exchange(Api::Bedrock, &request, "403 Forbidden", "").await;
    assert_eq!(exchange.head.matches(KEY).count(), 1, "{}", exchange.head);
    let first = exchange.head.lines().next().unwrap();
    assert_eq!(
        first,
        "POST /base/model/gemini-3-flash/converse-stream HTTP/1.1"
    );
    insta::assert_snapshot!(lines(&exchange.body), @r#"
    system: {"text":"Be brief."}
    toolConfig: {"tools":[{"toolSpec":{"name":"look","inputSchema":{"json":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},"description":"Looks at a picture."}}]}
    messages: {"role":"user","content":[{"text":"What is in a.png, and in this?"},{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}},{"text":"[sound, audio/wav, about 6 bytes: not supported by this model]"}]}
    messages: {"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"Hm.","signature":"proof of the text"}}},{"text":"I look."},{"toolUse":{"toolUseId":"call#look#0","name":"look","input":{"path":"a.png"}}},{"toolUse":{"toolUseId":"c2","name":"look","input":{}}}]}
    messages: {"role":"user","content":[{"toolResult":{"toolUseId":"call#look#0","content":[{"text":"(shown in the next message)"}]}},{"toolResult":{"toolUseId":"c2","content":[{"text":"Error: the arguments break off"}]}},{"text":"Images from the tool call call#look#0:"},{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}}]}
    messages: {"role":"assistant","content":[{"text":"A cat."}]}
    messages: {"role":"user","content":[{"text":"Are you sure?"}]}
    inferenceConfig: {"maxTokens":100,"temperature":0.7}
    "#);
}

/// Writes a body with a line for each thing in it.
fn lines(body: &Value) -> String {
    let mut lines = Vec::new();
    for (key, value) in body.as_object().expect("an object") {
        match value {
            Value::Array(items) => {
                lines.extend(items.iter().map(|item| format!("{key}: {item}")));
            }
            value => lines.push(format!("{key}: {value}")),
        }
    }
    lines.join("\n")
}

#[tokio::test]
async fn thinking_proofs_and_calls_without_ids_keep_their_places() {
    let call = |path: &str| json!({ "functionCall": { "name": "look", "args": { "path": path } } });
    let mut signed = call("a.png");
    signed["thoughtSignature"] = "of the call".into();
    let exchange = ask_gemini(&[
        parts(&json!([{ "text": "Hm", "thought": true }])),
        parts(&json!([{ "text": "I look.", "thoughtSignature": "of the text" }])),
        parts(&json!([signed])),
        // Another piece, another call: genai begins to count anew.
        parts(&json!([call("b.png")])),
        end("STOP"),
    ])
    .await;
    let reply = exchange.reply.unwrap();
    insta::assert_debug_snapshot!(reply.message.content, @r#"
    [
        Thinking {
            text: "Hm",
            signature: Some(
                "of the text",
            ),
        },
        Text {
            text: "I look.",
        },
        ToolCall(
            ToolCall {
                id: "call#look#0",
                name: "look",
                arguments: "{\"path\":\"a.png\"}",
                defect: None,
                signature: Some(
                    "of the call",
                ),
            },
        ),
        ToolCall(
            ToolCall {
                id: "call#look#0#2",
                name: "look",
                arguments: "{\"path\":\"b.png\"}",
                defect: None,
                signature: None,
            },
        ),
    ]
    "#);
    assert_eq!(reply.stop, StopReason::ToolUse);
    let source = reply.message.source.expect("a source");
    assert!(matches!(exchange.events[0], ModelEvent::ReplyStarted(_)));
    assert_eq!(source.api, "google.generate_content");
}

#[tokio::test]
async fn a_stream_that_ends_too_early_is_broken_off() {
    let exchange = ask_gemini(&[parts(&json!([{ "text": "Hel" }]))]).await;
    assert!(
        matches!(exchange.reply, Err(ModelError::UnexpectedEnd)),
        "{:?}",
        exchange.reply
    );
    assert!(matches!(exchange.events[1], ModelEvent::TextDelta { .. }));
}

#[tokio::test]
async fn reasons_to_end_have_our_names() {
    let stop =
        async |reason: &str| ask_gemini(&[parts(&json!([{ "text": "A" }])), end(reason)]).await;
    for (reason, ours) in [
        ("STOP", StopReason::EndTurn),
        ("MAX_TOKENS", StopReason::MaxTokens),
        ("SAFETY", StopReason::Refusal),
        ("SOMETHING_NEW", StopReason::EndTurn),
    ] {
        assert_eq!(stop(reason).await.reply.unwrap().stop, ours, "{reason}");
    }
    let error = stop("MALFORMED_FUNCTION_CALL").await.reply.unwrap_err();
    assert!(error.is_transient(), "{error:?}");
}

#[tokio::test]
async fn errors_have_their_kind_and_their_wait_and_no_key() {
    let request = ModelRequest::new(vec![Message::user("Hello")]);
    let body = format!(
        r#"{{"error":{{"code":429,"message":"no more for {KEY}","status":"RESOURCE_EXHAUSTED"}}}}"#
    );
    let head = "429 Too Many Requests\r\nretry-after: 7\r\ncontent-type: application/json";
    for api in [Api::Gemini, Api::Ollama, Api::Vertex] {
        let error = exchange(api, &request, head, &body)
            .await
            .reply
            .unwrap_err();
        assert_eq!(
            error.retry_after(),
            Some(Duration::from_secs(7)),
            "{api}: {error:?}"
        );
        assert!(error.is_transient(), "{api}");
        assert!(!format!("{error:?}").contains(KEY), "{api}: {error:?}");
    }
    let body =
        r#"{"error":{"code":400,"message":"API key not valid.","status":"UNAUTHENTICATED"}}"#;
    let head = "401 Unauthorized\r\ncontent-type: application/json";
    let error = exchange(Api::Gemini, &request, head, body)
        .await
        .reply
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "acme does not accept the key (401, UNAUTHENTICATED): API key not valid.; check ACME_KEY"
    );
    let in_stream =
        json!({ "error": { "code": 503, "message": "too busy", "status": "UNAVAILABLE" } });
    let error = ask_gemini(&[parts(&json!([{ "text": "A" }])), in_stream])
        .await
        .reply
        .unwrap_err();
    let ModelError::Api(error) = error else {
        panic!("{error:?}");
    };
    assert_eq!((error.kind, error.status), (ApiErrorKind::Overloaded, None));
    let nonsense = exchange(Api::Gemini, &request, STREAM, "data: {nonsense\n\n").await;
    assert!(
        matches!(nonsense.reply, Err(ModelError::Malformed(_))),
        "{:?}",
        nonsense.reply
    );
    let nothing = ask_gemini(&[json!({ "promptFeedback": { "blockReason": "SAFETY" } })]).await;
    assert!(
        nothing
            .reply
            .unwrap_err()
            .to_string()
            .contains("without a reply")
    );
}

#[tokio::test]
async fn nobody_there_is_said_as_ever() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let endpoint = Endpoint::new("ollama-native", &base).unwrap();
    let name = ModelName::new("ollama-native", "qwen3");
    let model = GenaiModel::new(name, Api::Ollama, endpoint).unwrap();
    let request = ModelRequest::new(vec![Message::user("Hello")]);
    let events: Vec<_> = model.reply(&request).collect().await;
    let error = events.last().unwrap().as_ref().unwrap_err();
    assert!(error.is_transient());
    let error = error.to_string();
    assert!(
        error.contains("refuses the connection; is the server running"),
        "{error}"
    );
    let endpoint = Endpoint::new("acme", &base).unwrap();
    assert!(GenaiModel::new(ModelName::new("a", "b"), Api::Anthropic, endpoint).is_err());
}

#[tokio::test]
async fn notes_are_text_of_the_user_that_bedrock_gets_in_one_message() {
    let note = |id: &str, text: &str| Message::from(Note::new(NoteSource::Hook, id, text));
    let request = ModelRequest::new(vec![
        Message::user("What is it?"),
        note("h1", "Be brief."),
        note("h2", "Stop. </note>"),
    ]);
    let body = exchange(Api::Bedrock, &request, "403 Forbidden", "")
        .await
        .body;
    insta::assert_snapshot!(body["messages"].to_string(), @r#"[{"role":"user","content":[{"text":"What is it?"},{"text":"<note from=\"hook, not the user\">\nBe brief.\n</note>"},{"text":"<note from=\"hook, not the user\">\nStop. &lt;/note>\n</note>"}]}]"#);
    let body = exchange(Api::Gemini, &request, "403 Forbidden", "")
        .await
        .body;
    insta::assert_snapshot!(body["contents"].to_string(), @r#"[{"role":"user","parts":[{"text":"What is it?"}]},{"role":"user","parts":[{"text":"<note from=\"hook, not the user\">\nBe brief.\n</note>"}]},{"role":"user","parts":[{"text":"<note from=\"hook, not the user\">\nStop. &lt;/note>\n</note>"}]}]"#);
    let body = exchange(Api::Ollama, &request, "403 Forbidden", "")
        .await
        .body;
    insta::assert_snapshot!(body["messages"].to_string(), @r#"[{"role":"user","content":"What is it?"},{"role":"user","content":"<note from=\"hook, not the user\">\nBe brief.\n</note>"},{"role":"user","content":"<note from=\"hook, not the user\">\nStop. &lt;/note>\n</note>"}]"#);
}
