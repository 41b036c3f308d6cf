//! Where schedules and their runs are stored: as records in the state file.

use std::collections::BTreeMap;

use helve_state::{NewWork, Put, RecordStore, StateError, WorkQueue};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ScheduleError;
use crate::event::FileMarks;
use crate::run::{RunStatus, ScheduledRun};
use crate::schedule::Schedule;

/// How often a change is tried that others cross.
pub(crate) const ATTEMPTS: usize = 20;

/// A value with the version of its record.
#[derive(Debug, Clone)]
pub(crate) struct Versioned<T> {
    pub(crate) value: T,
    pub(crate) version: u64,
}

/// The files that a schedule follows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FollowedFiles {
    /// Those that were there at the last look.
    pub(crate) seen: FileMarks,
    /// The run that new files have made due, before it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) due: Option<DueRun>,
}

/// A run that an event has made due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DueRun {
    pub(crate) planned: Timestamp,
    pub(crate) cause: String,
}

/// The schedules of an app. All calls block.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    queue: WorkQueue,
    records: RecordStore,
    app: String,
}

impl Store {
    /// How many runs of a schedule are stored.
    pub(crate) const MAX_RUNS: usize = 200;
    /// How many of the latest are not removed.
    const LATEST_RUNS: usize = 20;

    pub(crate) fn new(queue: WorkQueue, app: &str) -> Self {
        let records = RecordStore::new(&queue);
        let app = app.to_owned();
        Self {
            queue,
            records,
            app,
        }
    }

    fn schedule_kind(&self) -> String {
        format!("schedule {}", self.app)
    }

    fn run_kind(&self) -> String {
        format!("schedule run {}", self.app)
    }

    /// Returns the kind of the works of the runs in a folder.
    pub(crate) fn work_kind(&self, folder: Option<&str>) -> String {
        let kind = format!("schedule {} {}", self.app, folder.unwrap_or_default());
        helve_core::support::text::first_bytes(&kind, WorkQueue::MAX_KEY_BYTES).to_owned()
    }

    fn files_kind(&self) -> String {
        format!("schedule files {}", self.app)
    }

    /// Returns what is stored about the files that a schedule follows.
    pub(crate) fn files(
        &self,
        id: &str,
    ) -> Result<Option<Versioned<FollowedFiles>>, ScheduleError> {
        let Some(record) = self.records.get(&self.files_kind(), id)? else {
            return Ok(None);
        };
        let (value, version) = (parse(id, record.value)?, record.version);
        Ok(Some(Versioned { value, version }))
    }

    /// Stores files that a schedule follows, where none or another version is stored.
    pub(crate) fn put_files(
        &self,
        id: &str,
        version: Option<u64>,
        files: &FollowedFiles,
    ) -> Result<bool, ScheduleError> {
        let (kind, value) = (self.files_kind(), to_value(id, files)?);
        Ok(match version {
            Some(version) => self.records.replace(&kind, id, version, &value)?,
            None => self.records.insert(&kind, id, &value)?,
        })
    }

    fn daemon_kind(&self) -> String {
        format!("schedule daemon {}", self.app)
    }

    /// Records that a daemon works in a folder, or that it has ended.
    pub(crate) fn set_alive(
        &self,
        folder: Option<&str>,
        now: Option<Timestamp>,
    ) -> Result<(), ScheduleError> {
        let (kind, key) = (self.daemon_kind(), daemon_key(folder));
        let Some(now) = now else {
            self.records.remove(&kind, key)?;
            return Ok(());
        };
        let value = Value::from(now.as_second());
        match self.records.get(&kind, key)? {
            Some(record) => self.records.replace(&kind, key, record.version, &value)?,
            None => self.records.insert(&kind, key, &value)?,
        };
        Ok(())
    }

    /// Returns when a daemon of a folder said last that it works.
    pub(crate) fn last_alive(
        &self,
        folder: Option<&str>,
    ) -> Result<Option<Timestamp>, ScheduleError> {
        let record = self.records.get(&self.daemon_kind(), daemon_key(folder))?;
        let second = record.and_then(|record| record.value.as_i64());
        Ok(second.and_then(|second| Timestamp::from_second(second).ok()))
    }

    pub(crate) fn queue(&self) -> &WorkQueue {
        &self.queue
    }

    /// Lists the schedules that can be read. The others are logged.
    pub(crate) fn schedules(&self) -> Result<Vec<Versioned<Schedule>>, ScheduleError> {
        let records = self.records.list(&self.schedule_kind(), "")?;
        let read = records.into_iter().filter_map(|record| {
            let value = parse(&record.key, record.value);
            let value = value.inspect_err(|error| tracing::warn!(%error)).ok()?;
            let version = record.version;
            Some(Versioned { value, version })
        });
        Ok(read.collect())
    }

