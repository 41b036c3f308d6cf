//! The signals that end a server.

use tokio_util::sync::CancellationToken;

use crate::exit;
use helve_terminal::output;

/// Ends the server in order on the first Ctrl-C or SIGTERM, and at once on the second one.
pub(super) fn cancel_on_signals(stop: CancellationToken) -> SignalListener {
    let signals = Signals::new();
    SignalListener(tokio::spawn(async move {
        // Without them a signal ends the process, as it always did.
        let Ok(mut signals) = signals else {
            return;
        };
        signals.next().await;
        output::note("shutting down; press Ctrl-C again to exit immediately");
        stop.cancel();
        signals.next().await;
        std::process::exit(exit::INTERRUPTED.into());
    }))
}

/// Stops listening when it is dropped.
pub(super) struct SignalListener(tokio::task::JoinHandle<()>);

impl Drop for SignalListener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
