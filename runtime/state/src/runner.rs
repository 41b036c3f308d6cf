//! Runs the work that a queue has, as it becomes due.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use helve_core::support::random;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::error::StateError;
use crate::queue::WorkQueue;
use crate::work::{Claim, ClaimedWork};

/// What became of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkOutcome {
    /// The work is done and leaves the queue.
    Done,
    /// The work is to be claimed again, from a time on.
    Later(SystemTime),
}

/// Claims work of some kinds and runs it, until it is stopped.
///
/// A handler receives the claimed work and a token. The runner renews the claim while the handler works. It cancels the
/// token if the claim is lost, since another process may then be at work, and if the runner is stopped. A handler that goes
/// on for longer than a lease after that is dropped. Work whose handler panics is claimed again after a lease.
///
/// ```
/// use std::time::SystemTime;
/// use helve::state::{CancellationToken, ClaimedWork, NewWork, Runner, WorkOutcome, WorkQueue};
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("state.db");
/// let queue = WorkQueue::open(&path)?;
/// queue.put(&NewWork {
///     kind: "greeting".to_owned(),
///     key: "1".to_owned(),
///     due: SystemTime::now(),
///     payload: serde_json::json!("hello"),
/// })?;
/// let runner = Runner::new(queue, ["greeting"]);
/// let greet = async |work: ClaimedWork, _lost| {
///     println!("{}", work.payload);
///     WorkOutcome::Done
/// };
/// assert_eq!(runner.once(&CancellationToken::new(), greet).await?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Runner {
    queue: WorkQueue,
    kinds: Vec<String>,
    owner: String,
    lease: Duration,
    poll_interval: Duration,
    parallel: usize,
}

/// Why a handler's work ended.
enum Ending {
    Outcome(WorkOutcome),
    Panicked,
    /// The claim is lost, and the handler did not stop.
    Lost,
    /// The runner was stopped, and the handler did not stop.
    Stopped,
}

impl Runner {
    /// Returns a runner of work of some kinds, with leases of a minute, four works at a time, which looks for due work once
    /// a second.
    pub fn new<K: Into<String>>(queue: WorkQueue, kinds: impl IntoIterator<Item = K>) -> Self {
        Self {
            queue,
            kinds: kinds.into_iter().map(Into::into).collect(),
            owner: format!("process {} ({})", std::process::id(), random::hex::<4>()),
            lease: Duration::from_secs(60),
            poll_interval: Duration::from_secs(1),
            parallel: 4,
        }
    }

