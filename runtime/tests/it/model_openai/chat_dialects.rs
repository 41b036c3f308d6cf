//! How the dialects of Chat Completions differ.

use helve_runtime::model::{ChatDialect, Effort, MaxTokensField, ModelOptions, ModelRequest};
use helve_runtime::transcript::{ArgumentsDefect, Message, MessagePart, ToolCall};
use serde_json::{Value, json};

use crate::model_openai::conversation::{OPENAI, chat, reply, thinking};

fn body(name: &str, base_url: &str, request: &ModelRequest) -> Value {
    serde_json::from_slice(&chat(name, base_url).body(request)).unwrap()
}

fn effort(name: &str, base_url: &str, effort: Effort) -> Value {
    let options = ModelOptions::new().effort(effort);
    let body = body(name, base_url, &ModelRequest::default().options(options));
    let keys = ["reasoning_effort", "reasoning", "thinking"];
    let fields = keys
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), body.get(*key)?.clone())));
    Value::Object(fields.collect())
}

#[test]
fn effort_has_many_names() {
    let deepseek = "https://api.deepseek.com";
    assert_eq!(
        effort("openai/gpt-5.6", OPENAI, Effort::None),
        json!({"reasoning_effort": "none"})
    );
    assert_eq!(
        effort("openai/o4-mini", OPENAI, Effort::None),
        json!({"reasoning_effort": "low"})
    );
    assert_eq!(
        effort(
            "openrouter/x/y",
            "https://openrouter.ai/api/v1",
            Effort::High
        ),
        json!({"reasoning": {"effort": "high"}})
    );
    assert_eq!(
        effort("deepseek/deepseek-v4", deepseek, Effort::None),
        json!({"thinking": {"type": "disabled"}})
    );
    assert_eq!(
        effort("deepseek/deepseek-v4", deepseek, Effort::Low),
        json!({"thinking": {"type": "enabled"}, "reasoning_effort": "low"})
    );
}

#[test]
fn the_longest_reply_has_two_names() {
    let request = ModelRequest::default().options(ModelOptions::new().max_output_tokens(7));
    let names = |name, base_url| {
        let body = body(name, base_url, &request);
        (
            body.get("max_tokens").is_some(),
            body.get("max_completion_tokens").is_some(),
        )
    };
    assert_eq!(names("openai/gpt-4o", OPENAI), (false, true));
    assert_eq!(
        names("openai/qwen3", "http://localhost:8000/v1"),
        (true, false)
    );
    let mut dialect = ChatDialect::default();
    dialect.max_tokens = MaxTokensField::MaxCompletionTokens;
    let model = chat("local/m", "http://localhost:8000/v1").dialect(dialect);
    let body: Value = serde_json::from_slice(&model.body(&request)).unwrap();
    assert_eq!(body["max_completion_tokens"], 7);
}

#[test]
fn deepseek_wants_thinking_beside_calls_even_where_there_was_none() {
    let call = MessagePart::ToolCall(ToolCall::new("a", "x", "{}"));
    let request = ModelRequest::new(vec![
        reply("openai.chat", "deepseek", vec![call]),
        reply("openai.chat", "deepseek", vec![thinking("Hm.", None)]),
        reply("openai.chat", "openai", vec![thinking("Hm.", None)]),
        Message::Assistant(Default::default()),
    ]);
    let body = body("deepseek/deepseek-v4", "https://api.deepseek.com", &request);
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[0]["reasoning_content"], "");
    let only_thinking = json!({"role": "assistant", "content": "", "reasoning_content": "Hm."});
    assert_eq!(messages[1], only_thinking);
    // What leaves nothing to say is not said.
    assert_eq!(messages.len(), 2);
}

#[test]
fn servers_that_read_arguments_are_not_sent_what_is_no_json() {
    let call = MessagePart::ToolCall(ToolCall::new("a", "x", "{\"n\": \"1"));
    let request = ModelRequest::new(vec![reply("openai.chat", "ollama", vec![call])]);
    let arguments = |name, base_url| {
        let body = body(name, base_url, &request);
        let arguments = &body["messages"][0]["tool_calls"][0]["function"]["arguments"];
        arguments.as_str().unwrap().to_owned()
    };
    assert_eq!(arguments("openai/gpt-4o", OPENAI), "{\"n\": \"1");
    let mut cut = ToolCall::new("a", "x", "");
    cut.defect = Some(ArgumentsDefect::Truncated);
    let cut = reply("openai.chat", "openai", vec![MessagePart::ToolCall(cut)]);
    let cut = body("openai/gpt-4o", OPENAI, &ModelRequest::new(vec![cut]));
    // Nothing is put in the place of what never came.
    assert_eq!(
        cut["messages"][0]["tool_calls"][0]["function"]["arguments"],
        ""
    );
    let local = arguments("ollama/qwen3", "http://localhost:11434/v1");
    assert_eq!(local, r#"{"no_json":"{\"n\": \"1"}"#);
}

#[test]
fn proofs_of_calls_go_back_to_where_they_came_from() {
    let mut call = ToolCall::new("a", "x", "{}");
    call.signature = Some(r#"{"google":{"thought_signature":"s"}}"#.into());
    let request = |provider| {
        let call = MessagePart::ToolCall(call.clone());
        ModelRequest::new(vec![reply("openai.chat", provider, vec![call])])
    };
    let extra = |provider| {
        let body = body(
            "google/gemini-3",
            "https://example.com/v1",
            &request(provider),
        );
        body["messages"][0]["tool_calls"][0]
            .get("extra_content")
            .cloned()
    };
    assert_eq!(
        extra("google"),
        Some(json!({"google": {"thought_signature": "s"}}))
    );
    assert_eq!(extra("openai"), None);
}
