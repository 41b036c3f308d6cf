//! What becomes of a run that waits or is over.

use helve_agent::Delivery;
use helve_agent::session::{Posting, SessionError};
use helve_agent::turn::EndReason;
use helve_core::support::text::first_chars;
use helve_core::transcript::{Note, NoteSource};
use helve_state::WorkOutcome;

use super::ScheduleRunner;
use super::working::pause;
use crate::error::ScheduleError;
use crate::firing::make_following_runs;
use crate::progress::{Ending, Progress, describe_waiting};
use crate::run::{MAX_TEXT_CHARS, RunStatus, ScheduledRun, is_silent};
use crate::schedule::{Schedule, ScheduleStatus};
use crate::schedules::is_of;
use crate::store::{Store, blocking};

/// How many runs may fail in a row before the schedule is paused.
const MAX_FAILURES: usize = 5;
/// How many runs of a skill may fail in a row before the skill is paused.
const MAX_FAILURES_OF_SKILL: usize = 3;

impl ScheduleRunner {
    /// Records how far a run is, and tells the listener of it, if that is news.
    pub(super) async fn note(
        &self,
        key: &str,
        schedule: &Schedule,
        progress: Progress,
    ) -> Result<WorkOutcome, ScheduleError> {
        let before = self.change(key, |_| {}).await?;
        let Some(before) = before.filter(|run| !run.status.is_over()) else {
            return Ok(WorkOutcome::Done);
        };
        match progress {
            Progress::Over(ending) => self.end(key, schedule, before, ending).await,
            Progress::Waiting(waiting) => {
                let reason = describe_waiting(&waiting);
                let is_news = before.reason.as_ref() != Some(&reason);
                let run = self.change(key, move |run| {
                    run.status = RunStatus::Waiting;
                    run.reason = Some(reason.clone());
                });
                if let Some(run) = run.await?.filter(|_| is_news) {
                    self.tell(schedule, &run);
                }
                Ok(pause())
            }
            // It could not be recorded.
            Progress::NotBegun | Progress::Open => Ok(pause()),
        }
    }

    async fn end(
        &self,
        key: &str,
        schedule: &Schedule,
        before: ScheduledRun,
        ending: Ending,
    ) -> Result<WorkOutcome, ScheduleError> {
        let status = match ending.reason {
            EndReason::Finished => RunStatus::Done,
            EndReason::Interrupted => RunStatus::Stopped,
            _ => RunStatus::Failed,
        };
        let reason = match (status, &ending.error) {
            (RunStatus::Done, _) => None,
            (_, Some(error)) => Some(format!("{}: {error}", ending.reason)),
            (_, None) => Some(ending.reason.to_string()),
        };
        let now = self.schedules.now();
        let text = first_chars(&ending.text, MAX_TEXT_CHARS).to_owned();
        let label = ending.label;
        if status == RunStatus::Done {
            // First, so that a process that dies here makes them again, each once.
            let (store, about) = (self.schedules.store().await?, self.schedules.about.clone());
            let is_own = move |other: &Schedule| is_of(other, &about);
            blocking(move || make_following_runs(&store, &before, is_own, now)).await?;
        }
        let run = self.change(key, move |run| {
            run.status = status;
            run.reason.clone_from(&reason);
            run.ended = Some(now);
            run.silent = is_silent(&text);
            run.text.clone_from(&text);
            run.label = label.clone();
        });
        if let Some(run) = run.await?.filter(ScheduledRun::needs_attention) {
            self.tell(schedule, &run);
            if let Err(error) = self.deliver(schedule, &run).await {
                tracing::debug!(%error, "the session that made a schedule does not hear of a run");
            }
        }
        self.after_end(schedule).await?;
        Ok(WorkOutcome::Done)
    }

    /// Ends a run that cannot begin or go on.
    pub(super) async fn end_early(
        &self,
        key: &str,
        schedule: &Schedule,
        status: RunStatus,
        reason: String,
    ) -> Result<WorkOutcome, ScheduleError> {
        let now = self.schedules.now();
        let run = self.change(key, move |run| {
            run.status = status;
            run.reason = Some(reason.clone());
            run.ended = Some(now);
        });
        if let Some(run) = run.await? {
            self.tell(schedule, &run);
        }
        self.after_end(schedule).await?;
        Ok(WorkOutcome::Done)
    }

