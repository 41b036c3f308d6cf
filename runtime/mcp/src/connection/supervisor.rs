//! The supervisor task, which establishes the connection, watches it, and re-establishes it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use rmcp::RoleClient;
use rmcp::service::RunningService;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::attempt::{Attempt, EstablishedConnection};
use super::follow;
use super::handler::Handler;
use super::live::LiveConnection;
use super::shared::{ConnectionPhase, SharedConnection};
use super::{CallError, ConnectError};

/// The first delay before another attempt.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// The longest delay before another attempt.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How long a connection must last to reset the delays.
const STEADY: Duration = Duration::from_secs(60);
/// The number of attempts in a row without a caller that waits.
const UNASKED: u32 = 8;
/// How long a connection may take to close.
pub(super) const CLOSING: Duration = Duration::from_secs(10);

/// Starts a supervisor, unless one runs.
pub(super) fn supervise(shared: &Arc<SharedConnection>) {
    if !shared.is_supervised.swap(true, Ordering::AcqRel) {
        let supervisor = Supervisor {
            shared: Arc::clone(shared),
            waits: waits(),
            generation: shared.listing.borrow().generation,
            is_legacy: false,
            unasked: 0,
            retired: JoinSet::new(),
        };
        tokio::spawn(supervisor.run());
    }
}

struct Supervisor {
    shared: Arc<SharedConnection>,
    waits: ExponentialBackoff,
    generation: u64,
    /// Whether the server is known to need the legacy handshake.
    is_legacy: bool,
    /// The number of remaining attempts without a caller that waits.
    unasked: u32,
    /// Connections that accept no more requests, until they are closed.
    retired: JoinSet<()>,
}

impl Drop for Supervisor {
    /// Wakes all callers that wait, also if the runtime drops the task at shutdown.
    fn drop(&mut self) {
        let closed = self.shared.closing.is_cancelled();
        let error = self.shared.closed();
        self.shared.is_supervised.store(false, Ordering::Release);
        self.shared.update(|lifecycle| {
            lifecycle.phase = if closed {
                ConnectionPhase::Closed
            } else {
                ConnectionPhase::Idle
            };
            lifecycle.failures += 1;
            lifecycle.last_error.get_or_insert(error);
        });
    }
}

impl Supervisor {
    async fn run(mut self) {
        self.make_connections().await;
        while self.retired.join_next().await.is_some() {}
    }

    /// Establishes connections one after another, until the connection is closed for good.
    async fn make_connections(&mut self) {
        let closing = self.shared.closing.clone();
        while !closing.is_cancelled() {
            if !self.wanted().await {
                return;
            }
            self.shared
                .update(|lifecycle| lifecycle.phase = ConnectionPhase::Connecting);
            let shared = Arc::clone(&self.shared);
            let attempt = Attempt {
                config: &shared.config,
                deps: &shared.deps,
            };
            let attempt = closing.run_until_cancelled(attempt.connect(self.is_legacy));
            let (error, wait) = match attempt.await {
                None => return,
                Some(Err(error)) => self.failed(error),
                Some(Ok(established)) => self.stay(established).await,
            };
            tracing::debug!(%error, ?wait, "an MCP server is not connected");
            let slept = closing.run_until_cancelled(tokio::time::sleep(wait));
            if slept.await.is_none() {
                return;
            }
        }
    }

    /// Waits until a caller needs the connection; returns `false` if the connection is closed instead.
    async fn wanted(&mut self) -> bool {
        if self.unasked > 0 && !self.shared.is_wanted() {
            self.unasked -= 1;
            return true;
        }
        while !self.shared.is_wanted() {
            let wanted = self.shared.wanted.notified();
            if self
                .shared
                .closing
                .run_until_cancelled(wanted)
                .await
                .is_none()
            {
                return false;
            }
        }
        true
    }

    fn next_wait(&mut self) -> Duration {
        let wait = self.waits.next().unwrap_or(LONGEST_WAIT);
        wait.min(LONGEST_WAIT)
    }

    fn failed(&mut self, error: ConnectError) -> (ConnectError, Duration) {
        let wait = if error.is_permanent() {
            self.unasked = 0;
            Duration::ZERO
        } else {
            self.next_wait()
        };
        self.shared.update(|lifecycle| {
            lifecycle.phase = ConnectionPhase::Waiting;
            lifecycle.failures += 1;
            lifecycle.last_error = Some(error.clone());
        });
        (error, wait)
    }

    /// Supervises a connection until it ends.
    async fn stay(&mut self, established: EstablishedConnection) -> (ConnectError, Duration) {
        let since = Instant::now();
        self.generation += 1;
        self.is_legacy = established.is_legacy;
        let live = Arc::new(LiveConnection::new(self.generation, &established));
        self.shared.update(|lifecycle| {
            lifecycle.phase = ConnectionPhase::Ready(Arc::clone(&live));
            lifecycle.made += 1;
        });
        let error = self.watch(&live, established.running).await;
        self.settle_listing(&live, &error);
        if since.elapsed() >= STEADY {
            self.waits = waits();
        }
        self.unasked = UNASKED;
        let wait = self.next_wait();
        self.shared.update(|lifecycle| {
            lifecycle.phase = ConnectionPhase::Waiting;
            lifecycle.restarts += 1;
            lifecycle.last_error = Some(error.clone());
        });
        // The end is recorded last, so that a caller that waits for it finds the new phase.
        live.end(error.clone());
        (error, wait)
    }

    /// Follows the tools of the server until the connection ends, and returns why it ended.
    async fn watch(
        &mut self,
        live: &Arc<LiveConnection>,
        running: RunningService<RoleClient, Handler>,
    ) -> ConnectError {
        let server = self.shared.config.name().clone();
        let stop = running.cancellation_token();
        let mut ended = Box::pin(running.waiting());
        let is_over = tokio::select! {
            biased;
            _ = &mut ended => true,
            () = self.shared.closing.cancelled() => false,
            () = live.useless.cancelled() => false,
            () = follow::follow(&self.shared, live) => false,
        };
        if !is_over {
            let (live, closing) = (Arc::clone(live), self.shared.closing.clone());
            while self.retired.try_join_next().is_some() {}
            // The next connection does not wait for the requests that are in flight on this one. The requests are not
            // aborted, because it would then be unknown whether the server has processed them.
            self.retired.spawn(async move {
                closing.run_until_cancelled(live.wait_until_idle()).await;
                stop.cancel();
                let _ = tokio::time::timeout(CLOSING, ended).await;
            });
        }
        if self.shared.closing.is_cancelled() {
            return ConnectError::Closed { server };
        }
        live.fault.settle().await;
        ConnectError::Ended {
            server,
            was_ready: true,
            how: live.fault.how(),
        }
    }

    /// Publishes an error for a list that this connection has not delivered, so that no caller waits for it.
    fn settle_listing(&self, live: &LiveConnection, error: &ConnectError) {
        self.shared.listing.send_if_modified(|listing| {
            let is_open = listing.generation < live.generation;
            if is_open {
                listing.generation = live.generation;
                listing.problem = Some(CallError::Connect(error.clone()));
            }
            is_open
        });
    }
}

fn waits() -> ExponentialBackoff {
    ExponentialBuilder::new()
        .with_min_delay(FIRST_WAIT)
        .with_max_delay(LONGEST_WAIT)
        .with_factor(2.0)
        .with_jitter()
        .without_max_times()
        .build()
}
