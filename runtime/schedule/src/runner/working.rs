//! The work on a run.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::{BoxFuture, FutureExt as _};
use helve_agent::journal::Durability;
use helve_agent::session::{Entry, SessionError, SessionMetadata};
use helve_agent::{Agent, Conversation, NoteQueue, WaitMode};
use helve_core::transcript::{Message, Note, NoteSource, SessionId};
use helve_state::{ClaimedWork, WorkOutcome};
use tokio_util::sync::CancellationToken;

use super::ScheduleRunner;
use crate::authority::begin_run;
use crate::error::ScheduleError;
use crate::progress::Progress;
use crate::run::{RunStatus, ScheduledRun};
use crate::schedule::{Schedule, ScheduleStatus};
use crate::schedules::change_run;
use crate::store::{Store, blocking};

/// The time after which a run that waits is looked at again.
const PAUSE: Duration = Duration::from_secs(2);
/// The time after which a run that another one of its schedule precedes is looked at again.
const SHORT_PAUSE: Duration = Duration::from_millis(500);
/// The time after which a run that could not be continued is tried again.
const LONG_PAUSE: Duration = Duration::from_secs(60);

impl ScheduleRunner {
    /// Returns the handler of the works in the queue.
    pub(super) fn handler(
        &self,
    ) -> impl Fn(ClaimedWork, CancellationToken) -> BoxFuture<'static, WorkOutcome> + use<> {
        let runner = self.clone();
        move |work, lost| runner.clone().work_on(work, lost).boxed()
    }

    async fn work_on(self, work: ClaimedWork, lost: CancellationToken) -> WorkOutcome {
        let key = work.key;
        tokio::select! {
            // The turn is left as if the process had died.
            () = lost.cancelled() => WorkOutcome::Later(SystemTime::now()),
            advanced = self.advance(&key) => advanced.unwrap_or_else(|error| after_error(&key, &error)),
        }
    }

    /// Continues a run until it is over or waits.
    pub(super) async fn advance(&self, key: &str) -> Result<WorkOutcome, ScheduleError> {
        let store = self.schedules.store().await?;
        let Some((run, schedule)) = find(&store, key).await? else {
            return Ok(WorkOutcome::Done);
        };
        let is_removed = schedule.status == ScheduleStatus::Removed;
        if run.status.is_over() || (is_removed && run.status == RunStatus::Queued) {
            return Ok(WorkOutcome::Done);
        }
        if self.waits_for_earlier(&store, &run).await? {
            return Ok(later(SHORT_PAUSE));
        }
        if run.status == RunStatus::Queued
            && let Some(left_out) = self.end_without_skill(key, &schedule).await?
        {
            return Ok(left_out);
        }
        self.go_on(key, &run, &schedule).await
    }

    /// Continues a run that may be worked on.
    async fn go_on(
        &self,
        key: &str,
        run: &ScheduledRun,
        schedule: &Schedule,
    ) -> Result<WorkOutcome, ScheduleError> {
        let end = |status, reason: String| self.end_early(key, schedule, status, reason);
        let progress = Progress::read(&self.schedules.sessions, &run.session).await?;
        let is_begun = match progress {
            Progress::NotBegun if run.status == RunStatus::Queued => false,
            // What the run has done is not known any more, and is not done again.
            Progress::NotBegun => {
                return end(RunStatus::Stopped, "its session was removed".to_owned()).await;
            }
            Progress::Open => true,
            progress => return self.note(key, schedule, progress).await,
        };
        if let Err(reason) = self.reload().await {
            tracing::warn!(run = key, "a run waits: {reason}");
            return Ok(later(SHORT_PAUSE));
        }
        let Some(agent) = self.agent(schedule) else {
            let reason = format!("there is no agent `{}`", schedule.agent());
            return end(RunStatus::Failed, reason).await;
        };
        if !is_begun && !self.begin(run, schedule, &agent).await? {
            let reason = "its bounds leave it nothing to do".to_owned();
            return end(RunStatus::Failed, reason).await;
        }
        // While another process holds the session, the run stays as it is.
        let loaded = self.schedules.sessions.load(&run.session).await?;
        let is_interrupted = is_begun && run.status == RunStatus::Running;
        let now = self.schedules.now();
        let began = move |run: &mut ScheduledRun| {
            run.status = RunStatus::Running;
            run.reason = None;
            run.started = run.started.or(Some(now));
            run.interruptions += u32::from(is_interrupted);
        };
        if self.change(key, began).await?.is_none() {
            // The schedule was removed meanwhile.
            return Ok(WorkOutcome::Done);
        }
        let mut conversation = Conversation::from(loaded);
        // What a user says to another session is not for this one.
        let agent = agent
            .notes(&NoteQueue::new())
            .approver(Arc::clone(&self.approver))
            .wait_mode(WaitMode::Return);
        let context = (self.shared.context)();
        agent.resume(&mut conversation, &context, |_| {}).await?;
        drop(conversation);
        let progress = Progress::read(&self.schedules.sessions, &run.session).await?;
        self.note(key, schedule, progress).await
    }

    /// Records the beginning of a run in a session of its own, unless another process has; `false` if its bounds leave
    /// nothing.
    async fn begin(
        &self,
        run: &ScheduledRun,
        schedule: &Schedule,
        agent: &Agent,
    ) -> Result<bool, ScheduleError> {
        let prompt = prompt(run, schedule);
        let Some(begin) = begin_run(&schedule.begin, &agent.turn_bounds(), prompt) else {
            return Ok(false);
        };
        let sessions = &self.schedules.sessions;
        let mut about = SessionMetadata::new(&self.schedules.about.app)
            .session(run.session.clone())
            .principal(schedule.principal.clone());
        about.folder.clone_from(&schedule.folder);
        let mut session = match sessions.create(about).await {
            Err(SessionError::Exists { .. }) => sessions.load(&run.session).await?.session,
            created => created?,
        };
        if session.state().turns == 0 {
            let begun = Entry::TurnStarted(begin);
            session.append(begun, Durability::Synced).await?;
        }
        Ok(true)
    }

    /// Returns whether an earlier run of the same schedule is not over: runs of a schedule are made one after the other.
    async fn waits_for_earlier(
        &self,
        store: &Store,
        run: &ScheduledRun,
    ) -> Result<bool, ScheduleError> {
        let (store, id, planned) = (store.clone(), run.schedule.clone(), run.planned);
        let is_begun = run.status != RunStatus::Queued;
        let runs = blocking(move || store.runs(&id)).await?;
        let is_earlier = |other: &ScheduledRun| !other.status.is_over() && other.planned < planned;
        Ok(!is_begun && runs.iter().any(|other| is_earlier(&other.value)))
    }

    pub(super) async fn change(
        &self,
        key: &str,
        change: impl Fn(&mut ScheduledRun) + Send + 'static,
    ) -> Result<Option<ScheduledRun>, ScheduleError> {
        let (store, key) = (self.schedules.store().await?, key.to_owned());
        blocking(move || change_run(&store, &key, change)).await
    }
}

