//! Ctrl-C, while a turn runs.

use tokio_util::sync::CancellationToken;

use crate::exit;
use helve_terminal::{output, screen};

/// Interrupts the turn on the first Ctrl-C; the second one ends the process, as it always did.
pub(crate) fn interrupt_on_ctrl_c(stop: CancellationToken) -> CtrlCListener {
    CtrlCListener(tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_err() {
            return;
        }
        output::note("\ninterrupting; press Ctrl-C again to exit immediately");
        stop.cancel();
        if tokio::signal::ctrl_c().await.is_ok() {
            screen::clear_for_exit();
            std::process::exit(exit::INTERRUPTED.into());
        }
    }))
}

/// Interrupts the turn by another key.
#[cfg(all(unix, feature = "chat"))]
pub(crate) fn interrupt_on_key(stop: &CancellationToken) {
    if !stop.is_cancelled() {
        output::note("\ninterrupting; press Ctrl-C twice to exit immediately");
        stop.cancel();
    }
}

/// Stops listening when it is dropped.
#[derive(Debug)]
pub(crate) struct CtrlCListener(tokio::task::JoinHandle<()>);

impl Drop for CtrlCListener {
    fn drop(&mut self) {
        self.0.abort();
    }
}
