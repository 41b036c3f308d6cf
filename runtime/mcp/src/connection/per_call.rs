//! Connections of servers whose lifetime is one call: each use starts the server, and ends it.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::RoleClient;
use rmcp::service::RunningService;
use tokio::sync::OwnedMutexGuard;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::attempt::Attempt;
use super::handler::Handler;
use super::live::LiveConnection;
use super::shared::{ConnectionPhase, SharedConnection};
use super::supervisor::CLOSING;
use super::{ConnectError, follow};

/// The use of a connection, which ends the server when it is dropped if the server runs for this use alone.
#[derive(Debug)]
pub(super) struct ConnectionLease {
    live: Arc<LiveConnection>,
    own: Option<OwnServer>,
}

/// The server of one use.
#[derive(Debug)]
struct OwnServer {
    release: DropGuard,
    task: JoinHandle<()>,
}

impl Deref for ConnectionLease {
    type Target = LiveConnection;

    fn deref(&self) -> &LiveConnection {
        &self.live
    }
}

impl ConnectionLease {
    /// Creates the use of a connection that others use, too.
    pub(super) fn shared(live: Arc<LiveConnection>) -> Self {
        Self { live, own: None }
    }

    /// Ends the use, and waits until the server has ended if it ran for this use alone.
    pub(super) async fn end(self) {
        if let Some(OwnServer { release, task }) = self.own {
            drop(release);
            // A task that panicked has dropped its server.
            let _ = task.await;
        }
    }
}

/// Starts the server, after that of the use before has ended: a server may hold a lock that another one of its kind needs.
pub(super) async fn open(shared: &Arc<SharedConnection>) -> Result<ConnectionLease, ConnectError> {
    let attempt = Attempt {
        config: &shared.config,
        deps: &shared.deps,
    };
    let connecting = async {
        let turn = Arc::clone(&shared.one_at_a_time).lock_owned().await;
        let is_legacy = shared.is_legacy.load(Ordering::Acquire);
        Ok((turn, attempt.connect(is_legacy).await?))
    };
    let connected = shared.closing.run_until_cancelled(connecting).await;
    let (turn, established) = connected.unwrap_or_else(|| Err(shared.closed()))?;
    shared
        .is_legacy
        .store(established.is_legacy, Ordering::Release);
    let live = Arc::new(LiveConnection::new(1, &established));
    let release = CancellationToken::new();
    let running = RunningServer {
        shared: Arc::clone(shared),
        live: Arc::clone(&live),
        release: release.clone(),
        _turn: turn,
    };
    let own = OwnServer {
        release: release.drop_guard(),
        task: tokio::spawn(running.run(established.running)),
    };
    Ok(ConnectionLease {
        live,
        own: Some(own),
    })
}

/// Lists the tools, unless they are listed.
pub(super) async fn list(shared: &Arc<SharedConnection>) -> Result<(), ConnectError> {
    let _one = shared.listing_lock.lock().await;
    if shared.listing.borrow().offer.revision > 0 {
        return Ok(());
    }
    shared.update(|lifecycle| lifecycle.phase = ConnectionPhase::Connecting);
    let lease = match open(shared).await {
        Ok(lease) => lease,
        Err(error) => {
            shared.update(|lifecycle| {
                lifecycle.phase = ConnectionPhase::Idle;
                lifecycle.failures += 1;
                lifecycle.last_error = Some(error.clone());
            });
            return Err(error);
        }
    };
    shared.update(|lifecycle| {
        lifecycle.phase = ConnectionPhase::Listed(Arc::clone(&lease.info));
        lifecycle.made += 1;
        lifecycle.last_error = None;
    });
    follow::list(shared, &lease).await;
    lease.end().await;
    Ok(())
}

/// A server that runs for one use.
struct RunningServer {
    shared: Arc<SharedConnection>,
    live: Arc<LiveConnection>,
    release: CancellationToken,
    /// Held until the server has ended.
    _turn: OwnedMutexGuard<()>,
}

impl RunningServer {
    async fn run(self, running: RunningService<RoleClient, Handler>) {
        let (live, server) = (&self.live, self.shared.config.name().clone());
        let stop = running.cancellation_token();
        let mut ended = Box::pin(running.waiting());
        let is_over = tokio::select! {
            biased;
            _ = &mut ended => true,
            () = self.shared.closing.cancelled() => false,
            () = live.useless.cancelled() => false,
            () = self.release.cancelled() => false,
        };
        if !is_over {
            stop.cancel();
            let _ = tokio::time::timeout(CLOSING, ended).await;
        }
        if self.shared.closing.is_cancelled() {
            live.end(ConnectError::Closed { server });
            return;
        }
        live.fault.settle().await;
        let how = live.fault.how();
        let was_ready = true;
        live.end(ConnectError::Ended {
            server,
            was_ready,
            how,
        });
    }
}
