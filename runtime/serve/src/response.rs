//! The responses to the requests that may need input of the client: `tools/call`, `prompts/get` and `resources/read`.

use rmcp::model::{
    CallToolResponse, CallToolResult, CreateTaskResult, ErrorData, GetPromptResponse,
    GetPromptResult, InputRequiredResult, JsonObject, ReadResourceResponse, ReadResourceResult,
};
use serde::Serialize;
use serde_json::Value;

pub(super) enum RequestResult {
    /// The result of `tools/call`.
    Tool(CallToolResult),
    /// The result of `prompts/get`.
    Prompt(GetPromptResult),
    /// The result of `resources/read`.
    Resource(ReadResourceResult),
    /// The error of the request itself.
    Failed(ErrorData),
}

impl RequestResult {
    /// Returns the result of a task that ran into its time limit.
    pub(super) fn timed_out() -> Self {
        let message = "it took too long, and was stopped; it may have taken effect in part";
        Self::Failed(ErrorData::internal_error(message, None))
    }

    /// Converts the result to JSON; `Err` holds the error of the request.
    pub(super) fn to_json(&self) -> Result<JsonObject, JsonObject> {
        match self {
            Self::Tool(result) => Ok(to_object(result)),
            Self::Prompt(result) => Ok(to_object(result)),
            Self::Resource(result) => Ok(to_object(result)),
            Self::Failed(error) => Err(to_object(error)),
        }
    }
}

/// Serializes a result of the protocol, which is always an object.
fn to_object(value: &impl Serialize) -> JsonObject {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}

pub(super) enum Response {
    Finished(Box<RequestResult>),
    /// The requests for input that the client has to answer first.
    InputRequired(InputRequiredResult),
    Task(CreateTaskResult),
}

impl Response {
    /// Converts the response to `tools/call`.
    pub(super) fn into_tool(self) -> Result<CallToolResponse, ErrorData> {
        match self {
            Self::Task(task) => Ok(task.into()),
            other => other.convert(|result| match result {
                RequestResult::Tool(result) => Some(result),
                _ => None,
            }),
        }
    }

    /// Converts the response to `prompts/get`.
    pub(super) fn into_prompt(self) -> Result<GetPromptResponse, ErrorData> {
        self.convert(|result| match result {
            RequestResult::Prompt(result) => Some(result),
            _ => None,
        })
    }

    /// Converts the response to `resources/read`.
    pub(super) fn into_resource(self) -> Result<ReadResourceResponse, ErrorData> {
        self.convert(|result| match result {
            RequestResult::Resource(result) => Some(result),
            _ => None,
        })
    }

    /// Converts the response to that of a method; `pick` returns the result if it is one of the method.
    fn convert<R, T>(self, pick: fn(RequestResult) -> Option<R>) -> Result<T, ErrorData>
    where
        T: From<R> + From<InputRequiredResult>,
    {
        match self {
            Self::InputRequired(required) => Ok(required.into()),
            Self::Task(_) => Err(mismatched()),
            Self::Finished(result) => match *result {
                RequestResult::Failed(error) => Err(error),
                result => pick(result).map(T::from).ok_or_else(mismatched),
            },
        }
    }
}

/// Returns the error of a response of another kind than its request. No client sees it, because the state of a suspended
/// call is bound to its request.
fn mismatched() -> ErrorData {
    ErrorData::internal_error("the result belongs to another request", None)
}
