//! Makes the runs that are due, and works on them.

mod ending;
mod reload;
mod working;

pub use reload::{AgentReload, AgentReloads};

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use helve_agent::Agent;
use helve_agent::session::SessionError;
use helve_core::support::lock::Mutex;
use helve_core::tool::ToolContext;
use helve_permission::{Approver, DeferAll};
use helve_state::Runner;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::error::ScheduleError;
use crate::event::ScheduleEvent;
use crate::firing::make_run_of_files;
use crate::guard::SkillGuard;
use crate::notifier::ServiceNotifier;
use crate::run::{RunStatus, ScheduledRun};
use crate::schedule::{Schedule, ScheduleStatus};
use crate::schedules::{Schedules, is_of};
use crate::store::{Store, Versioned, blocking};

/// The time for which another process does not claim a run of a process that died.
const LEASE: Duration = Duration::from_secs(15);
/// The time between two looks for what is due.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The time between two records that a daemon works.
const ALIVE_INTERVAL: SignedDuration = SignedDuration::from_secs(20);

type Listener = dyn Fn(&ScheduledRun, &str) + Send + Sync;

/// Makes the runs of the schedules of a folder as they become due, and works on them, each as a session of its own.
///
/// Several runners of any processes may work at the same time: each run is worked on by one of them, and a run of a process
/// that died is continued by another one from its journal. What is due is decided by the clock of the machine, once a
/// second, so that a clock that is set and a machine that was suspended only mean that runs are missed.
///
/// A run that asks the user waits: an [answer](helve_agent::session::Sessions::post) that is posted to its session continues it.
///
/// [`Sessions::post`]: helve_agent::session::Sessions::post
/// [answer]: helve_agent::session::Sessions::post
#[derive(Clone)]
pub struct ScheduleRunner {
    schedules: Schedules,
    shared: Arc<Shared>,
    approver: Arc<dyn Approver>,
    listener: Option<Arc<Listener>>,
    skills: Option<Arc<dyn SkillGuard>>,
    notifier: Arc<Mutex<ServiceNotifier>>,
    reloads: Option<mpsc::Sender<oneshot::Sender<Result<(), String>>>>,
    lease: Duration,
    poll_interval: Duration,
    parallel: usize,
}

struct Shared {
    agents: Mutex<Vec<Agent>>,
    /// Creates the context of a run, with a state of its own.
    context: Box<dyn Fn() -> ToolContext + Send + Sync>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ScheduleRunner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let schedules = &self.schedules;
        f.debug_struct("ScheduleRunner")
            .field("schedules", schedules)
            .finish_non_exhaustive()
    }
}

impl ScheduleRunner {
    /// Creates a runner with the agents that may work on runs. `context` creates the context of each run.
    #[must_use]
    pub fn new(
        schedules: Schedules,
        agents: impl IntoIterator<Item = Agent>,
        context: impl Fn() -> ToolContext + Send + Sync + 'static,
    ) -> Self {
        Self {
            schedules,
            shared: Arc::new(Shared {
                agents: Mutex::new(agents.into_iter().collect()),
                context: Box::new(context),
            }),
            approver: Arc::new(DeferAll),
            listener: None,
            skills: None,
            notifier: Arc::new(Mutex::new(ServiceNotifier::new(None, None))),
            reloads: None,
            lease: LEASE,
            poll_interval: POLL_INTERVAL,
            parallel: 4,
        }
    }

    /// Sets what hears of each run that waits, and of each that has ended with something to say: once for each.
    #[must_use]
    pub fn on_notice(
        mut self,
        listener: impl Fn(&ScheduledRun, &str) + Send + Sync + 'static,
    ) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// Sets what decides whether the schedules of skills make runs. By default, all do.
    #[must_use]
    pub fn skills(mut self, guard: Arc<dyn SkillGuard>) -> Self {
        self.skills = Some(guard);
        self
    }

    /// Sets what tells the service manager how far [`run`](Self::run) is. By default, nothing does.
    #[must_use]
    pub fn notifier(mut self, notifier: ServiceNotifier) -> Self {
        self.notifier = Arc::new(Mutex::new(notifier));
        self
    }

