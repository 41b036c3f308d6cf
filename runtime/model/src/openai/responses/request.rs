//! The body of a Responses request.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::OpenAiResponsesModel;
use super::input::{self, InputItem};
use crate::dialect::Dialect;
use crate::openai::{fields, model_family};
use crate::{Effort, ModelRequest, OfferedTool, OutputFormat};

/// The body: fields that seldom change come first, for the prefix caches of providers.
#[derive(Serialize)]
struct ResponsesRequest<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ResponsesTool<'a>>,
    input: Vec<InputItem<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<ReasoningConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<TextConfig<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    include: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<Cow<'a, str>>,
    store: bool,
    stream: bool,
}

#[derive(Serialize)]
struct ResponsesTool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
    /// Always sent: the default of this protocol is strict mode.
    strict: bool,
}

#[derive(Serialize)]
struct ReasoningConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
}

#[derive(Serialize)]
struct TextConfig<'a> {
    format: TextFormat<'a>,
}

#[derive(Serialize)]
struct TextFormat<'a> {
    r#type: &'static str,
    name: &'a str,
    strict: bool,
    schema: &'a RawValue,
}

pub(super) fn body(model: &OpenAiResponsesModel, request: &ModelRequest) -> Vec<u8> {
    let dialect = &model.dialect;
    let options = &request.options;
    let key = || fields::cache_key(model.prompt_cache_key.as_deref(), request);
    let body = ResponsesRequest {
        model: model.name.model(),
        instructions: request.system.as_deref().filter(|_| dialect.instructions),
        tools: request.tools.iter().map(function_tool).collect(),
        input: input::encode_items(request, dialect, model.endpoint.provider()),
        parallel_tool_calls: model
            .parallel_tool_calls
            .filter(|_| !request.tools.is_empty()),
        max_output_tokens: options.max_output_tokens,
        temperature: options
            .temperature
            .filter(|_| model_family::takes_temperature(model.name.model(), options.effort)),
        reasoning: reasoning_config(model, options.effort),
        text: options.output.as_ref().map(text_config),
        include: match dialect.encrypted_reasoning {
            true => &["reasoning.encrypted_content"],
            false => &[],
        },
        prompt_cache_key: dialect.prompt_cache_key.then(key),
        store: false,
        stream: true,
    };
    // Maps with string keys always serialize; an empty body would be rejected with a clear error.
    serde_json::to_vec(&body).unwrap_or_default()
}

fn function_tool(tool: &OfferedTool) -> ResponsesTool<'_> {
    ResponsesTool {
        r#type: "function",
        name: &tool.name,
        description: &tool.description,
        parameters: fields::schema(&tool.input_schema, Dialect::OpenAi),
        strict: false,
    }
}

fn reasoning_config(
    model: &OpenAiResponsesModel,
    effort: Option<Effort>,
) -> Option<ReasoningConfig> {
    let thinks = effort.is_some_and(|effort| effort != Effort::None);
    let summary = model.reasoning_summary.unwrap_or(thinks).then_some("auto");
    let effort = effort.map(|effort| model_family::effort_name(effort, model.name.model()));
    (effort.is_some() || summary.is_some()).then_some(ReasoningConfig { effort, summary })
}

fn text_config(output: &OutputFormat) -> TextConfig<'_> {
    let (schema, strict) = fields::output_schema(&output.schema);
    let format = TextFormat {
        r#type: "json_schema",
        name: &output.name,
        strict,
        schema,
    };
    TextConfig { format }
}
