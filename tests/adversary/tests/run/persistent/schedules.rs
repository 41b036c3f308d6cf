//! The schedules, whose runs are made by a clock that is set.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use helve::ToolContext;
use helve::agent::Agent;
use helve::agent::session::{SessionMetadata, Sessions};
use helve::agent::turn::Bounds;
use helve::permission::{Mode, Policy};
use helve::schedule::{
    NewSchedule, RunAuthority, RunStatus, Schedule, ScheduleRunner, ScheduleStatus, Schedules,
};
use helve::state::{CancellationToken, WorkQueue};
use helve::tool::State;
use helve::transcript::SessionId;
use helve_adversary::Rng;

use crate::approver::RandomApprover;
use crate::record::{CallRecord, RecordedSession};
use crate::witness::Witness;

/// The most hours that pass between two turns.
const MAX_HOURS: usize = 30;

pub(crate) struct ReviewedSchedules {
    schedules: Schedules,
    sessions: Sessions,
    seconds: Arc<AtomicU64>,
    /// The sessions of runs that are recorded.
    seen: BTreeSet<SessionId>,
}

impl ReviewedSchedules {
    pub(super) fn open(sessions: &Sessions, queue: &WorkQueue, workspace: &Path) -> Self {
        let about = SessionMetadata::new("adversary").folder(workspace.display().to_string());
        let schedules = Schedules::new(sessions.clone(), queue.clone(), about);
        let (start, seconds) = (schedules.now(), Arc::<AtomicU64>::default());
        let passed = Arc::clone(&seconds);
        let now = move || start + Duration::from_secs(passed.load(Ordering::Relaxed));
        Self {
            schedules: schedules.clock(now),
            sessions: sessions.clone(),
            seconds,
            seen: BTreeSet::new(),
        }
    }

    pub(super) fn schedules(&self) -> &Schedules {
        &self.schedules
    }

    pub(super) fn grant(&self, state: &mut State) {
        self.schedules.clone().grant(state);
    }

    async fn list(&self) -> Vec<Schedule> {
        self.schedules.list().await.expect("the schedules")
    }

    /// Makes a schedule, removes one, or pauses one, now and then.
    pub(super) async fn review(
        &self,
        rng: &mut Rng,
        record: &CallRecord,
        keeps: bool,
    ) -> Vec<Witness> {
        let listed = self.list().await;
        let picked = listed.get(rng.below(listed.len().max(1)));
        match (rng.below(8), picked) {
            (0 | 1, Some(picked)) => return self.remove(picked, record, keeps).await,
            (2, Some(picked)) => {
                let paused = self.schedules.pause(&picked.id, None).await;
                record.count_action("schedule pause", paused.is_ok());
            }
            (3, Some(picked)) => {
                let resumed = self.schedules.resume(&picked.id).await;
                record.count_action("schedule resume", resumed.is_ok());
            }
            (4, _) => {
                // A person may plan, and no run does more.
                let policy = Policy::new(Mode::Plan);
                let authority = RunAuthority::of_person("main", &policy, Bounds::new(20));
                let new = NewSchedule::new("Watch", "What has changed?", "in 30m");
                let made = self.schedules.create(new, authority).await;
                record.count_action("schedule add", made.is_ok());
            }
            _ => {}
        }
        Vec::new()
    }

    async fn remove(&self, picked: &Schedule, record: &CallRecord, keeps: bool) -> Vec<Witness> {
        let done = match keeps {
            true => Ok(()),
            false => self.schedules.remove(&picked.id).await.map(drop),
        };
        record.count_action("schedule rm", done.is_ok());
        let left = self.list().await;
        let left = left.iter().filter(|left| left.id == picked.id);
        left.map(|left| Witness::RemovedInForce(format!("schedule {}", left.id)))
            .collect()
    }

    /// Lets hours pass and works on what is due; names runs of what is not in force.
    pub(super) async fn run_due(
        &mut self,
        rng: &mut Rng,
        agent: Agent,
        context: &ToolContext,
        record: &Arc<CallRecord>,
    ) -> Vec<Witness> {
        let mut in_force = BTreeSet::new();
        let mut queued = BTreeSet::new();
        for schedule in self.list().await {
            if schedule.status == ScheduleStatus::Active {
                in_force.insert(schedule.id);
            }
        }
        for run in self.schedules.runs(None).await.expect("the runs") {
            if matches!(
                run.status,
                RunStatus::Queued | RunStatus::Waiting | RunStatus::Running
            ) {
                queued.insert(run.session);
            }
        }
        let hours = 1 + rng.below(MAX_HOURS) as u64;
        self.seconds.fetch_add(hours * 3_600, Ordering::Relaxed);
        let context = context.clone();
        let runner = ScheduleRunner::new(self.schedules.clone(), [agent], move || context.clone())
            .approver(RandomApprover::new(rng.fork(), record));
        let never = CancellationToken::new();
        let worked = runner.once(&never).await;
        record.count_action("due runs", worked.is_ok_and(|count| count > 0));
        let mut found = Vec::new();
        for session in self.new_runs().await {
            let is_due = in_force.iter().any(|id| is_run_of(&session, id));
            if !is_due && !queued.contains(&session) {
                found.push(Witness::RemovedInForce(format!("the run {session}")));
            }
            self.record(&session, record).await;
        }
        found
    }

    /// Returns the sessions of runs that are not recorded yet.
    async fn new_runs(&mut self) -> Vec<SessionId> {
        let listed = self.sessions.list().await.expect("the sessions");
        let runs = listed.into_iter().filter(|listed| listed.job.is_none());
        let runs = runs.map(|listed| listed.session);
        let runs = runs.filter(|session| is_run(session) && !self.seen.contains(session));
        let runs: Vec<SessionId> = runs.collect();
        self.seen.extend(runs.iter().cloned());
        runs
    }

    async fn record(&self, session: &SessionId, record: &CallRecord) {
        let mut events = self.sessions.events(session, 0);
        while let Some(event) = events.next().await {
            let event = event.expect("an event");
            record.record(RecordedSession::Run(session), event);
        }
    }
}

/// Reports whether a session is that of a run, by the time in its name.
fn is_run(session: &SessionId) -> bool {
    let mut parts = session.as_str().rsplit('-');
    let time = parts.nth(1).unwrap_or_default();
    time.len() >= 16 && time.starts_with("20") && time.ends_with('z')
}

fn is_run_of(session: &SessionId, schedule: &str) -> bool {
    let rest = session.as_str().strip_prefix(schedule);
    rest.is_some_and(|rest| rest.starts_with("-20"))
}
