//! Schedules of skills: a skill whose front matter has a trigger runs by itself once a person has enabled it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use helve_skill::SkillLibrary;
use helve_skill_install::{SkillStatuses, SkillTrigger, SkillTriggers};

use crate::authority::RunAuthority;
use crate::error::ScheduleError;
use crate::expression::render_time;
use crate::guard::SkillGuard;
use crate::schedule::{NewSchedule, Schedule, ScheduleStatus};
use crate::schedules::Schedules;

/// The schedules of the skills of a project. A skill has one at most, which a person makes, and which is paused, resumed and
/// removed with the skill.
#[derive(Clone)]
pub struct SkillSchedules {
    schedules: Schedules,
    library: Arc<SkillLibrary>,
    /// Where the statuses are, and the project in which they apply.
    statuses: Option<(SkillStatuses, PathBuf)>,
}

impl fmt::Debug for SkillSchedules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schedules = &self.schedules;
        let mut debug = f.debug_struct("SkillSchedules");
        debug.field("schedules", schedules).finish_non_exhaustive()
    }
}

impl SkillSchedules {
    /// Creates the schedules of the skills of a library.
    #[must_use]
    pub fn new(schedules: Schedules, library: Arc<SkillLibrary>) -> Self {
        let statuses = None;
        Self {
            schedules,
            library,
            statuses,
        }
    }

    /// Sets where the statuses of skills are, which say whether a skill is disabled or paused in a project.
    #[must_use]
    pub fn statuses(mut self, statuses: SkillStatuses, project: impl Into<PathBuf>) -> Self {
        self.statuses = Some((statuses, project.into()));
        self
    }

    /// Returns the schedule that a skill would get; `None` if it is started by hand, or has this schedule already.
    ///
    /// # Errors
    /// The trigger says no time and no event, or the state file cannot be read.
    pub async fn preview(
        &self,
        skill: &str,
        trigger: &SkillTrigger,
        authority: RunAuthority,
    ) -> Result<Option<Schedule>, ScheduleError> {
        let Some(new) = new_schedule(skill, trigger) else {
            return Ok(None);
        };
        let planned = self.schedules.preview(&new, authority)?;
        let found = self.find(skill).await?;
        let is_same = found.is_some_and(|found| {
            found.when == planned.when
                && found.time_zone == planned.time_zone
                && found.status == ScheduleStatus::Active
        });
        Ok((!is_same).then_some(planned))
    }

    /// Gives a skill the schedule that its trigger asks for, instead of one that it has, with the authority of the person
    /// who enables it. `None` if the skill is started by hand.
    ///
    /// # Errors
    /// Like [`Schedules::create`].
    pub async fn enable(
        &self,
        skill: &str,
        trigger: &SkillTrigger,
        authority: RunAuthority,
    ) -> Result<Option<Schedule>, ScheduleError> {
        let Some(new) = new_schedule(skill, trigger) else {
            return Ok(None);
        };
        // A wrong trigger leaves the schedule that is there.
        self.schedules.preview(&new, authority.clone())?;
        if let Some(found) = self.find(skill).await? {
            self.schedules.remove(&found.id).await?;
        }
        self.schedules.create(new, authority).await.map(Some)
    }

    /// Finds the schedule of a skill.
    ///
    /// # Errors
    /// The state file cannot be read.
    pub async fn find(&self, skill: &str) -> Result<Option<Schedule>, ScheduleError> {
        let mut list = self.schedules.list().await?.into_iter();
        Ok(list.find(|found| found.skill.as_deref() == Some(skill)))
    }

    async fn follow_change(&self, command: &str, skill: &str) -> Result<(), ScheduleError> {
        let Some(found) = self.find(skill).await? else {
            return Ok(());
        };
        let is_ended = found.status == ScheduleStatus::Ended;
        match command {
            "remove" => drop(self.schedules.remove(&found.id).await?),
            _ if is_ended => {}
            "enable" | "resume" => drop(self.schedules.resume(&found.id).await?),
            _ => {
                let reason = format!("the skill `{skill}` is {command}d");
                self.schedules.pause(&found.id, Some(&reason)).await?;
            }
        }
        Ok(())
    }
}

/// Returns the schedule of a skill; `None` if the skill is started by hand.
fn new_schedule(skill: &str, trigger: &SkillTrigger) -> Option<NewSchedule> {
    let prompt = format!(
        "Run the skill `{skill}` now: load it and do what it says. If it has an entry and the tool `run_skill` is there, call \
         that tool instead. Answer with what came of it."
    );
    let mut new = NewSchedule::new(skill, prompt, trigger.when()?);
    if let SkillTrigger::Cron { time_zone, .. } = trigger {
        new.time_zone.clone_from(time_zone);
    }
    new.skill = Some(skill.to_owned());
    Some(new)
}

impl SkillTriggers for SkillSchedules {
    fn describe(&self) -> BoxFuture<'_, BTreeMap<String, String>> {
        async {
            let list = self.schedules.list().await.unwrap_or_default();
            let described = list.into_iter().filter_map(|schedule| {
                let state = match (schedule.status, schedule.next) {
                    (ScheduleStatus::Active, Some(next)) => {
                        format!("next {}", render_time(next, &schedule.zone()))
                    }
                    (ScheduleStatus::Active, None) => "waits for it".to_owned(),
                    (status, _) => match &schedule.reason {
                        Some(reason) => format!("{}: {reason}", status.name()),
                        None => status.name().to_owned(),
                    },
                };
                Some((schedule.skill?, state))
            });
            described.collect()
        }
        .boxed()
    }

    fn follow<'a>(&'a self, command: &'a str, skill: &'a str) -> BoxFuture<'a, Result<(), String>> {
        let followed = self.follow_change(command, skill);
        followed
            .map(|followed| followed.map_err(|error| error.to_string()))
            .boxed()
    }
}

impl SkillGuard for SkillSchedules {
    fn unused_because<'a>(&'a self, skill: &'a str) -> BoxFuture<'a, Option<String>> {
        async move {
            self.library.refresh().await;
            if let Some((statuses, project)) = self.statuses.clone() {
                let name = skill.to_owned();
                let read = tokio::task::spawn_blocking(move || statuses.get(&name, &project));
                let status = match read.await {
                    Ok(Ok(status)) => status,
                    Ok(Err(error)) => return Some(error.to_string()),
                    Err(error) => return Some(error.to_string()),
                };
                if let Some(pause) = status.paused {
                    return Some(format!("the skill `{skill}` is paused: {}", pause.reason));
                }
                if status.disabled {
                    return Some(format!("the skill `{skill}` is disabled"));
                }
            }
            let is_there = self.library.current().get(skill).is_some();
            (!is_there)
                .then(|| format!("the daemon has no skill `{skill}`, or had none when it started"))
        }
        .boxed()
    }

    fn pause<'a>(&'a self, skill: &'a str, reason: &'a str) -> BoxFuture<'a, ()> {
        async move {
            let Some((statuses, project)) = self.statuses.clone() else {
                return;
            };
            let (name, reason) = (skill.to_owned(), reason.to_owned());
            let pause = move || statuses.pause(&name, Some(&project), &reason);
            match tokio::task::spawn_blocking(pause).await {
                Ok(Ok(())) => {}
                failed => tracing::warn!(skill, ?failed, "a skill that fails is not paused"),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
