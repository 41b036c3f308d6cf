//! The token that stops the model.

use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;

/// A token that is created when it is first needed; most replies are neither stopped nor waited for.
#[derive(Default)]
pub(super) struct StopToken(OnceLock<CancellationToken>);

impl StopToken {
    /// Returns the token itself.
    pub(super) fn token(&self) -> &CancellationToken {
        self.0.get_or_init(CancellationToken::new)
    }

    /// Waits until the token is cancelled. The token is created when this future is first polled.
    pub(super) async fn cancelled(&self) {
        self.token().cancelled().await;
    }

    /// Reports whether the token is cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.0.get().is_some_and(CancellationToken::is_cancelled)
    }
}
