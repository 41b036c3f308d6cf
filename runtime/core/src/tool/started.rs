//! Calls that were started.

use std::future::Ready;

use futures_core::Stream;
use futures_util::future::{BoxFuture, FutureExt};

use crate::tool::context::ToolContext;
use crate::tool::error::ToolResult;
use crate::tool::return_value::StreamDrain;

/// A call that was started: the result of a body that never waits, for which no future is allocated, or a future.
pub enum StartedCall<'a> {
    /// The body has run.
    Done(ToolResult),
    /// The body runs when the future is polled.
    Running(BoxFuture<'a, ToolResult>),
}

impl<'a> StartedCall<'a> {
    /// Creates a call whose body may wait.
    #[inline]
    pub fn running(future: impl Future<Output = ToolResult> + Send + 'a) -> Self {
        Self::Running(Box::pin(future))
    }
}

/// A call whose arguments were parsed.
pub(crate) trait StartCall: Send + Sync {
    /// Starts the body, which has run if it never waits.
    fn start<'a>(&'a self, context: &'a ToolContext) -> StartedCall<'a>;
}

/// The output of a body that has run: a result, or a stream that has to be drained.
pub trait IntoStartedCall<'a> {
    /// Returns the call.
    fn into_started(self) -> StartedCall<'a>;
}

impl<'a> IntoStartedCall<'a> for Ready<ToolResult> {
    #[inline]
    fn into_started(self) -> StartedCall<'a> {
        StartedCall::Done(self.into_inner())
    }
}

impl<'a, S: Stream> IntoStartedCall<'a> for StreamDrain<'a, S>
where
    Self: Send + 'a,
{
    fn into_started(self) -> StartedCall<'a> {
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
