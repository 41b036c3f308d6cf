//! Calls tools.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ServerResult,
};
use serde_json::{Map, Value};

use super::request::{InputRound, OutboundRequest};
use super::{CallError, Connection, Operation};
use helve_core::tool::ToolContext;

impl Connection {
    /// Calls a tool by the server's own name of the tool.
    ///
    /// `repeatable` is whether the call may be repeated once if the server ends during the call. The call is
    /// cancelled on the server when the future is dropped, when `cx` is cancelled, and at the time limit.
    ///
    /// # Errors
    /// Fails if there is no result. A result that is marked as an error does not fail.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        cx: &ToolContext,
        repeatable: bool,
    ) -> Result<CallToolResult, CallError> {
        let what = Operation::Call(crate::sanitize::one_line(tool, 128));
        let mut may_repeat = true;
        loop {
            let called = self.call_once(tool, &what, &arguments, cx).await;
            let again = match &called {
                Err(CallError::NotSent { .. }) => true,
                Err(CallError::Lost { .. }) => repeatable,
                _ => false,
            };
            if !(again && may_repeat) {
                return called;
            }
            tracing::debug!(server = self.name().as_str(), tool, "a call is repeated");
            may_repeat = false;
        }
    }

    async fn call_once(
        &self,
        tool: &str,
        what: &Operation,
        arguments: &Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<CallToolResult, CallError> {
        let live = tokio::select! {
            biased;
            () = cx.cancellation().cancelled() => {
                let (server, what) = (self.name().clone(), what.clone());
                return Err(CallError::Cancelled { server, what });
            }
            live = self.live() => live?,
        };
        let timeouts = self.config().timeouts();
        let request = OutboundRequest::new(self.name(), what.clone(), Some(cx), timeouts.call)
            .with_stall(timeouts.stall);
        let result = request.send_with_input(&live, |again: InputRound| {
            let mut params = CallToolRequestParams::new(tool.to_owned());
            params.arguments = Some(arguments.clone());
            params.input_responses = again.responses;
            params.request_state = again.state;
            ClientRequest::CallToolRequest(CallToolRequest::new(params))
        });
        let result = result.await;
        live.end().await;
        read(result?).map_err(|reason| request.unusable(reason))
    }
}

/// Parses the response to a call leniently: some servers omit fields that are empty.
fn read(result: ServerResult) -> Result<CallToolResult, String> {
    let value = match result {
        ServerResult::CallToolResult(result) => return Ok(result),
        ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_) => {
            return Ok(CallToolResult::default());
        }
        ServerResult::CreateTaskResult(_) => {
            return Err("it made a task of the call, which this client did not ask for".to_owned());
        }
        ServerResult::CustomResult(custom) => custom.0,
        _ => return Err("it is the answer to something else".to_owned()),
    };
    let is_bare = |object: &Map<String, Value>| object.keys().all(|key| key == "_meta");
    if value.as_object().is_some_and(is_bare) {
        return Ok(CallToolResult::default());
    }
    serde_json::from_value(value)
        .map_err(|error| crate::sanitize::one_line(&error.to_string(), 300))
}
