//! From a request to genai's.

use ::genai::chat::{
    ChatOptions, ChatRequest, ChatResponseFormat, JsonSpec, ReasoningEffort, Tool,
};
use serde_json::Value;

use super::Dialect;
use super::content::Reader;
use crate::model::http::Endpoint;
use crate::model::{Effort, ModelError, ModelOptions, ModelRequest, OfferedTool};
use crate::schema::{self, Canonical};

/// Makes the conversation and the tools.
pub(super) fn conversation(
    dialect: Dialect,
    endpoint: &Endpoint,
    request: &ModelRequest,
) -> Result<ChatRequest, ModelError> {
    let reader = Reader {
        dialect,
        provider: endpoint.provider(),
    };
    let messages = reader.conversation(&request.messages);
    let mut conversation = ChatRequest::new(messages);
    conversation.system = request.system.as_deref().map(str::to_owned);
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|offered| tool(dialect, offered));
        conversation.tools = Some(tools.collect::<Result<_, _>>()?);
    }
    Ok(conversation)
}

/// Makes the options. All that is captured is what a stream says but once.
pub(super) fn options(dialect: Dialect, options: &ModelOptions) -> Result<ChatOptions, ModelError> {
    let mut made = ChatOptions::default().with_capture_usage(true);
    if let Some(tokens) = options.max_output_tokens {
        made = made.with_max_tokens(tokens);
    }
    if let Some(temperature) = options.temperature {
        made = made.with_temperature(rounded(temperature));
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
        let schema = rendered(dialect, &output.schema)?;
        made = made.with_response_format(match dialect {
            // Its adapter passes no schema on.
            Dialect::Ollama => ChatResponseFormat::JsonMode,
            _ => JsonSpec::new(&*output.name, schema).into(),
        });
    }
    Ok(made)
}

fn tool(dialect: Dialect, offered: &OfferedTool) -> Result<Tool, ModelError> {
    let tool = Tool::new(offered.name.as_str());
    let tool = tool.with_description(&*offered.description);
    Ok(tool.with_schema(rendered(dialect, &offered.input_schema)?))
}

fn rendered(dialect: Dialect, schema: &Canonical) -> Result<Value, ModelError> {
    let words = match dialect {
        Dialect::Gemini | Dialect::Vertex => schema::Dialect::Gemini,
        Dialect::Bedrock => schema::Dialect::Anthropic,
        Dialect::Ollama => schema::Dialect::OpenAi,
    };
    serde_json::from_str(schema.render(words)).map_err(ModelError::provider)
}

/// A temperature of 0.7 stays 0.7 when it grows to twice its size.
fn rounded(temperature: f32) -> f64 {
    (f64::from(temperature) * 1e4).round() / 1e4
}
