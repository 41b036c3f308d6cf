//! Answers `tools/call`.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData};

use super::call::{Call, RequestCx, serialize_arguments};
use super::client::{ClientFeatures, RequestContext};
use super::dispatch;
use super::response::Response;
use super::session::Session;
use super::state::ServerState;
use super::suspended::Resumption;
use super::tasks;

type CallAnswer = Result<CallToolResponse, ErrorData>;

/// Answers `tools/call` with the result, with requests for input, or with a task.
///
/// This is not an `async fn`, whose future would hold the request and its context to its end: a call needs them only to
/// start.
pub(super) fn call_tool<'a>(
    state: &'a ServerState,
    session: &'a Arc<Session>,
    request: CallToolRequestParams,
    context: RequestContext,
) -> BoxFuture<'a, CallAnswer> {
    match start(state, session, request, context) {
        Ok(answer) => answer,
        Err(error) => ready(Err(error)).boxed(),
    }
}

/// Starts the call, or resumes it; the call runs when the future is polled.
///
/// # Errors
///
/// Fails if there is no such tool, or if the client has to take a task or has too many calls.
fn start<'a>(
    state: &'a ServerState,
    session: &'a Arc<Session>,
    request: CallToolRequestParams,
    context: RequestContext,
) -> Result<BoxFuture<'a, CallAnswer>, ErrorData> {
    let settings = &state.settings;
    let policy = &state.tasks.policy;
    let features = ClientFeatures::from_context(&context);
    let supports_tasks = features.is_modern && tasks::client_supports_tasks(&context);
    if !supports_tasks
        && policy.requires(&request.name)
        && settings.toolset.get(&request.name).is_some()
    {
        return Err(tasks::tasks_required());
    }
    let task_delay = policy.delay(&request.name).filter(|_| supports_tasks);
    let input_timeout = settings.limits.input_timeout;
    let early = request.input_responses.unwrap_or_default();
    let Some(sealed) = request.request_state else {
        let call = Call::start_tool(
            settings,
            session,
            &request.name,
            request.arguments.as_ref(),
            &context,
            features,
        )?;
        let cx = RequestCx::new(context, features, input_timeout, task_delay);
        let driven = dispatch::drive_call(state, session, call, early, cx);
        return Ok(answer(state, driven));
    };
    let arguments = serialize_arguments(request.arguments.as_ref())?;
    let cx = RequestCx::new(context, features, input_timeout, task_delay);
    let resumed = async move {
        let resumption = Resumption {
            name: &request.name,
            arguments: &arguments,
            state: &sealed,
            responses: early,
        };
        dispatch::resume(state, session, resumption, cx).await
    };
    Ok(answer(state, resumed))
}

/// Converts the response to that of `tools/call`, and updates what the call may have changed.
fn answer<'a>(
    state: &'a ServerState,
    response: impl Future<Output = Result<Response, ErrorData>> + Send + 'a,
) -> BoxFuture<'a, CallAnswer> {
    let answer = response.map(|response| {
        state.update_revisions();
        response?.into_tool()
    });
    answer.boxed()
}
