//! The execution of one call from JSON text to result: lenient parsing, lazy state, deadline, cancellation, panics,
//! truncation.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either};

use crate::schema::{self, Mistakes};
use crate::tool::definition::Invocation;
use crate::tool::error::{Denial, Interruption, ToolResult};
use crate::tool::prepared::{CallWork, TakenCall};
use crate::tool::started::{StartedCall, expect_result};
use crate::tool::{
    Check, Facts, Permit, PreparedCall, Tool, ToolContext, ToolDef, ToolError, ToolOutput, ToolSpec,
};

/// Calls a tool with JSON text. No approver is asked. A call that the tool's own check denies does not run.
///
/// Invalid arguments get a second, lenient pass, whose repairs are listed in the notes of the result, or beside the
/// mistakes that remain. A panic in the
/// tool is a failed call. The call is stopped at its deadline or when it is cancelled.
///
/// # Errors
///
/// The errors of the tool; [`ToolError::InvalidArguments`] with all mistakes at once if the arguments are invalid;
/// [`ToolError::Denied`] if the tool's own check denies the call.
pub async fn call(tool: &dyn Tool, context: &ToolContext, arguments: &str) -> ToolResult {
    let prepared = prepare(tool, context, &Arc::from(arguments))?;
    if let Check::Deny { reason, .. } = &prepared.facts().check {
        return Err(ToolError::Denied(Denial::new(reason.as_str())));
    }
    let permit = Permit::new(context.clone(), prepared.confinement());
    run(tool, prepared, permit).await
}

/// A direct call of a linked function without a permission check. It parses the arguments in place.
///
/// The future is written by hand for the usual call, which is ready when it is first polled. Each `async fn` would
/// copy the result once more, which is noticeable in a short call. All other cases are delegated to [`call`].
pub(crate) enum DirectCall<'a> {
    First(FirstPoll<'a>),
    /// The rest of a call that was not ready at the first poll.
    Pending(BoxFuture<'a, ToolResult>),
}

impl<'a> DirectCall<'a> {
    #[inline]
    pub(crate) fn new(
        tool: &'static ToolDef,
        context: &'a ToolContext,
        arguments: &'a str,
    ) -> Self {
        Self::First(FirstPoll {
            tool,
            context,
            arguments,
        })
    }

    #[cold]
    fn poll_pending(
        &mut self,
        rest: BoxFuture<'a, ToolResult>,
        cx: &mut Context<'_>,
    ) -> Poll<ToolResult> {
        *self = Self::Pending(rest);
        Pin::new(self).poll(cx)
    }
}

impl Future for DirectCall<'_> {
    type Output = ToolResult;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ToolResult> {
        match &mut *self {
            Self::Pending(rest) => rest.as_mut().poll(cx),
            Self::First(first) => {
                let mut slot = Poll::Pending;
                if let Some(rest) = first.start(cx, &mut slot) {
                    return self.poll_pending(rest, cx);
                }
                slot
            }
        }
    }
}

/// A direct call before its first poll.
#[derive(Clone, Copy)]
pub(crate) struct FirstPoll<'a> {
    tool: &'static ToolDef,
    context: &'a ToolContext,
    arguments: &'a str,
}

