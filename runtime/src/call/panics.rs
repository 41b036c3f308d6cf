//! Panics in an app's own code: they cost the piece of work that they happen in, and not the turn.

use std::panic::AssertUnwindSafe;

use futures_util::future::FutureExt;

use crate::tool::dispatch::panic_message;

/// Does a piece of work with an app's code in it.
///
/// What the panic left half done is dropped with the work: nothing of the turn is in there.
pub(crate) async fn catching<T>(
    whose: &str,
    work: impl Future<Output = T> + Send,
) -> Result<T, String> {
    let done = AssertUnwindSafe(work).catch_unwind().await;
    done.map_err(|panic| format!("{whose} panicked: {}", panic_message(&*panic)))
}
