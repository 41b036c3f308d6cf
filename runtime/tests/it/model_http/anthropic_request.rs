//! What is sent to Anthropic, whole.

use std::sync::Arc;

use helve_runtime::model::{
    AnthropicModel, Effort, Endpoint, ModelName, ModelOptions, ModelRequest, OfferedTool,
    OutputFormat,
};
use helve_runtime::schema::{CanonicalSchema, from_value};
use helve_runtime::transcript::{
    ArgumentsDefect, AssistantMessage, Content, ContentBlock, Message, MessagePart, ReplySource,
    Resource, ToolCall, ToolCallResult,
};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn model(name: &str) -> AnthropicModel {
    let endpoint = Endpoint::new("anthropic", "https://api.anthropic.com").unwrap();
    AnthropicModel::new(ModelName::new("anthropic", name), endpoint)
}

fn body(name: &str, request: &ModelRequest) -> Value {
    serde_json::from_slice(&model(name).body(request)).expect("a body is JSON")
}

fn said(source: Option<ReplySource>, content: Vec<MessagePart>) -> Message {
    let mut reply = AssistantMessage::new(content);
    reply.source = source.map(Box::new);
    Message::Assistant(reply)
}

fn from_there() -> Option<ReplySource> {
    Some(ReplySource::new(
        "anthropic.messages",
        "anthropic",
        "claude-sonnet-4-6",
    ))
}

fn text(text: &str) -> MessagePart {
    MessagePart::Text { text: text.into() }
}

fn thinking(text: &str, signature: Option<&str>) -> MessagePart {
    MessagePart::Thinking {
        text: text.into(),
        signature: signature.map(str::to_owned),
    }
}

fn item(item: Value) -> MessagePart {
    MessagePart::ProviderItem {
        api: "anthropic.messages".into(),
        item: item.to_string().into(),
    }
}

fn result(id: &str, is_error: bool, content: Vec<ContentBlock>) -> ToolCallResult {
    ToolCallResult {
        call_id: id.into(),
        content: Content::from(content),
        is_error,
    }
}

fn image() -> ContentBlock {
    ContentBlock::Image {
        data: "iVBORw0KGgo=".into(),
        mime_type: "image/png".into(),
    }
}

fn schema(schema: Value) -> Arc<CanonicalSchema> {
    Arc::new(from_value(schema).unwrap())
}

fn conversation() -> Vec<Message> {
    let pdf = ContentBlock::Resource {
        resource: Resource {
            uri: "file:///a.pdf".into(),
            mime_type: Some("application/pdf".into()),
            text: None,
            blob: Some("JVBERi0=".into()),
        },
    };
    let search = json!({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{"encrypted_content": "e=="}]});
    let redacted = json!({"type": "redacted_thinking", "data": "opaque"});
    vec![
        Message::User {
            content: vec![ContentBlock::text("What is on these?"), image(), pdf],
        },
        said(
            from_there(),
            vec![
                thinking("Let me see.", Some("proof==")),
                item(redacted),
                text("I look it up."),
                item(search),
                item(found),
                MessagePart::ToolCall(ToolCall::new(
                    "toolu_1",
                    "look",
                    r#"{"path" : "a", "n":1.50}"#,
                )),
                MessagePart::ToolCall(ToolCall::new("toolu_2", "look", "")),
            ],
        ),
        Message::Tool {
            content: vec![
                result("toolu_1", false, vec![ContentBlock::text("a cat"), image()]),
                result("toolu_2", true, vec![image()]),
            ],
        },
        Message::system("The user has left the room."),
        Message::user("And now?"),
    ]
}

/// Shows a body, a line for each thing in it.
fn shown(body: &Value) -> String {
    let mut lines = Vec::new();
    for (key, value) in body.as_object().unwrap() {
        match (key.as_str(), value) {
            ("messages", Value::Array(turns)) => {
                for turn in turns {
                    lines.push(format!("{}:", turn["role"].as_str().unwrap()));
                    let blocks = turn["content"].as_array().unwrap();
                    lines.extend(blocks.iter().map(|block| format!("  {block}")));
                }
            }
            (_, Value::Array(parts)) => {
                lines.push(format!("{key}:"));
                lines.extend(parts.iter().map(|part| format!("  {part}")));
            }
            (_, value) => lines.push(format!("{key}: {value}")),
        }
    }
    lines.join("\n")
}