impl<'a> FirstPoll<'a> {
    /// Starts the call, and returns the rest of it unless the call is ready. Then its result is in the slot of the
    /// caller: each returned result on the way would be a copy.
    fn start(
        &self,
        cx: &mut Context<'_>,
        slot: &mut Poll<ToolResult>,
    ) -> Option<BoxFuture<'a, ToolResult>> {
        let Self {
            tool,
            context,
            arguments,
        } = *self;
        let spec = tool.spec();
        if tool.has_judging_functions() {
            return Some(self.call_prepared());
        }
        if spec.timeout.is_some() || needs_state(&tool) {
            return Some(Box::pin(call_with_limits(tool, context, arguments)));
        }
        // Before the arguments are parsed, since a body that never waits runs with that.
        if let Err(error) = check_not_cancelled(context) {
            *slot = Poll::Ready(Err(error));
            return None;
        }
        let invocation = direct_invocation(tool, context, arguments);
        let started = catch_unwind(AssertUnwindSafe(|| tool.call(invocation, slot).ok()));
        match started {
            Ok(Some(StartedCall::Done)) => {
                if let Poll::Ready(Ok(output)) = slot {
                    output.truncate(limit(spec, context));
                }
                None
            }
            Ok(Some(StartedCall::Running(future))) => self.poll_body(future, cx, slot),
            // The arguments are parsed again leniently.
            Ok(None) => Some(self.call_prepared()),
            Err(panic) => {
                *slot = Poll::Ready(Err(panic_error(&*panic)));
                None
            }
        }
    }

    /// Polls the body once before anything is allocated for the limits of the call.
    fn poll_body(
        &self,
        mut body: BoxFuture<'a, ToolResult>,
        cx: &mut Context<'_>,
        slot: &mut Poll<ToolResult>,
    ) -> Option<BoxFuture<'a, ToolResult>> {
        let (spec, context) = (self.tool.spec(), self.context);
        let polled = catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(cx)))
            .unwrap_or_else(|panic| Poll::Ready(Err(panic_error(&*panic))));
        let Poll::Ready(result) = polled else {
            let limits = CallLimits::new(spec, context);
            return Some(Box::pin(wait_until_stopped(limits, context, body)));
        };
        *slot = Poll::Ready(result.map(|output| output.truncated(limit(spec, context))));
        None
    }

    /// Calls a tool that has a check, or whose arguments need repair.
    fn call_prepared(&self) -> BoxFuture<'a, ToolResult> {
        Box::pin(call_prepared(self.tool, self.context, self.arguments))
    }
}

async fn call_prepared(
    tool: &'static ToolDef,
    context: &ToolContext,
    arguments: &str,
) -> ToolResult {
    call(&tool, context, arguments).await
}

/// Runs a call that has a deadline of its own or needs host state.
async fn call_with_limits(
    tool: &'static ToolDef,
    context: &ToolContext,
    arguments: &str,
) -> ToolResult {
    let spec = tool.spec();
    let narrowed = spec.timeout.map(|timeout| context.with_timeout(timeout));
    let context = narrowed.as_ref().unwrap_or(context);
    check_not_cancelled(context)?;
    let future = {
        let mut slot = Poll::Pending;
        match start(tool, context, arguments, &mut slot)? {
            // The body of a tool that needs state is always a future.
            Ok(StartedCall::Running(future)) => Some(future),
            Ok(StartedCall::Done) => {
                let output = expect_result(slot)?;
                return Ok(output.truncated(limit(spec, context)));
            }
            Err(_) => None,
        }
    };
    let Some(future) = future else {
        return call_prepared(tool, context, arguments).await;
    };
    context.prepare_state(tool.state_types()).await?;
    wait_until_stopped(CallLimits::new(spec, context), context, future).await
}

fn direct_invocation<'a>(
    definition: &'static ToolDef,
    context: &'a ToolContext,
    arguments: &'a str,
) -> Invocation<'a> {
    Invocation {
        definition,
        context,
        arguments,
        receiver: None,
        stored: None,
    }
}

/// Parses the arguments, and starts the body. A panic while parsing (in a `Deserialize` implementation or a default
/// expression) is a failed call too.
fn start<'a>(
    definition: &'static ToolDef,
    context: &'a ToolContext,
    arguments: &'a str,
    slot: &mut Poll<ToolResult>,
) -> Result<Result<StartedCall<'a>, Mistakes>, ToolError> {
    let invocation = direct_invocation(definition, context, arguments);
    catch_unwind(AssertUnwindSafe(|| definition.call(invocation, slot)))
        .map_err(|panic| panic_error(&*panic))
}

