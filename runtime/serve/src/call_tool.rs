//! Answers `tools/call`.

use std::sync::Arc;

use futures_util::FutureExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData};

use super::call::{Call, RequestCx, serialize_arguments};
use super::client::{RequestContext, is_modern};
use super::dispatch;
use super::session::Session;
use super::state::ServerState;
use super::suspended::Resumption;
use super::tasks;

/// Answers `tools/call` with the result, with requests for input, or with a task.
pub(super) async fn call_tool(
    state: &ServerState,
    session: &Arc<Session>,
    request: CallToolRequestParams,
    context: RequestContext,
) -> Result<CallToolResponse, ErrorData> {
    let settings = &state.settings;
    let policy = &state.tasks.policy;
    let supports_tasks = is_modern(&context) && tasks::client_supports_tasks(&context);
    if !supports_tasks
        && policy.requires(&request.name)
        && settings.toolset.get(&request.name).is_some()
    {
        return Err(tasks::tasks_required());
    }
    let task_delay = policy.delay(&request.name).filter(|_| supports_tasks);
    let input_timeout = settings.limits.input_timeout;
    let response = match &request.request_state {
        Some(sealed) => {
            let arguments = serialize_arguments(request.arguments.as_ref())?;
            let resumption = Resumption {
                name: &request.name,
                arguments: &arguments,
                state: sealed,
                responses: request.input_responses.unwrap_or_default(),
            };
            let cx = RequestCx::new(context, input_timeout, task_delay);
            // Boxed: the future of a first request need not reserve space for a resumption.
            let resumed = dispatch::resume(state, session, resumption, cx);
            resumed.boxed().await
        }
        None => {
            let call = Call::start_tool(settings, session, &request, &context)?;
            let cx = RequestCx::new(context, input_timeout, task_delay);
            let early = request.input_responses.unwrap_or_default();
            dispatch::drive_call(state, session, call, early, cx).await
        }
    };
    state.update_revisions();
    response?.into_tool()
}
