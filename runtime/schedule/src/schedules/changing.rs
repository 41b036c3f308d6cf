//! How schedules are changed.

use helve_core::tool::ToolContext;
use jiff::Timestamp;

use super::{Schedules, check_follows, is_present, run_of_session};
use crate::authority::RunAuthority;
use crate::error::ScheduleError;
use crate::expression::ScheduleExpression;
use crate::firing::store_files_of;
use crate::run::ScheduledRun;
use crate::schedule::{MissedRuns, OverlappingRuns, Schedule, ScheduleStatus, find_zone};
use crate::store::{ATTEMPTS, Store, Versioned, blocking};

/// How many runs of a schedule are not over, where one is made by hand.
const MAX_OPEN: usize = 10;

/// What of a schedule is to be changed; what is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ScheduleChange {
    /// When it is due, as [`ScheduleExpression::parse`] reads it.
    pub when: Option<String>,
    /// The IANA name of the zone.
    pub time_zone: Option<String>,
    /// What happens to runs that were missed.
    pub missed: Option<MissedRuns>,
    /// What happens to a run that is due while the run before is not over.
    pub overlap: Option<OverlappingRuns>,
}

impl Schedules {
    /// Finds a schedule of the folder and the principal by its id.
    ///
    /// # Errors
    /// [`ScheduleError::NotFound`] if there is none, or the state file cannot be read.
    pub async fn find(&self, id: &str) -> Result<Schedule, ScheduleError> {
        let (store, about, id) = (self.store().await?, self.about.clone(), id.to_owned());
        blocking(move || match store.schedule(&id)? {
            Some(found) if is_present(&found.value, &about) => Ok(found.value),
            _ => Err(ScheduleError::NotFound { id }),
        })
        .await
    }

    /// Pauses a schedule: it makes no runs until it is resumed. A run that has begun goes on.
    ///
    /// # Errors
    /// There is no such schedule, it has ended, or the state file cannot be written.
    pub async fn pause(&self, id: &str, reason: Option<&str>) -> Result<Schedule, ScheduleError> {
        let reason = reason.map(str::to_owned);
        self.change(id, move |schedule, _| {
            check_not_ended(schedule)?;
            schedule.status = ScheduleStatus::Paused;
            schedule.reason.clone_from(&reason);
            Ok(())
        })
        .await
    }

    /// Resumes a schedule that was paused. What was due meanwhile is not made up for.
    ///
    /// # Errors
    /// There is no such schedule, it has ended or is never due again, or the state file cannot be written.
    pub async fn resume(&self, id: &str) -> Result<Schedule, ScheduleError> {
        self.change(id, |schedule, now| {
            check_not_ended(schedule)?;
            if schedule.status == ScheduleStatus::Paused {
                schedule.status = ScheduleStatus::Active;
                schedule.reason = None;
                schedule.next = schedule.next_after(now, &schedule.zone());
                check_due(schedule)?;
            }
            Ok(())
        })
        .await
    }

    /// Changes when a schedule is due and what happens to some runs. Its prompt and its authority never change.
    ///
    /// # Errors
    /// There is no such schedule, the change is wrong, or the state file cannot be written.
    pub async fn edit(&self, id: &str, change: ScheduleChange) -> Result<Schedule, ScheduleError> {
        self.change(id, move |schedule, now| {
            check_not_ended(schedule)?;
            if let Some(name) = &change.time_zone {
                (schedule.time_zone, _) = find_zone(Some(name))?;
            }
            if let Some(when) = &change.when {
                schedule.when = ScheduleExpression::parse(when, now, &schedule.zone())?;
                schedule.created = now;
            }
            schedule.missed = change.missed.unwrap_or(schedule.missed);
            schedule.overlap = change.overlap.unwrap_or(schedule.overlap);
            schedule.next = schedule.next_after(now, &schedule.zone());
            check_due(schedule)
        })
        .await
    }

    /// Removes a schedule and the list of its runs. The sessions of the runs stay, and a run that has begun goes on.
    ///
    /// # Errors
    /// There is no such schedule, or the state file cannot be written.
    pub async fn remove(&self, id: &str) -> Result<Schedule, ScheduleError> {
        let remove = |schedule: &mut Schedule, _| {
            schedule.status = ScheduleStatus::Removed;
            Ok(())
        };
        let removed = self.change(id, remove).await?;
        let store = self.store().await?;
        blocking(move || {
            store.purge(&removed)?;
            Ok(removed)
        })
        .await
    }

    /// Makes a run now, beside those that are planned. A daemon of the folder works on it, or
    /// [`ScheduleRunner::once`](crate::ScheduleRunner::once).
    ///
    /// # Errors
    /// There is no such schedule, ten of its runs are not over, or the state file cannot be written.
    pub async fn run_now(&self, id: &str) -> Result<ScheduledRun, ScheduleError> {
        let (store, about) = (self.store().await?, self.about.clone());
        let (id, now) = (id.to_owned(), self.now());
        blocking(move || {
            for _ in 0..ATTEMPTS {
                let found = store.schedule(&id)?;
                let Some(found) = found.filter(|found| is_present(&found.value, &about)) else {
                    return Err(ScheduleError::NotFound { id });
                };
                check_open(&id, &store)?;
                let run = ScheduledRun::new(&found.value, now);
                if store.make_runs(&found, vec![run.clone()])? {
                    return Ok(run);
                }
            }
            Err(ScheduleError::Busy { id })
        })
        .await
    }