    pub(crate) fn schedule(&self, id: &str) -> Result<Option<Versioned<Schedule>>, ScheduleError> {
        let Some(record) = self.records.get(&self.schedule_kind(), id)? else {
            return Ok(None);
        };
        let (value, version) = (parse(id, record.value)?, record.version);
        Ok(Some(Versioned { value, version }))
    }

    pub(crate) fn insert(&self, schedule: &Schedule) -> Result<bool, ScheduleError> {
        let value = to_value(&schedule.id, schedule)?;
        let kind = self.schedule_kind();
        Ok(self.records.insert(&kind, &schedule.id, &value)?)
    }

    pub(crate) fn replace(&self, schedule: &Versioned<Schedule>) -> Result<bool, ScheduleError> {
        let id = &schedule.value.id;
        let value = to_value(id, &schedule.value)?;
        let kind = self.schedule_kind();
        Ok(self.records.replace(&kind, id, schedule.version, &value)?)
    }

    /// Removes what is left of a schedule that was removed: the records of its runs and the work on those that have not
    /// begun, and then the schedule, unless a run has begun and is not over.
    pub(crate) fn purge(&self, schedule: &Schedule) -> Result<(), ScheduleError> {
        let kind = self.work_kind(schedule.folder.as_deref());
        let mut goes_on = false;
        for run in self.runs(&schedule.id)? {
            let key = run_key(&run.value);
            if matches!(run.value.status, RunStatus::Running | RunStatus::Waiting) {
                goes_on = true;
                continue;
            }
            self.queue.remove(&kind, &key)?;
            self.records.remove(&self.run_kind(), &key)?;
        }
        if !goes_on {
            self.records.remove(&self.files_kind(), &schedule.id)?;
            self.records.remove(&self.schedule_kind(), &schedule.id)?;
        }
        Ok(())
    }

    /// Lists the runs of a schedule, or of all, the earliest first.
    pub(crate) fn runs(&self, id: &str) -> Result<Vec<Versioned<ScheduledRun>>, ScheduleError> {
        let prefix = match id {
            "" => String::new(),
            id => format!("{id}/"),
        };
        let records = self.records.list(&self.run_kind(), &prefix)?;
        let read = records.into_iter().filter_map(|record| {
            let value = parse(&record.key, record.value);
            let value = value.inspect_err(|error| tracing::warn!(%error)).ok()?;
            let version = record.version;
            Some(Versioned { value, version })
        });
        Ok(read.collect())
    }

    pub(crate) fn run(&self, key: &str) -> Result<Option<Versioned<ScheduledRun>>, ScheduleError> {
        let Some(record) = self.records.get(&self.run_kind(), key)? else {
            return Ok(None);
        };
        let (value, version) = (parse(key, record.value)?, record.version);
        Ok(Some(Versioned { value, version }))
    }

    /// Adds runs, and replaces the schedule, which counts them, in one step. Returns whether the schedule had the version;
    /// otherwise another process has changed it, and nothing is written. Runs that are left out one after the other for the
    /// same reason are one record.
    pub(crate) fn make_runs(
        &self,
        schedule: &Versioned<Schedule>,
        mut runs: Vec<ScheduledRun>,
    ) -> Result<bool, ScheduleError> {
        let (id, kind) = (&*schedule.value.id, self.run_kind());
        let latest = self.runs(id)?.pop().map(|latest| latest.value);
        let merged = latest.filter(|latest| runs.iter_mut().any(|run| run.merge_left_out(latest)));
        let value = to_value(id, &schedule.value)?;
        let keys: Vec<String> = runs.iter().map(run_key).collect();
        let records = keys.iter().zip(&runs);
        let records = records.map(|(key, run)| Ok((&*kind, &**key, to_value(key, run)?)));
        let records: Vec<(&str, &str, Value)> = records.collect::<Result<_, ScheduleError>>()?;
        let open = runs.iter().filter(|run| !run.status.is_over());
        let works: Vec<NewWork> = open.map(|run| self.work_on(&schedule.value, run)).collect();
        let replaced = (&*self.schedule_kind(), id, schedule.version, &value);
        let is_made = self.records.replace_and_add(replaced, &records, &works)?;
        if is_made {
            if let Some(merged) = merged {
                self.records.remove(&kind, &run_key(&merged))?;
            }
            self.prune(id)?;
        }
        Ok(is_made)
    }

