//! Converts a request to one of genai.

use ::genai::adapter::AdapterKind;
use ::genai::chat::{
    ChatOptions, ChatRequest, ChatResponseFormat, JsonSpec, ReasoningEffort, Tool,
};
use serde_json::Value;

use super::GenaiProtocol;
use super::content::MessageEncoder;
use crate::dialect::Dialect;
use crate::{Effort, ModelError, ModelOptions, ModelRequest, OfferedTool};
use helve_core::schema::CanonicalSchema;

pub(super) fn build_request(
    protocol: GenaiProtocol,
    provider: &str,
    request: &ModelRequest,
) -> Result<ChatRequest, ModelError> {
    let encoder = MessageEncoder { protocol, provider };
    let messages = encoder.encode_messages(&request.messages);
    let mut conversation = ChatRequest::new(messages);
    conversation.system = request.system.as_deref().map(str::to_owned);
    if !request.tools.is_empty() {
        let tools = request.tools.iter();
        let tools = tools.map(|offered| build_tool(protocol.adapter, offered));
        conversation.tools = Some(tools.collect::<Result<_, _>>()?);
    }
    Ok(conversation)
}

/// Builds the options. Only values that a stream reports once are captured.
pub(super) fn build_options(
    adapter: AdapterKind,
    options: &ModelOptions,
) -> Result<ChatOptions, ModelError> {
    let mut made = ChatOptions::default().with_capture_usage(true);
    if let Some(tokens) = options.max_output_tokens {
        made = made.with_max_tokens(tokens);
    }
    if let Some(temperature) = options.temperature {
        made = made.with_temperature(round_temperature(temperature));
    }
    if let Some(effort) = options.effort {
        made = made.with_reasoning_effort(match effort {
            Effort::None => ReasoningEffort::Zero,
            Effort::Low => ReasoningEffort::Low,
            Effort::Medium => ReasoningEffort::Medium,
            Effort::High => ReasoningEffort::High,
        });
    }
    if let Some(output) = &options.output {
        let schema = render_schema(adapter, &output.schema)?;
        made = made.with_response_format(match adapter {
            // genai's adapter for Ollama does not send a schema.
            AdapterKind::Ollama => ChatResponseFormat::JsonMode,
            _ => JsonSpec::new(&*output.name, schema).into(),
        });
    }
    Ok(made)
}

fn build_tool(adapter: AdapterKind, offered: &OfferedTool) -> Result<Tool, ModelError> {
    let tool = Tool::new(offered.name.as_str());
    let tool = tool.with_description(&*offered.description);
    Ok(tool.with_schema(render_schema(adapter, &offered.input_schema)?))
}

fn render_schema(adapter: AdapterKind, schema: &CanonicalSchema) -> Result<Value, ModelError> {
    let dialect = match adapter {
        AdapterKind::Gemini | AdapterKind::Vertex => Dialect::Gemini,
        AdapterKind::BedrockApi => Dialect::Anthropic,
        _ => Dialect::OpenAi,
    };
    serde_json::from_str(schema.render(dialect)).map_err(ModelError::provider)
}

/// Converts a temperature to `f64` by its decimal form, so that 0.7 stays 0.7.
fn round_temperature(temperature: f32) -> f64 {
    (f64::from(temperature) * 1e4).round() / 1e4
}