    /// Sets the owner of the claims, as a list of the queue shows it. The default names the process.
    #[must_use]
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = owner.into();
        self
    }

    /// Sets the length of a lease: how long work of a process that died waits for another one.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease.max(Duration::from_millis(3));
        self
    }

    /// Sets the time between two looks for due work.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// Sets how many works run at a time, at least one.
    #[must_use]
    pub fn parallel(mut self, most: usize) -> Self {
        self.parallel = most.max(1);
        self
    }

    /// Runs work as it becomes due, until `stop` is cancelled and the handlers have ended.
    ///
    /// # Errors
    /// Fails if the queue cannot be read or written; a queue that another process has locked is tried again. The handlers
    /// are then dropped, and others can claim their work when the leases have ended.
    pub async fn run<H, F>(&self, stop: &CancellationToken, handler: H) -> Result<(), StateError>
    where
        H: Fn(ClaimedWork, CancellationToken) -> F,
        F: Future<Output = WorkOutcome> + Send + 'static,
    {
        let mut running = JoinSet::new();
        loop {
            self.start_due(&mut running, stop, &handler).await?;
            let has_room = running.len() < self.parallel;
            tokio::select! {
                () = stop.cancelled() => break,
                Some(ended) = running.join_next() => report_end(ended)?,
                () = sleep(self.poll_interval), if has_room => {}
            }
        }
        while let Some(ended) = running.join_next().await {
            report_end(ended)?;
        }
        Ok(())
    }

    /// Runs the work that is due, and that which becomes due meanwhile, and returns how many works were run.
    ///
    /// # Errors
    /// Fails as [`Runner::run`] does.
    pub async fn once<H, F>(
        &self,
        stop: &CancellationToken,
        handler: H,
    ) -> Result<usize, StateError>
    where
        H: Fn(ClaimedWork, CancellationToken) -> F,
        F: Future<Output = WorkOutcome> + Send + 'static,
    {
        let (mut running, mut count) = (JoinSet::new(), 0);
        loop {
            count += self.start_due(&mut running, stop, &handler).await?;
            match running.join_next().await {
                Some(ended) => report_end(ended)?,
                None => return Ok(count),
            }
        }
    }

    /// Claims due work that there is room for, starts it and returns how many works were started.
    async fn start_due<H, F>(
        &self,
        running: &mut JoinSet<Result<(), StateError>>,
        stop: &CancellationToken,
        handler: &H,
    ) -> Result<usize, StateError>
    where
        H: Fn(ClaimedWork, CancellationToken) -> F,
        F: Future<Output = WorkOutcome> + Send + 'static,
    {
        let most = self.parallel.saturating_sub(running.len());
        if stop.is_cancelled() || most == 0 {
            return Ok(0);
        }
        let claim = Claim {
            kinds: self.kinds.clone(),
            owner: self.owner.clone(),
            lease: self.lease,
            now: SystemTime::now(),
            most,
        };
        let claimed = match self.blocking(move |queue| queue.claim(&claim)).await {
            Err(StateError::Busy { .. }) => Vec::new(),
            claimed => claimed?,
        };
        let count = claimed.len();
        for work in claimed {
            let lost = stop.child_token();
            let handling = handler(work.clone(), lost.clone());
            let (runner, stop) = (self.clone(), stop.clone());
            running.spawn(async move { runner.run_one(work, handling, &lost, &stop).await });
        }
        Ok(count)
    }

    /// Runs a handler, renews its claim meanwhile, and tells the queue what became of the work.
    async fn run_one(
        &self,
        work: ClaimedWork,
        handling: impl Future<Output = WorkOutcome>,
        lost: &CancellationToken,
        stop: &CancellationToken,
    ) -> Result<(), StateError> {
        let handling = AssertUnwindSafe(handling).catch_unwind();
        let ending = tokio::select! {
            outcome = handling => outcome.map_or(Ending::Panicked, Ending::Outcome),
            () = self.renew_until_lost(&work, lost, stop) => Ending::Lost,
            () = self.grace_after(stop) => Ending::Stopped,
        };
        let now = SystemTime::now();
        let later = match ending {
            Ending::Lost => return Ok(()),
            Ending::Outcome(WorkOutcome::Done) => None,
            Ending::Outcome(WorkOutcome::Later(due)) => Some(due),
            Ending::Stopped => Some(now),
            Ending::Panicked => {
                tracing::error!(
                    kind = work.kind,
                    key = work.key,
                    "a handler of work panicked"
                );
                Some(now.checked_add(self.lease).unwrap_or(now))
            }
        };
        let told = self.blocking(move |queue| match later {
            None => queue.finish(&work),
            Some(due) => queue.release(&work, due),
        });
        match told.await {
            // The claim ends by itself, and the work is claimed again.
            Err(error @ StateError::Busy { .. }) => {
                tracing::warn!(%error, "the end of work was not stored");
                Ok(())
            }
            told => told.map(|_| ()),
        }
    }

    /// Renews a claim at a third of its lease. Once the claim is lost, cancels the token, and returns a lease later.
    async fn renew_until_lost(
        &self,
        work: &ClaimedWork,
        lost: &CancellationToken,
        stop: &CancellationToken,
    ) {
        let mut held_until = Instant::now() + self.lease;
        loop {
            sleep(self.lease / 3).await;
            let (work, lease, asked) = (work.clone(), self.lease, Instant::now());
            let renewed = self.blocking(move |queue| queue.renew(&work, lease, SystemTime::now()));
            match renewed.await {
                Ok(true) => held_until = asked + self.lease,
                Ok(false) => break,
                Err(error) => {
                    tracing::warn!(%error, "a claim of work was not renewed");
                    if Instant::now() >= held_until {
                        break;
                    }
                }
            }
        }
        if !stop.is_cancelled() {
            tracing::warn!(kind = work.kind, key = work.key, "a claim of work is lost");
        }
        lost.cancel();
        sleep(self.lease).await;
    }

    /// Returns a lease after the runner is stopped.
    async fn grace_after(&self, stop: &CancellationToken) {
        stop.cancelled().await;
        sleep(self.lease).await;
    }

    /// Calls the queue on a thread that may block.
    async fn blocking<T: Send + 'static>(
        &self,
        call: impl FnOnce(&WorkQueue) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, StateError> {
        let queue = self.queue.clone();
        let called = tokio::task::spawn_blocking(move || call(&queue)).await;
        called.unwrap_or(Err(StateError::Stopped))
    }
}

/// Returns the error of the queue with which work ended. Handlers that panic are caught before.
fn report_end(
    ended: Result<Result<(), StateError>, tokio::task::JoinError>,
) -> Result<(), StateError> {
    ended.unwrap_or(Err(StateError::Stopped))
}