    /// Puts the work on a run into the queue anew, for a run whose process has died.
    pub(crate) fn requeue(
        &self,
        schedule: &Schedule,
        run: &ScheduledRun,
    ) -> Result<(), ScheduleError> {
        let work = self.work_on(schedule, run);
        self.queue.remove(&work.kind, &work.key)?;
        let _: Put = self.queue.put(&work)?;
        Ok(())
    }

    /// Returns the work on a run.
    fn work_on(&self, schedule: &Schedule, run: &ScheduledRun) -> NewWork {
        NewWork {
            kind: self.work_kind(schedule.folder.as_deref()),
            key: run_key(run),
            // At once, also if the clock is set back.
            due: std::time::UNIX_EPOCH,
            payload: Value::Null,
        }
    }

    /// Puts the work on the runs of some schedules into the queue that are not over and have none, in one step, and returns the
    /// runs whose work a process has claimed.
    pub(crate) fn requeue_open(
        &self,
        is_own: impl Fn(&Schedule) -> bool,
    ) -> Result<Vec<(Schedule, ScheduledRun)>, ScheduleError> {
        let (works, runs) = (self.queue.list(None)?, self.runs("")?);
        let present: BTreeMap<(&str, &str), bool> = works
            .iter()
            .map(|work| ((&*work.kind, &*work.key), work.holder.is_some()))
            .collect();
        let schedules = self.schedules()?.into_iter().map(|found| found.value);
        let own: BTreeMap<String, Schedule> = schedules
            .filter(is_own)
            .map(|schedule| (schedule.id.clone(), schedule))
            .collect();
        let (mut missing, mut held) = (Vec::new(), Vec::new());
        for run in runs.into_iter().map(|run| run.value) {
            let schedule = own.get(&run.schedule);
            let Some(schedule) = schedule.filter(|_| !run.status.is_over()) else {
                continue;
            };
            let work = self.work_on(schedule, &run);
            match present.get(&(&*work.kind, &*work.key)) {
                None => missing.push(work),
                Some(true) => held.push((schedule.clone(), run)),
                Some(false) => {}
            }
        }
        if !missing.is_empty() {
            self.queue.put_all(&missing)?;
        }
        Ok(held)
    }

    pub(crate) fn replace_run(&self, run: &Versioned<ScheduledRun>) -> Result<bool, ScheduleError> {
        let key = run_key(&run.value);
        let value = to_value(&key, &run.value)?;
        let kind = self.run_kind();
        Ok(self.records.replace(&kind, &key, run.version, &value)?)
    }

    /// Removes runs that are over, beyond the greatest number: not the latest, and first those that were left out, then
    /// those that no person has to see, and of each the earliest.
    pub(crate) fn prune(&self, id: &str) -> Result<(), ScheduleError> {
        let runs = self.runs(id)?.into_iter().map(|run| run.value);
        let mut runs: Vec<ScheduledRun> = runs.collect();
        let surplus = runs.len().saturating_sub(Self::MAX_RUNS);
        if surplus == 0 {
            return Ok(());
        }
        runs.retain(|run| run.status.is_over());
        runs.truncate(runs.len().saturating_sub(Self::LATEST_RUNS));
        runs.sort_by_key(|run| (run.status != RunStatus::Skipped, run.needs_attention()));
        for run in runs.iter().take(surplus) {
            self.records.remove(&self.run_kind(), &run_key(run))?;
        }
        Ok(())
    }
}

/// Returns the key of a run, by which runs are sorted by time.
pub(crate) fn run_key(run: &ScheduledRun) -> String {
    let time = run.planned.strftime("%Y%m%dT%H%M%S%.fZ");
    format!("{}/{time}", run.schedule)
}

/// Returns the key of the daemons of a folder.
fn daemon_key(folder: Option<&str>) -> &str {
    let folder = folder.filter(|folder| !folder.is_empty()).unwrap_or("/");
    helve_core::support::text::first_bytes(folder, WorkQueue::MAX_KEY_BYTES)
}

fn parse<T: DeserializeOwned>(id: &str, value: Value) -> Result<T, ScheduleError> {
    serde_json::from_value(value).map_err(|source| unreadable(id, source))
}

fn to_value<T: Serialize>(id: &str, value: &T) -> Result<Value, ScheduleError> {
    serde_json::to_value(value).map_err(|source| unreadable(id, source))
}

fn unreadable(id: &str, source: serde_json::Error) -> ScheduleError {
    let id = id.to_owned();
    ScheduleError::Unreadable { id, source }
}

/// Calls a store on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> Result<T, ScheduleError> + Send + 'static,
) -> Result<T, ScheduleError> {
    let called = tokio::task::spawn_blocking(call).await;
    called.unwrap_or(Err(StateError::Stopped.into()))
}
