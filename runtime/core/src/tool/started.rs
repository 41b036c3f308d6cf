//! Calls that were started.

use std::future::Ready;
use std::task::Poll;

use futures_core::Stream;
use futures_util::future::{BoxFuture, FutureExt};

use crate::tool::context::ToolContext;
use crate::tool::error::{ToolError, ToolResult};
use crate::tool::return_value::StreamDrain;

/// A call that was started.
pub enum StartedCall<'a> {
    /// The body never waits, and has run: the result is in the slot of the caller. No future is allocated, and the result
    /// is not copied from one caller to the next.
    Done,
    /// The body runs when the future is polled.
    Running(BoxFuture<'a, ToolResult>),
}

impl<'a> StartedCall<'a> {
    /// Creates a call whose body may wait.
    #[inline]
    pub fn running(future: impl Future<Output = ToolResult> + Send + 'a) -> Self {
        Self::Running(Box::pin(future))
    }

    /// Puts the result of a body that has run into the slot of the caller.
    #[inline(always)]
    pub fn done(result: ToolResult, slot: &mut Poll<ToolResult>) -> Self {
        // The slot is always empty, and the compiler need not drop a result in it.
        if slot.is_pending() {
            *slot = Poll::Ready(result);
        }
        Self::Done
    }
}

/// Returns the result of a body that has run.
#[inline]
pub(crate) fn expect_result(slot: Poll<ToolResult>) -> ToolResult {
    match slot {
        Poll::Ready(result) => result,
        Poll::Pending => Err(ToolError::failed("the tool returned nothing")),
    }
}

/// A call whose arguments were parsed.
pub(crate) trait StartCall: Send + Sync {
    /// Starts the body. If the body never waits, it has run, and its result is in the slot.
    fn start<'a>(
        &'a self,
        context: &'a ToolContext,
        slot: &mut Poll<ToolResult>,
    ) -> StartedCall<'a>;
}

/// The output of a body that has run: a result, or a stream that has to be drained.
pub trait IntoStartedCall<'a> {
    /// Puts a result into the slot of the caller; returns the call.
    fn into_started(self, slot: &mut Poll<ToolResult>) -> StartedCall<'a>;
}

impl<'a> IntoStartedCall<'a> for Ready<ToolResult> {
    #[inline(always)]
    fn into_started(self, slot: &mut Poll<ToolResult>) -> StartedCall<'a> {
        StartedCall::done(self.into_inner(), slot)
    }
}

impl<'a, S: Stream> IntoStartedCall<'a> for StreamDrain<'a, S>
where
    Self: Send + 'a,
{
    fn into_started(self, _: &mut Poll<ToolResult>) -> StartedCall<'a> {
        StartedCall::running(self)
    }
}

/// Returns the value of an `async fn` whose body contains no `await` and no macro, so that it is ready when it is first
/// polled.
///
/// # Panics
///
/// If the body waits.
#[inline]
pub fn poll_once<T>(future: impl Future<Output = T>) -> T {
    match future.now_or_never() {
        Some(value) => value,
        None => unreachable!("a body without `await` is ready when it is first polled"),
    }
}
