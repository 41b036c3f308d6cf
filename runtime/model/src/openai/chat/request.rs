//! The body of a Chat Completions request.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::message::{self, ChatRequestMessage};
use super::{ChatDialect, EffortField, MaxTokensField, OpenAiChatModel, OutputField};
use crate::dialect::Dialect;
use crate::openai::{fields, model_family};
use crate::{Effort, ModelRequest, OfferedTool, OutputFormat};

/// The body: fields that seldom change come first, for the prefix caches of providers.
#[derive(Serialize)]
struct ChatCompletionRequest<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ChatTool<'a>>,
    messages: Vec<ChatRequestMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(flatten)]
    effort: ReasoningFields,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<Cow<'a, str>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct ChatTool<'a> {
    r#type: &'static str,
    function: FunctionDefinition<'a>,
}

#[derive(Serialize)]
struct FunctionDefinition<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
}

#[derive(Default, Serialize)]
struct ReasoningFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<EffortObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingSwitch>,
}

#[derive(Serialize)]
struct EffortObject {
    effort: &'static str,
}

#[derive(Serialize)]
struct ThinkingSwitch {
    r#type: &'static str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonObject,
    JsonSchema { json_schema: JsonSchemaFormat<'a> },
}

#[derive(Serialize)]
struct JsonSchemaFormat<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a RawValue,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

pub(super) fn body(model: &OpenAiChatModel, request: &ModelRequest) -> Vec<u8> {
    let dialect = &model.dialect;
    let options = &request.options;
    let name = model.name.model();
    let limit = options.max_output_tokens;
    let limit = |field| limit.filter(|_| dialect.max_tokens == field);
    let mut messages = message::encode_messages(request, dialect, model.endpoint.provider());
    if let Some(instructions) = instructions(request, dialect) {
        messages.insert(0, ChatRequestMessage::system(instructions));
    }
    let key = || fields::cache_key(model.prompt_cache_key.as_deref(), request);
    let body = ChatCompletionRequest {
        model: name,
        tools: request.tools.iter().map(function_tool).collect(),
        messages,
        parallel_tool_calls: model
            .parallel_tool_calls
            .filter(|_| !request.tools.is_empty()),
        max_tokens: limit(MaxTokensField::MaxTokens),
        max_completion_tokens: limit(MaxTokensField::MaxCompletionTokens),
        temperature: options
            .temperature
            .filter(|_| model_family::takes_temperature(name, options.effort)),
        effort: options
            .effort
            .map(|effort| reasoning_fields(effort, dialect, name))
            .unwrap_or_default(),
        response_format: options
            .output
            .as_ref()
            .map(|output| response_format(output, dialect)),
        prompt_cache_key: dialect.prompt_cache_key.then(key),
        stream: true,
        stream_options: dialect.stream_options.then_some(StreamOptions {
            include_usage: true,
        }),
    };
    // Maps with string keys always serialize; an empty body would be rejected with a clear error.
    serde_json::to_vec(&body).unwrap_or_default()
}

fn function_tool(tool: &OfferedTool) -> ChatTool<'_> {
    ChatTool {
        r#type: "function",
        function: FunctionDefinition {
            name: &tool.name,
            description: &tool.description,
            parameters: fields::schema(&tool.input_schema, Dialect::OpenAi),
        },
    }
}

/// Returns the instructions, which include the schema of the output if no field can contain it.
fn instructions<'a>(request: &'a ModelRequest, dialect: &ChatDialect) -> Option<Cow<'a, str>> {
    let system = request.system.as_deref();
    match &request.options.output {
        Some(output) if dialect.output == OutputField::JsonObject => {
            let schema = output.schema.render(Dialect::OpenAi);
            let system = system.map_or(String::new(), |system| format!("{system}\n\n"));
            Some(Cow::Owned(format!(
                "{system}Answer with one JSON object that fits this schema, and nothing else:\n{schema}"
            )))
        }
        _ => system.map(Cow::Borrowed),
    }
}

fn response_format<'a>(output: &'a OutputFormat, dialect: &ChatDialect) -> ResponseFormat<'a> {
    if dialect.output == OutputField::JsonObject {
        return ResponseFormat::JsonObject;
    }
    let (schema, strict) = fields::output_schema(&output.schema);
    let json_schema = JsonSchemaFormat {
        name: &output.name,
        strict,
        schema,
    };
    ResponseFormat::JsonSchema { json_schema }
}

fn reasoning_fields(effort: Effort, dialect: &ChatDialect, model: &str) -> ReasoningFields {
    let word = model_family::effort_name(effort, model);
    let mut thinking = ReasoningFields::default();
    match dialect.effort {
        EffortField::ReasoningEffort => thinking.reasoning_effort = Some(word),
        EffortField::Reasoning => thinking.reasoning = Some(EffortObject { effort: word }),
        EffortField::Thinking if effort == Effort::None => {
            thinking.thinking = Some(ThinkingSwitch { r#type: "disabled" });
        }
        EffortField::Thinking => {
            thinking.thinking = Some(ThinkingSwitch { r#type: "enabled" });
            thinking.reasoning_effort = Some(word);
        }
    }
    thinking
}
