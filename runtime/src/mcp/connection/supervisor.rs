//! The one task that makes connections, watches them, and makes them anew.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use rmcp::RoleClient;
use rmcp::service::RunningService;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::attempt::{Attempt, Established};
use super::follow;
use super::handler::Handler;
use super::live::Live;
use super::shared::{Phase, Shared};
use super::{CallError, ConnectError};

/// The first wait before a connection is made anew, and the longest.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How long a connection must have lasted for its end to be a new beginning.
const STEADY: Duration = Duration::from_secs(60);
/// How many attempts in a row are made though nobody waits.
const UNASKED: u32 = 8;
/// How long a connection has to close.
const CLOSING: Duration = Duration::from_secs(10);

/// Sees to it that a supervisor runs.
pub(super) fn supervise(shared: &Arc<Shared>) {
    if !shared.is_supervised.swap(true, Ordering::AcqRel) {
        let supervisor = Supervisor {
            shared: Arc::clone(shared),
            waits: waits(),
            generation: shared.listing.borrow().generation,
            is_old: false,
            unasked: 0,
            retired: JoinSet::new(),
        };
        tokio::spawn(supervisor.run());
    }
}

struct Supervisor {
    shared: Arc<Shared>,
    waits: ExponentialBackoff,
    generation: u64,
    /// Whether the server is known to need the old handshake.
    is_old: bool,
    /// How many attempts are made though nobody waits.
    unasked: u32,
    /// Connections that take no more requests, until they have closed.
    retired: JoinSet<()>,
}

impl Drop for Supervisor {
    /// Lets nobody wait for ever, however the task ended: a runtime may have been shut down around it.
    fn drop(&mut self) {
        let closed = self.shared.closing.is_cancelled();
        let error = self.shared.closed();
        self.shared.is_supervised.store(false, Ordering::Release);
        self.shared.now(|standing| {
            standing.phase = if closed { Phase::Closed } else { Phase::Idle };
            standing.failures += 1;
            standing.last_error.get_or_insert(error);
        });
    }
}

impl Supervisor {
    async fn run(mut self) {
        self.make_connections().await;
        while self.retired.join_next().await.is_some() {}
    }

    /// Makes connections one after another, until there are to be none.
    async fn make_connections(&mut self) {
        let closing = self.shared.closing.clone();
        while !closing.is_cancelled() {
            if !self.wanted().await {
                return;
            }
            self.shared
                .now(|standing| standing.phase = Phase::Connecting);
            let shared = Arc::clone(&self.shared);
            let attempt = Attempt {
                config: &shared.config,
                surroundings: &shared.surroundings,
            };
            let attempt = closing.run_until_cancelled(attempt.connect(self.is_old));
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

    /// Waits until the connection is to be made; says no when it is closed instead.
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
        self.shared.now(|standing| {
            standing.phase = Phase::Waiting;
            standing.failures += 1;
            standing.last_error = Some(error.clone());
        });
        (error, wait)
    }

    /// Stays with a connection until it ends.
    async fn stay(&mut self, established: Established) -> (ConnectError, Duration) {
        let since = Instant::now();
        self.generation += 1;
        self.is_old = established.is_old;
        let live = Arc::new(Live::new(
            self.generation,
            established.running.peer().clone(),
            established.info,
            established.answers,
            established.calls,
            established.fault,
            established.changed,
        ));
        self.shared.now(|standing| {
            standing.phase = Phase::Ready(Arc::clone(&live));
            standing.made += 1;
        });
        let error = self.watch(&live, established.running).await;
        self.settle_listing(&live, &error);
        if since.elapsed() >= STEADY {
            self.waits = waits();
        }
        self.unasked = UNASKED;
        let wait = self.next_wait();
        self.shared.now(|standing| {
            standing.phase = Phase::Waiting;
            standing.restarts += 1;
            standing.last_error = Some(error.clone());
        });
        // Last, so that whoever waited for it finds that there is no connection.
        live.end(error.clone());
        (error, wait)
    }

    /// Follows what the server offers until the connection ends, and says why it did.
    async fn watch(
        &mut self,
        live: &Arc<Live>,
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
            // The next connection does not wait for the requests that are in flight on this one: each gets its own
            // answer, where cutting it off would leave open whether the server has acted on it.
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

    /// Tells those who wait for a list that there will be none from this connection.
    fn settle_listing(&self, live: &Live, error: &ConnectError) {
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
