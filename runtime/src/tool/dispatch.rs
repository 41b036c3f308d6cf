//! One call from JSON text to result: lenient pass, lazy state, deadline, cancellation, panics, cap.

use std::any::Any;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::task::Poll;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::schema::{self, Mistakes};
use crate::tool::error::{Interrupted, ToolResult};
use crate::tool::{Facts, Tool, ToolContext, ToolError};

/// Calls a tool with JSON text.
///
/// Arguments that do not fit get a second, lenient pass; what it repaired is said in the result's notes. A panic in the
/// tool is a failed call. Past its deadline or after a cancellation the call is stopped.
///
/// # Errors
///
/// As the tool fails; [`ToolError::InvalidArguments`] with all mistakes at once where the arguments do not fit.
pub async fn call(tool: &dyn Tool, context: &ToolContext, arguments: &str) -> ToolResult {
    call_concrete(tool, context, arguments).await
}

/// Calls a tool as [`call`] does; where its type is known, nothing is looked up in a table of methods.
pub(crate) async fn call_concrete<T: Tool + ?Sized>(
    tool: &T,
    context: &ToolContext,
    arguments: &str,
) -> ToolResult {
    let narrowed;
    let context = match tool.spec().timeout {
        None => context,
        Some(timeout) => {
            narrowed = context.within(timeout);
            &narrowed
        }
    };
    match tool.call(context, arguments) {
        Ok(future) => finish(tool, context, future).await,
        Err(mistakes) => call_leniently(tool, context, arguments, mistakes).await,
    }
}

/// Says what a call would be, without running anything; arguments get the same lenient pass as in [`call`].
///
/// # Errors
///
/// All mistakes of the arguments at once.
pub fn facts(tool: &dyn Tool, context: &ToolContext, arguments: &str) -> Result<Facts, Mistakes> {
    tool.facts(context, arguments).or_else(|mistakes| {
        let repaired = schema::repair(&tool.spec().input_schema, arguments);
        repaired
            .and_then(|repaired| tool.facts(context, &repaired.arguments).ok())
            .ok_or(mistakes)
    })
}

/// Reads the arguments once more, mending what can be mended without inventing anything.
#[cold]
async fn call_leniently<T: Tool + ?Sized>(
    tool: &T,
    context: &ToolContext,
    arguments: &str,
    mistakes: Mistakes,
) -> ToolResult {
    let Some(repaired) = schema::repair(&tool.spec().input_schema, arguments) else {
        return Err(mistakes.into());
    };
    let Ok(future) = tool.call(context, &repaired.arguments) else {
        return Err(mistakes.into());
    };
    let output = finish(tool, context, future).await?;
    Ok(repaired.repairs.into_iter().fold(output, |output, repair| {
        output.with_note(format!("[repaired: {repair}]"))
    }))
}

/// Polls once before it arms timers: most calls are ready then, and a timer costs more than they do.
async fn finish<T: Tool + ?Sized>(
    tool: &T,
    context: &ToolContext,
    future: BoxFuture<'_, ToolResult>,
) -> ToolResult {
    if context.cancellation().is_cancelled() {
        return Err(ToolError::Cancelled(Interrupted::cancelled(false)));
    }
    if let Some(definition) = tool.definition()
        && (!tool.is_bound() || definition.needs().next().is_some())
    {
        context.prepare_state(tool.state_types()).await?;
    }
    let mut future = AssertUnwindSafe(future).catch_unwind();
    let first = poll_fn(|cx| Poll::Ready(future.poll_unpin(cx))).await;
    let result = match first {
        Poll::Ready(result) => result.unwrap_or_else(|panic| Err(panicked(&*panic))),
        Poll::Pending => wait(context, future).await,
    };
    let own = tool.spec().max_result_chars.unwrap_or(usize::MAX);
    result.map(|output| output.capped(own.min(context.result_budget())))
}

/// Waits for a call that was not ready, until it is stopped.
async fn wait(
    context: &ToolContext,
    future: impl Future<Output = std::thread::Result<ToolResult>>,
) -> ToolResult {
    let deadline = async {
        match context.deadline() {
            Some(deadline) => tokio::time::sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        result = future => result.unwrap_or_else(|panic| Err(panicked(&*panic))),
        () = context.cancellation().cancelled() => Err(ToolError::Cancelled(Interrupted::cancelled(true))),
        () = deadline => Err(ToolError::Cancelled(Interrupted::deadline(true))),
    }
}

#[cold]
fn panicked(payload: &(dyn Any + Send)) -> ToolError {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ToolError::failed(format!(
        "the tool panicked, which is a defect in it: {message}"
    ))
}

#[doc(hidden)]
pub mod blocking {
    //! Blocking tools: the body runs on the blocking pool, with everything that it needs owned.

    use super::{
        AssertUnwindSafe, FutureExt, Interrupted, ToolContext, ToolError, ToolResult, panicked,
    };

    /// Runs a body on the blocking pool.
    ///
    /// Where the caller stops waiting, the body goes on: the call is then reported with its outcome unknown.
    #[expect(
        clippy::missing_errors_doc,
        reason = "hidden: it hands on the tool's own error"
    )]
    pub async fn run(
        context: ToolContext,
        body: impl FnOnce(&ToolContext) -> ToolResult + Send + 'static,
    ) -> ToolResult {
        match tokio::task::spawn_blocking(move || body(&context)).await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => Err(panicked(&*panic)),
                Err(_) => Err(ToolError::Cancelled(Interrupted::cancelled(false))),
            },
        }
    }

    /// Takes the output of a value that is ready at once, which all but streams are.
    #[expect(
        clippy::missing_errors_doc,
        reason = "hidden: it hands on the tool's own error"
    )]
    pub fn ready(output: impl Future<Output = ToolResult>) -> ToolResult {
        AssertUnwindSafe(output)
            .now_or_never()
            .unwrap_or_else(|| Err(ToolError::failed("a blocking tool cannot return a stream")))
    }
}
