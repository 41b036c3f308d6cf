//! Drives calls for requests: answers with the result, or stores the call as a suspended call or as a task.

use std::sync::Arc;

use rmcp::model::{ErrorData, InputResponses};

use super::call::{Call, Outcome, RequestCx, drive};
use super::client::OpenRequests;
use super::limits::Permit;
use super::response::Response;
use super::session::Session;
use super::state::ServerState;
use super::suspended::{Resumption, SuspendedCall};

pub(super) fn drive_call<'a>(
    state: &'a ServerState,
    session: &Arc<Session>,
    call: Box<Call>,
    early: InputResponses,
    cx: RequestCx,
) -> impl Future<Output = Result<Response, ErrorData>> + Send + use<'a> {
    let driven = DrivenCall {
        call,
        session: session.clone(),
        requests: OpenRequests::default(),
        permit: None,
    };
    driven.respond(state, early, cx)
}

/// Drives a suspended call for the request that resumes it.
pub(super) async fn resume(
    state: &ServerState,
    session: &Session,
    resumption: Resumption<'_>,
    cx: RequestCx,
) -> Result<Response, ErrorData> {
    let principal = &session.limits.principal;
    let suspended = state.suspended.resume(principal, resumption).await?;
    if let Some(result) = suspended.result {
        return Ok(Response::Finished(result));
    }
    if !suspended.requests.is_empty() {
        let required = state.suspended.suspend(suspended);
        return Ok(Response::InputRequired(required));
    }
    let driven = DrivenCall {
        call: suspended.call,
        session: suspended.session,
        requests: suspended.requests,
        permit: Some(suspended.permit),
    };
    driven.respond(state, InputResponses::new(), cx).await
}

struct DrivenCall {
    call: Box<Call>,
    session: Arc<Session>,
    requests: OpenRequests,
    /// The permit of a call that was suspended before.
    permit: Option<Permit>,
}

impl DrivenCall {
    #[expect(
        clippy::manual_async_fn,
        reason = "an `async fn` holds its arguments twice, and every call would be as large"
    )]
    fn respond(
        self,
        state: &ServerState,
        mut early: InputResponses,
        mut cx: RequestCx,
    ) -> impl Future<Output = Result<Response, ErrorData>> + Send {
        async move {
            let Self {
                mut call,
                session,
                mut requests,
                permit,
            } = self;
            loop {
                match drive(call, &cx, &mut early).await? {
                    Outcome::Finished(result) => return Ok(Response::Finished(result)),
                    Outcome::Suspended(call, added) => {
                        let acquired = permit.or_else(|| session.limits.acquire_suspended());
                        let permit = acquired.ok_or_else(too_many_suspended)?;
                        requests.add(added);
                        let required = state.suspended.suspend(SuspendedCall {
                            call,
                            session,
                            requests,
                            result: None,
                            permit,
                        });
                        return Ok(Response::InputRequired(required));
                    }
                    Outcome::Long(long) => match state.tasks.reserve(&session.limits.principal) {
                        Some(task) => return Ok(Response::Task(task.start(long))),
                        // The principal has too many tasks, so that the request waits for the call.
                        None => {
                            call = long;
                            cx.task_delay = None;
                        }
                    },
                }
            }
        }
    }
}

fn too_many_suspended() -> ErrorData {
    let message = "too many calls of yours wait for an answer; answer one, then try again";
    ErrorData::internal_error(message, None)
}
