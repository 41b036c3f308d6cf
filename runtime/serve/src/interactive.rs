//! Answers requests other than `tools/call` that may need input of the client: `prompts/get` and `resources/read`.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rmcp::model::{ErrorData, InputResponses};

use super::call::{Call, RequestCx};
use super::client::{CallClient, ClientFeatures, RequestContext, UndeclaredCapability};
use super::dispatch;
use super::response::{RequestResult, Response};
use super::session::Session;
use super::state::ServerState;
use super::suspended::Resumption;
use helve_core::authority;
use helve_core::tool::{ToolContext, ToolError};
use helve_core::transcript::{CallId, ToolCall};
use helve_permission::call::catch_panics;

/// A request that may need input of the client.
pub(super) struct InteractiveRequest {
    /// The method and the name or URI; contains a space, and so is the name of no tool.
    pub(super) name: String,
    pub(super) arguments: String,
    /// The state of a suspended call, if the request resumes one.
    pub(super) state: Option<String>,
    pub(super) responses: Option<InputResponses>,
}

/// Answers a request by work that may request input of the client.
pub(super) async fn run(
    state: &ServerState,
    session: &Arc<Session>,
    request: InteractiveRequest,
    context: RequestContext,
    work: impl FnOnce(ToolContext) -> BoxFuture<'static, Result<RequestResult, ToolError>>,
) -> Result<Response, ErrorData> {
    let input_timeout = state.settings.limits.input_timeout;
    let features = ClientFeatures::from_context(&context);
    let responses = request.responses.unwrap_or_default();
    if let Some(sealed) = &request.state {
        let resumption = Resumption {
            name: &request.name,
            arguments: &request.arguments,
            state: sealed,
            responses,
        };
        let cx = RequestCx::new(context, features, input_timeout, None);
        return dispatch::resume(state, session, resumption, cx).await;
    }
    let id = CallId::from(context.id.to_string());
    let tool_call = ToolCall::new(id.clone(), request.name.as_str(), request.arguments);
    let start = |client: Arc<CallClient>, cancellation| {
        let must_declare = client.features.must_declare;
        let mut grants = authority::grants(&session.context).clone();
        grants.client = Some(client);
        let context = session.context.derive().call(id).grants(grants);
        let work = work(context.cancellation(cancellation).build());
        async move {
            match catch_panics("the answer", work).await {
                Ok(Ok(result)) => result,
                Ok(Err(error)) => RequestResult::Failed(to_error_data(&error, must_declare)),
                Err(panic) => RequestResult::Failed(ErrorData::internal_error(panic, None)),
            }
        }
        .boxed()
    };
    let call = Call::start(
        &state.settings,
        session,
        tool_call,
        &context,
        features,
        start,
    )?;
    let cx = RequestCx::new(context, features, input_timeout, None);
    dispatch::drive_call(state, session, call, responses, cx).await
}

/// Converts the error of a prompt or a resource to an error of the protocol.
pub(super) fn to_error_data(error: &ToolError, must_declare: bool) -> ErrorData {
    if let Some(undeclared) = UndeclaredCapability::find_in(error).filter(|_| must_declare) {
        return undeclared;
    }
    match error {
        ToolError::InvalidArguments(_) => ErrorData::invalid_params(error.to_string(), None),
        _ => ErrorData::internal_error(error.to_string(), None),
    }
}