/// Parses the arguments of a call, with a second, lenient pass if they are invalid, and computes the facts of the
/// call.
///
/// # Errors
///
/// [`ToolError::InvalidArguments`] with all mistakes at once; [`ToolError::Failed`] where the tool's own functions panic.
pub fn prepare(
    tool: &dyn Tool,
    context: &ToolContext,
    arguments: &Arc<str>,
) -> Result<PreparedCall, ToolError> {
    let prepare = |arguments: Arc<str>| {
        catch_unwind(AssertUnwindSafe(|| tool.prepare(context, arguments)))
            .map_err(|panic| panic_error(&*panic))
    };
    let mistakes = match prepare(Arc::clone(arguments))? {
        Ok(prepared) => return Ok(prepared),
        Err(mistakes) => mistakes,
    };
    let Some(repaired) = schema::repair_partly(&tool.spec().input_schema, arguments) else {
        return Err(mistakes.into());
    };
    match prepare(repaired.arguments.into())? {
        Ok(prepared) => Ok(prepared.with_repairs(repaired.repairs)),
        Err(left) => Err(left.with_repairs(repaired.repairs).into()),
    }
}

/// Returns the facts of a call without running its body; arguments get the same lenient pass as in [`call`].
///
/// # Errors
///
/// As [`prepare`].
pub fn facts(tool: &dyn Tool, context: &ToolContext, arguments: &str) -> Result<Facts, ToolError> {
    prepare(tool, context, &Arc::from(arguments)).map(PreparedCall::into_facts)
}

/// Runs a prepared call to its end, its deadline, or its cancellation.
///
/// This is not an `async fn`, whose future would keep everything that is known about the call. The returned future
/// holds nothing of the tool.
pub fn run(
    tool: &dyn Tool,
    mut prepared: PreparedCall,
    permit: Permit,
) -> impl Future<Output = ToolResult> + Send + use<> {
    run_taken(tool, prepared.take(), permit)
}

/// Like [`run`], for a call whose facts stay where they are.
#[doc(hidden)]
pub fn run_taken(
    tool: &dyn Tool,
    mut taken: TakenCall,
    permit: Permit,
) -> impl Future<Output = ToolResult> + Send + use<> {
    let permit = match tool.spec().timeout {
        None => permit,
        Some(timeout) => {
            let context = permit.context().with_timeout(timeout);
            permit.with_context(context)
        }
    };
    let limits = CallLimits::new(tool.spec(), permit.context());
    let context = taken.context(permit);
    let TakenCall { work, repairs, .. } = taken;
    if needs_state(tool) {
        let types = tool.state_types();
        // Boxed separately, since few tools use state.
        return Either::Left(Box::pin(async move {
            check_not_cancelled(&context)?;
            context.prepare_state(types).await?;
            run_work(limits, work, repairs, context).await
        }));
    }
    Either::Right(run_work(limits, work, repairs, context))
}

#[expect(
    clippy::manual_async_fn,
    reason = "an `async fn` holds its arguments twice, and every call would be as large"
)]
fn run_work(
    limits: CallLimits,
    work: CallWork,
    repairs: Vec<String>,
    context: ToolContext,
) -> impl Future<Output = ToolResult> + Send {
    async move {
        check_not_cancelled(&context)?;
        let (parsed, shared);
        // Neither the slot nor the call lives until the end of the wait, so that the future has no room for them.
        let future = {
            let mut slot = Poll::Pending;
            let started = match work {
                CallWork::Parsed(call) => {
                    parsed = call;
                    catch_unwind(AssertUnwindSafe(|| parsed.start(&context, &mut slot)))
                }
                CallWork::Shared(call) => {
                    shared = call;
                    catch_unwind(AssertUnwindSafe(|| shared.start(&context, &mut slot)))
                }
                CallWork::Custom(start) => catch_unwind(AssertUnwindSafe(|| {
                    StartedCall::Running(start(context.clone()))
                })),
            };
            match started.map_err(|panic| panic_error(&*panic))? {
                StartedCall::Running(future) => future,
                StartedCall::Done => {
                    let output = expect_result(slot)?.truncated(limits.max_result_chars);
                    return Ok(with_repairs(output, &repairs));
                }
            }
        };
        let output = wait_until_stopped(limits, &context, future).await?;
        Ok(with_repairs(output, &repairs))
    }
}

fn with_repairs(output: ToolOutput, repairs: &[String]) -> ToolOutput {
    repairs.iter().fold(output, |output, repair| {
        output.with_note(format!("[repaired: {repair}]"))
    })
}