    /// Leaves out a run whose skill is not in use, and pauses the schedule. Returns `None` if the skill is in use.
    pub(super) async fn end_without_skill(
        &self,
        key: &str,
        schedule: &Schedule,
    ) -> Result<Option<WorkOutcome>, ScheduleError> {
        let (Some(guard), Some(skill)) = (&self.skills, &schedule.skill) else {
            return Ok(None);
        };
        let Some(reason) = guard.unused_because(skill).await else {
            return Ok(None);
        };
        self.pause(schedule, &reason).await?;
        let ended = self.end_early(key, schedule, RunStatus::Skipped, reason);
        ended.await.map(Some)
    }

    /// Removes the records of old runs, and pauses a schedule whose runs fail again and again, and its skill.
    async fn after_end(&self, schedule: &Schedule) -> Result<(), ScheduleError> {
        let (store, id) = (self.schedules.store().await?, schedule.id.clone());
        let limit = match schedule.skill {
            Some(_) => MAX_FAILURES_OF_SKILL,
            None => MAX_FAILURES,
        };
        let fails = blocking(move || {
            store.prune(&id)?;
            fails_again_and_again(&store, &id, limit)
        });
        if fails.await? && schedule.status == ScheduleStatus::Active {
            let reason = format!("its last {limit} runs failed");
            if let (Some(guard), Some(skill)) = (&self.skills, &schedule.skill) {
                guard.pause(skill, &reason).await;
            }
            self.pause(schedule, &reason).await?;
        }
        Ok(())
    }

    async fn pause(&self, schedule: &Schedule, reason: &str) -> Result<(), ScheduleError> {
        match self.schedules.pause(&schedule.id, Some(reason)).await {
            // It was removed, or has ended.
            Err(ScheduleError::NotFound { .. } | ScheduleError::Invalid { .. }) => Ok(()),
            paused => paused.map(drop),
        }
    }

    /// Posts how a run ended to the session that made the schedule, in place of earlier runs that the session has not read.
    async fn deliver(&self, schedule: &Schedule, run: &ScheduledRun) -> Result<(), SessionError> {
        let Some(maker) = &schedule.session else {
            return Ok(());
        };
        let sessions = &self.schedules.sessions;
        for earlier in sessions.postings(maker).await? {
            if let Posting::Say { note, .. } = &earlier.posting
                && note.name == schedule.id
            {
                sessions.revoke(maker, &earlier.posting.target()).await?;
            }
        }
        let note = Note::new(
            NoteSource::Job,
            run.session.to_string(),
            notice(schedule, run),
        );
        let note = note.with_name(schedule.id.as_str());
        let posting = Posting::say(note, Delivery::After).with_label(&run.label);
        sessions.post(maker, posting).await
    }

    fn tell(&self, schedule: &Schedule, run: &ScheduledRun) {
        if let Some(listener) = &self.listener {
            listener(run, &notice(schedule, run));
        }
    }
}

/// Returns whether the last runs of a schedule that were not left out have all failed.
fn fails_again_and_again(store: &Store, id: &str, limit: usize) -> Result<bool, ScheduleError> {
    let runs = store.runs(id)?;
    let over = runs.iter().rev().map(|run| run.value.status);
    let mut over = over.filter(|status| status.is_over() && *status != RunStatus::Skipped);
    let last: Vec<RunStatus> = over.by_ref().take(limit).collect();
    Ok(last.len() == limit && last.iter().all(|status| *status == RunStatus::Failed))
}

/// Describes how a run ended, or what it waits for.
fn notice(schedule: &Schedule, run: &ScheduledRun) -> String {
    let name = &schedule.name;
    let reason = run.reason.as_deref().unwrap_or_default();
    match run.status {
        RunStatus::Waiting => format!("The scheduled run `{name}` waits: {reason}"),
        RunStatus::Failed => format!("The scheduled run `{name}` failed: {reason}"),
        RunStatus::Stopped => format!("The scheduled run `{name}` was stopped: {reason}"),
        RunStatus::Skipped => {
            format!("The scheduled run `{name}` was left out, and its schedule is paused: {reason}")
        }
        _ => format!("The scheduled run `{name}` is done.\n\n{}", run.text),
    }
}
