//! Catching of panics in an app's own code, so that a panic fails the affected work and not the turn.

use std::panic::AssertUnwindSafe;

use futures_util::future::FutureExt;

use helve_core::tool::dispatch::panic_message;

/// Runs work that contains an app's code, and catches its panics.
///
/// The partial state that a panic leaves is dropped with the work, which holds no state of the turn.
///
/// This is not an `async fn`: its future would hold the work twice, as the argument and as the awaited future.
pub fn catch_panics<'a, T>(
    whose: &'a str,
    work: impl Future<Output = T> + Send + 'a,
) -> impl Future<Output = Result<T, String>> + Send + 'a {
    let caught = AssertUnwindSafe(work).catch_unwind();
    caught.map(move |done| {
        done.map_err(|panic| format!("{whose} panicked: {}", panic_message(&*panic)))
    })
}