fn check_not_cancelled(context: &ToolContext) -> Result<(), ToolError> {
    if context.is_cancelled() {
        return Err(ToolError::Cancelled(Interruption::cancelled(false)));
    }
    Ok(())
}

/// The limits of a running call, from the spec of its tool.
#[derive(Clone, Copy)]
struct CallLimits {
    /// Whether the call has no lasting effects.
    is_read_only: bool,
    /// The maximum number of characters of the result.
    max_result_chars: usize,
}

impl CallLimits {
    fn new(spec: &ToolSpec, context: &ToolContext) -> Self {
        Self {
            is_read_only: spec.annotations.read_only == Some(true),
            max_result_chars: limit(spec, context),
        }
    }
}

/// Waits until a call ends or is stopped.
async fn wait_until_stopped(
    limits: CallLimits,
    context: &ToolContext,
    future: BoxFuture<'_, ToolResult>,
) -> ToolResult {
    let mut future = AssertUnwindSafe(future).catch_unwind();
    // Polled once before timers are created: most calls are then ready, and a timer costs more than the poll.
    let first = poll_fn(|cx| Poll::Ready(future.poll_unpin(cx))).await;
    let finished = match first {
        Poll::Ready(finished) => finished,
        // Boxed separately: timers are large, and most calls are ready.
        Poll::Pending => Box::pin(wait_for_end(limits, context, future)).await,
    };
    let result = finished.unwrap_or_else(|panic| Err(panic_error(&*panic)));
    result.map(|output| output.truncated(limits.max_result_chars))
}

/// Waits for a call that was not ready at its first poll.
async fn wait_for_end(
    limits: CallLimits,
    context: &ToolContext,
    work: impl Future<Output = std::thread::Result<ToolResult>>,
) -> std::thread::Result<ToolResult> {
    let outcome_unknown = !limits.is_read_only;
    let deadline = async {
        match context.deadline() {
            Some(deadline) => tokio::time::sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        finished = work => finished,
        () = context.cancellation().cancelled() => Ok(Err(ToolError::Cancelled(Interruption::cancelled(outcome_unknown)))),
        () = deadline => Ok(Err(ToolError::Cancelled(Interruption::deadline(outcome_unknown)))),
    }
}

/// Returns the maximum number of characters of a result.
#[inline]
fn limit(spec: &ToolSpec, context: &ToolContext) -> usize {
    if context.has_untruncated_results() {
        return usize::MAX;
    }
    let own = spec.max_result_chars.unwrap_or(usize::MAX);
    own.min(context.result_budget())
}

/// Reports whether a call uses host state, which may have to be created first.
#[inline]
fn needs_state<T: Tool + ?Sized>(tool: &T) -> bool {
    let definition = tool.definition();
    definition
        .is_some_and(|definition| !tool.is_bound() || definition.required_state().next().is_some())
}

/// Returns the message of a panic.
pub fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message")
}

#[cold]
fn panic_error(payload: &(dyn Any + Send)) -> ToolError {
    let message = panic_message(payload);
    ToolError::failed(format!(
        "the tool panicked, which is a defect in it: {message}"
    ))
}

#[doc(hidden)]
pub mod blocking {
    //! Blocking tools: the body runs on the blocking pool and owns all its data.

    use super::{
        AssertUnwindSafe, FutureExt, Interruption, ToolContext, ToolError, ToolResult, panic_error,
    };

    /// Runs a body on the blocking pool.
    ///
    /// If the caller stops waiting, the body keeps running, and the call is reported with an unknown outcome.
    pub async fn run(
        context: ToolContext,
        body: impl FnOnce(&ToolContext) -> ToolResult + Send + 'static,
    ) -> ToolResult {
        match tokio::task::spawn_blocking(move || body(&context)).await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => Err(panic_error(&*panic)),
                Err(_) => Err(ToolError::Cancelled(Interruption::cancelled(false))),
            },
        }
    }

    /// Returns the output of a future that is immediately ready, as all outputs except streams are.
    pub fn expect_ready(output: impl Future<Output = ToolResult>) -> ToolResult {
        AssertUnwindSafe(output)
            .now_or_never()
            .unwrap_or_else(|| Err(ToolError::failed("a blocking tool cannot return a stream")))
    }
}