/// Returns a run and its schedule; `None` if either is gone.
async fn find(store: &Store, key: &str) -> Result<Option<(ScheduledRun, Schedule)>, ScheduleError> {
    let (store, key) = (store.clone(), key.to_owned());
    blocking(move || {
        let Some(run) = store.run(&key)? else {
            return Ok(None);
        };
        let schedule = store.schedule(&run.value.schedule)?;
        Ok(schedule.map(|schedule| (run.value, schedule.value)))
    })
    .await
}

/// Returns what the agent is asked. What a person has scheduled is said by the user; what an agent has scheduled is a note.
fn prompt(run: &ScheduledRun, schedule: &Schedule) -> Message {
    let escape = |text: &str| text.replace(['"', '<', '>'], "'");
    let (name, id) = (escape(&schedule.name), &schedule.id);
    let planned = crate::expression::render_time(run.planned, &schedule.zone());
    let cause = run.cause.as_ref();
    let cause = cause.map(|cause| format!(" cause=\"{}\"", escape(cause)));
    let cause = cause.unwrap_or_default();
    let text = format!(
        "{}\n\n<scheduled_task name=\"{name}\" id=\"{id}\" run=\"{}\" planned_at=\"{planned}\"{cause}>\nThis is a scheduled run, \
         and no person is present. A question to the user makes the run wait until it is answered. If nothing needs the \
         attention of a person, begin your answer with [SILENT].\n</scheduled_task>",
        schedule.prompt, run.session
    );
    if schedule.session.is_none() {
        return Message::user(text);
    }
    let id = SessionId::to_string(&run.session);
    Message::from(Note::new(NoteSource::Runtime, id, text).with_name("schedule"))
}

pub(super) fn later(pause: Duration) -> WorkOutcome {
    let now = SystemTime::now();
    WorkOutcome::Later(now.checked_add(pause).unwrap_or(now))
}

pub(super) fn pause() -> WorkOutcome {
    later(PAUSE)
}

fn after_error(key: &str, error: &ScheduleError) -> WorkOutcome {
    match error {
        ScheduleError::Session(SessionError::InUse { .. }) => later(PAUSE),
        error => {
            tracing::warn!(run = %key, %error, "a scheduled run cannot be continued now");
            later(LONG_PAUSE)
        }
    }
}
