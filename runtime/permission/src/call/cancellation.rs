//! Waiting for hooks until the turn is cancelled.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::Poll;

use tokio_util::sync::CancellationToken;

/// The progress of the work that hooks wrap.
#[derive(Clone, Default)]
pub struct InnerRun(Arc<AtomicU8>);

const NOT_STARTED: u8 = 0;
const RUNNING: u8 = 1;
const DONE: u8 = 2;

impl InnerRun {
    /// Runs the wrapped work.
    pub async fn run<T>(self, work: impl Future<Output = T>) -> T {
        self.0.store(RUNNING, Ordering::Relaxed);
        let result = work.await;
        self.0.store(DONE, Ordering::Relaxed);
        result
    }

    /// Reports whether the work has started, so that it may have had an effect.
    pub(crate) fn has_started(&self) -> bool {
        self.0.load(Ordering::Relaxed) != NOT_STARTED
    }

    fn is_running(&self) -> bool {
        self.0.load(Ordering::Relaxed) == RUNNING
    }
}

/// Waits for hooks until the turn is cancelled. The wrapped work handles the cancellation itself, and its end is
/// awaited. A hook that waits for anything else is dropped, and the result is `None`.
pub async fn run_until_cancelled<T>(
    hooks: impl Future<Output = T>,
    stop: &CancellationToken,
    inside: &InnerRun,
) -> Option<T> {
    let (mut hooks, mut stopped) = (pin!(hooks), pin!(stop.cancelled()));
    poll_fn(|context| {
        if let Poll::Ready(result) = hooks.as_mut().poll(context) {
            return Poll::Ready(Some(result));
        }
        match stopped.as_mut().poll(context) {
            Poll::Ready(()) if !inside.is_running() => Poll::Ready(None),
            _ => Poll::Pending,
        }
    })
    .await
}
