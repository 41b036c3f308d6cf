//! Converts a request to the provider's format.

use super::AnthropicModel;
use super::capabilities::{Capabilities, ThinkingMode};
use super::history::History;
use super::memory_tool;
use super::output;
use super::wire::{
    self, ContentBlockParam, EPHEMERAL, MessageParam, MessagesRequest, OutputConfig,
    OutputFormatParam, Role, ThinkingConfig, ToolParam,
};
use crate::dialect::Dialect;
use crate::{Effort, ModelOptions, ModelRequest, OfferedTool};

const MIN_THINKING_BUDGET: u32 = 1_024;

pub(super) fn body(model: &AnthropicModel, request: &ModelRequest) -> Vec<u8> {
    let capabilities = Capabilities::for_model(model.name.model());
    let options = &request.options;
    let system = request.system.as_deref();
    let system = system.and_then(|text| ContentBlockParam::text(text.into()));
    let max_tokens = options.max_output_tokens.unwrap_or(capabilities.max_tokens);
    let history = History::from_messages(&request.messages, model.endpoint.provider());
    let (thinking, effort) = thinking_config(capabilities, options, max_tokens, &history);
    let thinks = thinking.is_some_and(|thinking| thinking != ThinkingConfig::Disabled);
    let mut wire = MessagesRequest {
        model: model.name.model(),
        max_tokens,
        stream: true,
        tools: request
            .tools
            .iter()
            .map(|offered| tool_param(model, offered))
            .collect(),
        system: Vec::from_iter(system),
        messages: history.turns,
        // The provider rejects a temperature together with thinking.
        temperature: options
            .temperature
            .filter(|_| capabilities.temperature && !thinks)
            .map(|temperature| temperature.clamp(0.0, 1.0)),
        thinking,
        output_config: OutputConfig {
            effort,
            format: output_format(options),
        },
    };
    if model.caching {
        set_cache_breakpoints(&mut wire);
    }
    // Maps with string keys always serialize; an empty body would be rejected with a clear error.
    serde_json::to_vec(&wire).unwrap_or_default()
}

fn tool_param<'a>(model: &AnthropicModel, offered: &'a OfferedTool) -> ToolParam<'a> {
    let is_own = !memory_tool::is_native(model, offered);
    let schema = || wire::raw_json(offered.input_schema.render(Dialect::Anthropic));
    ToolParam {
        kind: (!is_own).then_some(memory_tool::TYPE),
        name: &offered.name,
        description: is_own.then_some(&*offered.description),
        input_schema: is_own.then(schema),
        cache_control: None,
    }
}

fn output_format(options: &ModelOptions) -> Option<OutputFormatParam> {
    options.output.as_ref().map(|output| OutputFormatParam {
        kind: "json_schema",
        schema: output::render(&output.schema),
    })
}

/// Returns the thinking configuration in the form that the model supports.
fn thinking_config(
    capabilities: Capabilities,
    options: &ModelOptions,
    max_tokens: u32,
    history: &History<'_>,
) -> (Option<ThinkingConfig>, Option<&'static str>) {
    let Some(effort) = options.effort else {
        return (None, None);
    };
    let word = match effort {
        Effort::None | Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    };
    // Newer models return no text of their thinking unless a summary is requested.
    let adaptive = ThinkingConfig::Adaptive {
        display: "summarized",
    };
    match (capabilities.thinking, effort) {
        (ThinkingMode::Unavailable, _) => (None, None),
        (ThinkingMode::Always, _) => (Some(adaptive), Some(word)),
        (_, Effort::None) => (Some(ThinkingConfig::Disabled), None),
        (ThinkingMode::Adaptive, _) => (Some(adaptive), Some(word)),
        // With a budget, an open round of calls must start with thinking of the same model.
        (ThinkingMode::Budget, _) if history.is_open_without_thinking => (None, None),
        (ThinkingMode::Budget, _) => (thinking_budget(effort, max_tokens), None),
    }
}

/// Returns a thinking budget. The budget counts towards the limit of the reply, so that half of the limit is reserved
/// for the answer.
fn thinking_budget(effort: Effort, max_tokens: u32) -> Option<ThinkingConfig> {
    let wanted = match effort {
        Effort::None | Effort::Low => 2_048,
        Effort::Medium => 8_192,
        Effort::High => 24_576,
    };
    let budget_tokens = wanted.min(max_tokens / 2);
    (budget_tokens >= MIN_THINKING_BUDGET).then_some(ThinkingConfig::Enabled { budget_tokens })
}

/// Sets the four cache breakpoints that the provider allows: after the tools, after the instructions, and after the
/// last two turns of the user. The second to last turn matches the cache entry of the previous request.
fn set_cache_breakpoints(wire: &mut MessagesRequest<'_>) {
    if let Some(tool) = wire.tools.last_mut() {
        tool.cache_control = Some(EPHEMERAL);
    }
    if let Some(block) = wire.system.last_mut() {
        block.set_cache_control();
    }
    let said = |turn: &&mut MessageParam<'_>| turn.role == Role::User;
    for turn in wire.messages.iter_mut().rev().filter(said).take(2) {
        let mut blocks = turn.content.iter_mut().rev();
        blocks.any(ContentBlockParam::set_cache_control);
    }
}
