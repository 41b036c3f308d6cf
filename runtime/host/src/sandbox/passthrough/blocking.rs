//! Blocking work off the async threads.

use crate::sandbox::SandboxError;

/// Runs blocking work on a thread of tokio's blocking pool.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SandboxError> + Send + 'static,
) -> Result<T, SandboxError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| {
        Err(SandboxError::Io {
            doing: "working in the sandbox".to_owned(),
            source: std::io::Error::other(error),
        })
    })
}
