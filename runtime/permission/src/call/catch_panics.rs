//! Panics in an app's own code: they cost the piece of work that they happen in, and not the turn.

use std::panic::AssertUnwindSafe;

use futures_util::future::FutureExt;

use helve_core::tool::dispatch::panic_message;

/// Does a piece of work with an app's code in it.
///
/// What the panic left half done is dropped with the work: nothing of the turn is in there.
///
/// It is no `async fn`, whose future would hold the work twice: as its argument and as what it waits for.
pub fn catch_panics<'a, T>(
    whose: &'a str,
    work: impl Future<Output = T> + Send + 'a,
) -> impl Future<Output = Result<T, String>> + Send + 'a {
    let caught = AssertUnwindSafe(work).catch_unwind();
    caught.map(move |done| {
        done.map_err(|panic| format!("{whose} panicked: {}", panic_message(&*panic)))
    })
}
