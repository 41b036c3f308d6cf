//! What comes of a call: its result, questions, or a task.

use rmcp::model::{
    CallToolResponse, CallToolResult, CreateTaskResult, ErrorData, GetPromptResponse,
    GetPromptResult, InputRequiredResult, JsonObject, ReadResourceResponse, ReadResourceResult,
};
use serde::Serialize;
use serde_json::Value;

/// The result of a call: of a tool, or of what else asks the client before it answers.
pub(super) enum Reply {
    /// Of `tools/call`.
    Tool(CallToolResult),
    /// Of `prompts/get`.
    Prompt(GetPromptResult),
    /// Of `resources/read`.
    Resource(ReadResourceResult),
    /// The request itself failed.
    Failed(ErrorData),
}

/// What a request is answered with.
pub(super) enum Answered {
    /// The result.
    Reply(Box<Reply>),
    /// What has to be known first.
    Asked(InputRequiredResult),
    /// Where the result will be found.
    Task(CreateTaskResult),
}

impl Reply {
    /// Says that a call took longer than it is kept.
    pub(super) fn late() -> Self {
        let why = "it took too long, and was stopped; it may have taken effect in part";
        Self::Failed(ErrorData::internal_error(why, None))
    }

    /// Returns the result as JSON, or the error.
    pub(super) fn object(&self) -> Result<JsonObject, JsonObject> {
        match self {
            Self::Tool(result) => Ok(object(result)),
            Self::Prompt(result) => Ok(object(result)),
            Self::Resource(result) => Ok(object(result)),
            Self::Failed(error) => Err(object(error)),
        }
    }
}

/// Writes an answer of the protocol as JSON, which it always is.
fn object(value: &impl Serialize) -> JsonObject {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}

impl Answered {
    /// Answers `tools/call`.
    pub(super) fn tool(self) -> Result<CallToolResponse, ErrorData> {
        match self {
            Self::Asked(asked) => Ok(asked.into()),
            Self::Task(task) => Ok(task.into()),
            Self::Reply(reply) => match *reply {
                Reply::Tool(result) => Ok(result.into()),
                Reply::Failed(error) => Err(error),
                Reply::Prompt(_) | Reply::Resource(_) => Err(another()),
            },
        }
    }

    /// Answers `prompts/get`.
    pub(super) fn prompt(self) -> Result<GetPromptResponse, ErrorData> {
        match self {
            Self::Asked(asked) => Ok(asked.into()),
            Self::Task(_) => Err(another()),
            Self::Reply(reply) => match *reply {
                Reply::Prompt(result) => Ok(result.into()),
                Reply::Failed(error) => Err(error),
                Reply::Tool(_) | Reply::Resource(_) => Err(another()),
            },
        }
    }

    /// Answers `resources/read`.
    pub(super) fn resource(self) -> Result<ReadResourceResponse, ErrorData> {
        match self {
            Self::Asked(asked) => Ok(asked.into()),
            Self::Task(_) => Err(another()),
            Self::Reply(reply) => match *reply {
                Reply::Resource(result) => Ok(result.into()),
                Reply::Failed(error) => Err(error),
                Reply::Tool(_) | Reply::Prompt(_) => Err(another()),
            },
        }
    }
}

/// Says that what went on is not what was asked for; a sealed state is bound to its request, so that nobody sees it.
fn another() -> ErrorData {
    ErrorData::internal_error("the answer is one to another request", None)
}