    /// Sets the approver of runs, which answers at once or [defers](DeferAll) the question. By default, all questions are
    /// deferred.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Arc::new(approver);
        self
    }

    /// Sets how long a run of a process that died waits for another one: 15 seconds by default.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Sets the time between two looks for what is due: a second by default.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// Sets how many runs are worked on at a time: four by default.
    #[must_use]
    pub fn parallel(mut self, most: usize) -> Self {
        self.parallel = most;
        self
    }

    /// Makes runs as they become due and works on them, until `stop` is cancelled. A run at work is then left to other
    /// processes, as if this one had died.
    ///
    /// # Errors
    /// The state file or the sessions cannot be read or written.
    pub async fn run(&self, stop: &CancellationToken) -> Result<(), ScheduleError> {
        let store = self.schedules.store().await?;
        self.requeue(&store).await?;
        let planning = async {
            let mut recorded: Option<Timestamp> = None;
            let mut last = self.schedules.now();
            loop {
                let now = self.schedules.now();
                if now < last {
                    self.reset_times(&store).await?;
                }
                last = now;
                self.make_due_runs(&store).await?;
                self.notifier.lock().work();
                if recorded.is_none_or(|last| now.duration_since(last).abs() >= ALIVE_INTERVAL) {
                    self.set_alive(&store, Some(now)).await;
                    recorded = Some(now);
                }
                tokio::select! {
                    () = stop.cancelled() => return Ok::<(), ScheduleError>(()),
                    () = tokio::time::sleep(self.poll_interval) => {}
                }
            }
        };
        let working = async { Ok(self.runner(&store).run(stop, self.handler()).await?) };
        let done = tokio::try_join!(planning, working).map(|_| ());
        self.notifier.lock().end();
        self.set_alive(&store, None).await;
        done
    }

    /// Records that this daemon works, or that it has ended; other daemons of the folder say again that they work.
    async fn set_alive(&self, store: &Store, now: Option<Timestamp>) {
        let (store, folder) = (store.clone(), self.schedules.about.folder.clone());
        let set = blocking(move || store.set_alive(folder.as_deref(), now)).await;
        if let Err(error) = set {
            tracing::debug!(%error, "it is not recorded whether the daemon works");
        }
    }

    /// Makes the runs that are due, works on them until each is over or waits, and returns how many works were done.
    ///
    /// # Errors
    /// The state file or the sessions cannot be read or written.
    pub async fn once(&self, stop: &CancellationToken) -> Result<usize, ScheduleError> {
        let store = self.schedules.store().await?;
        self.requeue(&store).await?;
        self.make_due_runs(&store).await?;
        Ok(self.runner(&store).once(stop, self.handler()).await?)
    }

    /// Makes the runs that are due, works on none, and returns whether there is one that [`once`](Self::once) could work on. A
    /// run that waits for an answer is none.
    ///
    /// # Errors
    /// The state file or the sessions cannot be read or written.
    pub async fn make_due(&self) -> Result<bool, ScheduleError> {
        let store = self.schedules.store().await?;
        self.make_due_runs(&store).await?;
        for run in self.schedules.runs(None).await? {
            let has_work = match run.status {
                RunStatus::Waiting => {
                    let postings = self.schedules.sessions.postings(&run.session).await?;
                    !postings.is_empty()
                }
                status => !status.is_over(),
            };
            if has_work {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn runner(&self, store: &Store) -> Runner {
        let kind = store.work_kind(self.schedules.about.folder.as_deref());
        let runner = Runner::new(store.queue().clone(), [kind]).lease(self.lease);
        runner
            .poll_interval(self.poll_interval)
            .parallel(self.parallel)
    }

    /// Makes the runs of the schedules of the folder that are due.
    async fn make_due_runs(&self, store: &Store) -> Result<(), ScheduleError> {
        let (store, about, now) = (
            store.clone(),
            self.schedules.about.clone(),
            self.schedules.now(),
        );
        let made = blocking(move || {
            for schedule in store.schedules()? {
                if !is_of(&schedule.value, &about) {
                    continue;
                }
                if schedule.value.status == ScheduleStatus::Removed {
                    store.purge(&schedule.value)?;
                    continue;
                }
                let is_active = schedule.value.status == ScheduleStatus::Active;
                match schedule.value.when.event() {
                    None => make_runs_of(&store, schedule, now)?,
                    Some(ScheduleEvent::File(_)) if is_active => {
                        make_run_of_files(&store, schedule, now)?;
                    }
                    Some(_) => {}
                }
            }
            Ok(())
        });
        match made.await {
            // Another process is writing: the next look finds the same.
            Err(ScheduleError::State(helve_state::StateError::Busy { .. })) => Ok(()),
            made => made,
        }
    }

    /// Makes due at once what waits in the queue: its times are of no use after the clock was set back.
    async fn reset_times(&self, store: &Store) -> Result<(), ScheduleError> {
        let (queue, lease) = (store.queue().clone(), self.lease);
        let kind = store.work_kind(self.schedules.about.folder.as_deref());
        blocking(move || Ok(queue.reset_times(&kind, lease, SystemTime::now())?)).await?;
        Ok(())
    }

    /// Puts the runs into the queue that are not over and not in it, as after a crash. Those that wait, and those that a
    /// process had claimed which died since, are due at once.
    async fn requeue(&self, store: &Store) -> Result<(), ScheduleError> {
        self.reset_times(store).await?;
        let (putting, about) = (store.clone(), self.schedules.about.clone());
        let held = blocking(move || putting.requeue_open(|schedule| is_of(schedule, &about)));
        for (schedule, run) in held.await? {
            if self.is_abandoned(&run).await? {
                let store = store.clone();
                blocking(move || store.requeue(&schedule, &run)).await?;
            }
        }
        Ok(())
    }

    /// Returns whether the process that has claimed a run does not hold its session: it has most likely died.
    async fn is_abandoned(&self, run: &ScheduledRun) -> Result<bool, ScheduleError> {
        match self.schedules.sessions.load(&run.session).await {
            // It may be about to make the session.
            Err(SessionError::InUse { .. } | SessionError::Unknown { .. }) => Ok(false),
            loaded => Ok(loaded.map(drop).is_ok()),
        }
    }

    /// Returns the agent that works on the runs of a schedule.
    fn agent(&self, schedule: &Schedule) -> Option<Agent> {
        let agents = self.shared.agents.lock();
        agents
            .iter()
            .find(|agent| agent.name() == schedule.agent())
            .cloned()
    }
}

/// Makes the runs of a schedule that are due, in one step with the record that they are made: a process that dies, or that has
/// read the schedule before another one changed it, makes none.
fn make_runs_of(
    store: &Store,
    schedule: Versioned<Schedule>,
    now: Timestamp,
) -> Result<(), ScheduleError> {
    let Versioned { mut value, version } = schedule;
    // Most schedules are not due most of the time, and their runs are not read then.
    if value.plan(now, 0).is_none() {
        return Ok(());
    }
    let open = store.runs(&value.id)?;
    let open = open.iter().filter(|run| !run.value.status.is_over());
    let Some(plan) = value.plan(now, open.count()) else {
        return Ok(());
    };
    let planned = plan.runs.iter();
    let mut runs: Vec<ScheduledRun> = planned
        .map(|planned| ScheduledRun::new(&value, *planned))
        .collect();
    let made = u32::try_from(runs.len()).unwrap_or(u32::MAX);
    if let Some((planned, reason, count)) = plan.skipped {
        let mut left_out = ScheduledRun::new(&value, planned);
        left_out.leave_out(reason, u32::try_from(count).unwrap_or(u32::MAX), now);
        runs.push(left_out);
    }
    value.runs = value.runs.saturating_add(made);
    value.next = plan.next;
    if value.next.is_none() {
        value.status = ScheduleStatus::Ended;
        value.reason = Some("it has made its runs".to_owned());
    }
    store.make_runs(&Versioned { value, version }, runs)?;
    Ok(())
}

#[cfg(test)]
mod tests;