#[test]
fn a_whole_conversation() {
    let tool = |name: &str| {
        let schema = schema(json!({"type": "object", "properties": {"path": {"type": "string"}}}));
        OfferedTool::new(name, "Looks at a file.", schema)
    };
    let request = ModelRequest::new(conversation())
        .system("Be brief.")
        .tools(vec![tool("look"), tool("see")])
        .options(
            ModelOptions::new()
                .max_output_tokens(9_000)
                .temperature(0.5)
                .effort(Effort::Medium)
                .output(OutputFormat::new(
                    "answer",
                    schema(json!({"type": "object"})),
                )),
        );
    let body = body("claude-sonnet-4-6", &request);
    assert_snapshot!(shown(&body), @r#"
    model: "claude-sonnet-4-6"
    max_tokens: 9000
    stream: true
    tools:
      {"name":"look","description":"Looks at a file.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}
      {"name":"see","description":"Looks at a file.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}},"cache_control":{"type":"ephemeral"}}
    system:
      {"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}
    user:
      {"type":"text","text":"What is on these?"}
      {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}
      {"type":"document","title":"file:///a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="},"cache_control":{"type":"ephemeral"}}
    assistant:
      {"type":"thinking","thinking":"Let me see.","signature":"proof=="}
      {"type":"redacted_thinking","data":"opaque"}
      {"type":"text","text":"I look it up."}
      {"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query":"x"}}
      {"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"encrypted_content":"e=="}]}
      {"type":"tool_use","id":"toolu_1","name":"look","input":{"path":"a","n":1.5}}
      {"type":"tool_use","id":"toolu_2","name":"look","input":{}}
    user:
      {"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"a cat"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}
      {"type":"tool_result","tool_use_id":"toolu_2","is_error":true,"content":[{"type":"text","text":"The call failed."}]}
      {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}
      {"type":"text","text":"<system>\nThe user has left the room.\n</system>"}
      {"type":"text","text":"And now?","cache_control":{"type":"ephemeral"}}
    thinking: {"type":"adaptive","display":"summarized"}
    output_config: {"effort":"medium","format":{"type":"json_schema","schema":{"type":"object","additionalProperties":false}}}
    "#);
}

fn messages(messages: Vec<Message>) -> Value {
    let model = model("claude-sonnet-4-6").prompt_caching(false);
    let body = model.body(&ModelRequest::new(messages));
    serde_json::from_slice::<Value>(&body).unwrap()["messages"].take()
}

#[test]
fn arguments_go_back_as_they_were_written() {
    let written = r#"{"path" : "a",  "n":1.50, "big":12345678901234567890123}"#;
    let call = MessagePart::ToolCall(ToolCall::new("toolu_1", "look", written));
    let request = ModelRequest::new(vec![said(from_there(), vec![call])]);
    let body = String::from_utf8(model("claude-sonnet-4-6").body(&request)).unwrap();
    assert!(body.contains(written), "{body}");
}

#[test]
fn arguments_that_are_no_object_are_not_made_up() {
    let broken = |arguments: &str| {
        let mut call = ToolCall::new("toolu_1", "look", arguments);
        call.defect = Some(ArgumentsDefect::Truncated);
        let sent = messages(vec![said(from_there(), vec![MessagePart::ToolCall(call)])]);
        sent[0]["content"][0]["input"].clone()
    };
    for arguments in [r#"{"path": "a"#, "", "[1]", "null", "\"a\"", "{a:1}"] {
        assert_eq!(broken(arguments), json!({}), "{arguments}");
    }
}

#[test]
fn what_another_provider_said_keeps_its_words_and_loses_its_proofs() {
    let other = Some(ReplySource::new("openai.responses", "openai", "gpt-5"));
    let foreign = MessagePart::ProviderItem {
        api: "openai.responses".into(),
        item: r#"{"type":"reasoning","encrypted_content":"x"}"#.into(),
    };
    let call = MessagePart::ToolCall(ToolCall::new("functions.look:0", "look at", "{}"));
    let sent = messages(vec![
        Message::user("Look."),
        said(
            other,
            vec![thinking("Hm.", Some("proof")), foreign, text(" "), call],
        ),
        Message::Tool {
            content: vec![result("functions.look:0", false, vec![])],
        },
        said(from_there(), vec![thinking("cut off", None)]),
        Message::user("Go on."),
    ]);
    assert_snapshot!(sent, @r#"[{"role":"user","content":[{"type":"text","text":"Look."}]},{"role":"assistant","content":[{"type":"tool_use","id":"functions_look_0","name":"look_at","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_look_0","content":[]},{"type":"text","text":"Go on."}]}]"#);
}

#[test]
fn searches_that_were_cut_off_are_left_out_once_the_conversation_goes_on() {
    let search =
        json!({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}});
    let reply = || said(from_there(), vec![text("I search."), item(search.clone())]);
    let paused = messages(vec![Message::user("Search."), reply()]);
    assert_eq!(paused[1]["content"][1], search);
    let cut = messages(vec![
        Message::user("Search."),
        reply(),
        Message::user("No, stay."),
        said(from_there(), vec![text("Yes.")]),
    ]);
    assert_eq!(
        cut[1]["content"],
        json!([{"type": "text", "text": "I search."}])
    );
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []});
    let alone = said(from_there(), vec![text("So. "), item(found.clone())]);
    let alone = messages(vec![Message::user("Search."), alone]);
    assert_eq!(
        alone[1]["content"],
        json!([{"type": "text", "text": "So."}])
    );
    let resumed = messages(vec![
        Message::user("Search."),
        reply(),
        said(from_there(), vec![item(found.clone())]),
    ]);
    let content = &resumed[1]["content"];
    assert_eq!((&content[1], &content[2]), (&search, &found));
}

#[test]
fn effort_is_said_in_the_form_that_the_model_takes() {
    let thinking = |name: &str, effort: Effort, tokens: u32| {
        let options = ModelOptions::new()
            .effort(effort)
            .temperature(2.0)
            .max_output_tokens(tokens);
        let request = ModelRequest::new(vec![Message::user("Think.")]).options(options);
        let body = body(name, &request);
        let parts = [
            &body["thinking"],
            &body["output_config"],
            &body["temperature"],
        ];
        parts.map(ToString::to_string).join(" ")
    };
    let told = [
        thinking("claude-sonnet-4-6", Effort::High, 9_000),
        thinking("claude-sonnet-4-6", Effort::None, 9_000),
        thinking("claude-opus-4-8", Effort::None, 9_000),
        thinking("claude-mythos-5", Effort::None, 9_000),
        thinking("claude-haiku-4-5", Effort::High, 9_000),
        thinking("claude-haiku-4-5", Effort::High, 2_000),
        thinking("claude-3-5-sonnet", Effort::High, 9_000),
    ];
    assert_snapshot!(told.join("\n"), @r#"
    {"type":"adaptive","display":"summarized"} {"effort":"high"} null
    {"type":"disabled"} null 1.0
    {"type":"disabled"} null null
    {"type":"adaptive","display":"summarized"} {"effort":"low"} null
    {"type":"enabled","budget_tokens":4500} null null
    null null 1.0
    null null 1.0
    "#);
}

#[test]
fn a_budget_is_not_asked_for_inside_a_round_that_began_without_thinking() {
    let call = |parts: Vec<MessagePart>| {
        let call = MessagePart::ToolCall(ToolCall::new("toolu_1", "look", "{}"));
        let content = parts.into_iter().chain([call]).collect();
        let messages = vec![
            Message::user("Look."),
            said(from_there(), content),
            Message::Tool {
                content: vec![result("toolu_1", false, vec![])],
            },
        ];
        let options = ModelOptions::new().effort(Effort::High);
        let request = ModelRequest::new(messages).options(options);
        body("claude-haiku-4-5", &request)["thinking"].clone()
    };
    assert_eq!(call(vec![]), Value::Null);
    let budget = json!({"type": "enabled", "budget_tokens": 16_000});
    assert_eq!(call(vec![thinking("Hm.", Some("proof"))]), budget);
}