    /// Makes a run now for a call of a tool, as [`run_now`](Self::run_now) does for a person.
    ///
    /// # Errors
    /// Like [`run_now`](Self::run_now); also if the schedule is paused or has ended, if the agent of the call works for
    /// another one, and if the call belongs to a scheduled run, which would otherwise go on without an end.
    pub async fn run_now_in_call(
        &self,
        id: &str,
        context: &ToolContext,
    ) -> Result<ScheduledRun, ScheduleError> {
        let schedule = self.find(id).await?;
        check_not_ended(&schedule)?;
        if schedule.status == ScheduleStatus::Paused {
            return Err(ScheduleError::invalid(format!(
                "the schedule `{id}` is paused; resume it first"
            )));
        }
        let session = context.session_id().clone();
        if !session.is_empty() {
            RunAuthority::of_call(&self.sessions, context).await?;
            let store = self.store().await?;
            if blocking(move || run_of_session(&session, &store))
                .await?
                .is_some()
            {
                return Err(ScheduleError::Refused {
                    reason: "a scheduled run makes no other run; schedules decide when there is the next one",
                });
            }
        }
        self.run_now(id).await
    }

    /// Records that a person has seen how runs ended.
    ///
    /// # Errors
    /// The state file cannot be written.
    pub async fn mark_seen(&self, runs: &[ScheduledRun]) -> Result<(), ScheduleError> {
        let store = self.store().await?;
        let keys: Vec<String> = runs.iter().map(crate::store::run_key).collect();
        blocking(move || {
            for key in keys {
                change_run(&store, &key, |run| run.seen = run.status.is_over())?;
            }
            Ok(())
        })
        .await
    }

    async fn change(
        &self,
        id: &str,
        change: impl Fn(&mut Schedule, Timestamp) -> Result<(), ScheduleError> + Send + 'static,
    ) -> Result<Schedule, ScheduleError> {
        let (store, about) = (self.store().await?, self.about.clone());
        let (id, now) = (id.to_owned(), self.now());
        let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
        blocking(move || {
            for _ in 0..ATTEMPTS {
                let found = store
                    .schedule(&id)?
                    .filter(|found| is_present(&found.value, &about));
                let Some(Versioned { mut value, version }) = found else {
                    return Err(ScheduleError::NotFound { id });
                };
                let before = value.clone();
                change(&mut value, now)?;
                if value.when != before.when {
                    let others = store.schedules()?.into_iter().map(|other| other.value);
                    check_follows(&value, &others.collect::<Vec<_>>())?;
                }
                let changed = Versioned { value, version };
                if store.replace(&changed)? {
                    // Files that came meanwhile are not made up for.
                    if changed.value.when != before.when || before.status == ScheduleStatus::Paused
                    {
                        store_files_of(&store, &changed.value)?;
                    }
                    return Ok(changed.value);
                }
            }
            Err(ScheduleError::Busy { id })
        })
        .await
    }
}

/// Changes the record of a run; `None` if there is none.
pub(crate) fn change_run(
    store: &Store,
    key: &str,
    change: impl Fn(&mut ScheduledRun),
) -> Result<Option<ScheduledRun>, ScheduleError> {
    for _ in 0..ATTEMPTS {
        let Some(mut found) = store.run(key)? else {
            return Ok(None);
        };
        let before = found.value.clone();
        change(&mut found.value);
        if found.value == before || store.replace_run(&found)? {
            return Ok(Some(found.value));
        }
    }
    let id = key.to_owned();
    Err(ScheduleError::Busy { id })
}

fn check_not_ended(schedule: &Schedule) -> Result<(), ScheduleError> {
    if schedule.status == ScheduleStatus::Ended {
        let reason = schedule.reason.as_deref().unwrap_or("it has made its runs");
        return Err(ScheduleError::invalid(format!(
            "the schedule `{}` has ended ({reason}); make a new one",
            schedule.id
        )));
    }
    Ok(())
}

/// Checks that few runs of a schedule are not over.
fn check_open(id: &str, store: &Store) -> Result<(), ScheduleError> {
    let runs = store.runs(id)?;
    let open = runs.iter().filter(|run| !run.value.status.is_over());
    if open.count() >= MAX_OPEN {
        return Err(ScheduleError::invalid(format!(
            "{MAX_OPEN} runs of the schedule `{id}` are not over"
        )));
    }
    Ok(())
}

fn check_due(schedule: &Schedule) -> Result<(), ScheduleError> {
    if schedule.next.is_none() && !schedule.when.is_event() {
        return Err(ScheduleError::invalid(format!(
            "the schedule `{}` would never be due again",
            schedule.id
        )));
    }
    Ok(())
}
