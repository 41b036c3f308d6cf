//! The body of a request.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::OpenAiResponsesModel;
use super::input::{self, Input};
use crate::model::openai::{cache_key, models, tool};
use crate::model::{Effort, ModelRequest, OfferedTool, OutputFormat};
use crate::schema::Dialect;

/// The body: what seldom changes stands first, as caches want it.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    input: Vec<Input<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    include: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<Cow<'a, str>>,
    store: bool,
    stream: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
    /// Said always: this protocol is strict unless told otherwise.
    strict: bool,
}

#[derive(Serialize)]
struct Reasoning {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
}

#[derive(Serialize)]
struct Text<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    name: &'a str,
    strict: bool,
    schema: &'a RawValue,
}

/// Writes the body.
pub(super) fn body(model: &OpenAiResponsesModel, request: &ModelRequest) -> Vec<u8> {
    let dialect = &model.dialect;
    let options = &request.options;
    let key = || {
        let own = model.prompt_cache_key.as_deref().map(Cow::Borrowed);
        own.unwrap_or_else(|| cache_key::of(request).into())
    };
    let body = Body {
        model: model.name.model(),
        instructions: request.system.as_deref().filter(|_| dialect.instructions),
        tools: request.tools.iter().map(function).collect(),
        input: input::all(request, dialect, model.endpoint.provider()),
        parallel_tool_calls: model
            .parallel_tool_calls
            .filter(|_| !request.tools.is_empty()),
        max_output_tokens: options.max_output_tokens,
        temperature: options
            .temperature
            .filter(|_| models::takes_temperature(model.name.model(), options.effort)),
        reasoning: reasoning(model, options.effort),
        text: options.output.as_ref().map(text),
        include: match dialect.encrypted_reasoning {
            true => &["reasoning.encrypted_content"],
            false => &[],
        },
        prompt_cache_key: dialect.prompt_cache_key.then(key),
        store: false,
        stream: true,
    };
    // Maps with keys that are texts always serialise; an empty body would be refused with a clear error.
    serde_json::to_vec(&body).unwrap_or_default()
}

fn function(tool: &OfferedTool) -> Tool<'_> {
    Tool {
        r#type: "function",
        name: &tool.name,
        description: &tool.description,
        parameters: tool::schema(&tool.input_schema, Dialect::OpenAi),
        strict: false,
    }
}

fn reasoning(model: &OpenAiResponsesModel, effort: Option<Effort>) -> Option<Reasoning> {
    let thinks = effort.is_some_and(|effort| effort != Effort::None);
    let summary = model.reasoning_summary.unwrap_or(thinks).then_some("auto");
    let effort = effort.map(|effort| models::effort(effort, model.name.model()));
    (effort.is_some() || summary.is_some()).then_some(Reasoning { effort, summary })
}

fn text(output: &OutputFormat) -> Text<'_> {
    let (schema, strict) = tool::output(&output.schema);
    let format = Format {
        r#type: "json_schema",
        name: &output.name,
        strict,
        schema,
    };
    Text { format }
}
