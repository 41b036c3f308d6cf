//! Makes the runs that events have made due.

use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;

use crate::error::ScheduleError;
use crate::event::{FileMarks, ScheduleEvent, find_files};
use crate::run::{RunStatus, ScheduledRun};
use crate::schedule::{OverlappingRuns, Schedule, ScheduleStatus};
use crate::store::{ATTEMPTS, DueRun, FollowedFiles, Store, Versioned, run_key};

/// How many files a run is told of.
const MAX_NAMES: usize = 20;
/// The greatest length of the name of a file that a run is told.
const MAX_NAME_CHARS: usize = 64;

/// Makes the run of a schedule that follows files, if any are new or have changed since the last look.
///
/// What was found is stored before the run is made, and the run is made again by the next look if the process dies in
/// between: of several processes, one stores it, and a run exists once.
pub(crate) fn make_run_of_files(
    store: &Store,
    schedule: Versioned<Schedule>,
    now: Timestamp,
) -> Result<(), ScheduleError> {
    let (id, Some(seen)) = (schedule.value.id.clone(), files_of(&schedule.value)) else {
        return Ok(());
    };
    let Some(Versioned {
        mut value,
        mut version,
    }) = store.files(&id)?
    else {
        return store_files_of(store, &schedule.value);
    };
    if value.due.is_none() {
        if value.seen == seen {
            return Ok(());
        }
        let is_new = |(name, mark): &(&String, _)| value.seen.get(*name) != Some(*mark);
        let new: Vec<&str> = seen
            .iter()
            .filter(is_new)
            .map(|(name, _)| &**name)
            .collect();
        if !new.is_empty() {
            // What comes while a run is not over makes the next one due.
            if count_open(store, &id)? > 0 {
                return Ok(());
            }
            let (planned, cause) = (now, describe_files(&new));
            value.due = Some(DueRun { planned, cause });
        }
        value.seen = seen;
        if !store.put_files(&id, Some(version), &value)? {
            return Ok(());
        }
        version += 1;
    }
    if let Some(DueRun { planned, cause }) = value.due.take() {
        make_run(store, schedule, planned, &cause, now)?;
        store.put_files(&id, Some(version), &value)?;
    }
    Ok(())
}

/// Stores the files that are there as seen, for a schedule that begins to follow them.
pub(crate) fn store_files_of(store: &Store, schedule: &Schedule) -> Result<(), ScheduleError> {
    let Some(seen) = files_of(schedule) else {
        return Ok(());
    };
    let version = store.files(&schedule.id)?.map(|stored| stored.version);
    let files = FollowedFiles { seen, due: None };
    store.put_files(&schedule.id, version, &files).map(drop)
}

/// Makes the runs of the schedules that follow those of another one, for a run that is done.
pub(crate) fn make_following_runs(
    store: &Store,
    done: &ScheduledRun,
    is_own: impl Fn(&Schedule) -> bool,
    now: Timestamp,
) -> Result<(), ScheduleError> {
    for schedule in store.schedules()? {
        let event = schedule.value.when.event();
        let follows = matches!(event, Some(ScheduleEvent::Run(id)) if *id == done.schedule);
        if follows && is_own(&schedule.value) {
            let cause = format!("the run {} is done", done.session);
            make_run(store, schedule, done.planned, &cause, now)?;
        }
    }
    Ok(())
}

/// Makes a run, unless it is there, or leaves it out if it would overtake another one.
fn make_run(
    store: &Store,
    mut schedule: Versioned<Schedule>,
    planned: Timestamp,
    cause: &str,
    now: Timestamp,
) -> Result<(), ScheduleError> {
    for _ in 0..ATTEMPTS {
        let Versioned { mut value, version } = schedule;
        let run = ScheduledRun {
            cause: Some(cause.to_owned()),
            ..ScheduledRun::new(&value, planned)
        };
        if value.status != ScheduleStatus::Active || store.run(&run_key(&run))?.is_some() {
            return Ok(());
        }
        let id = value.id.clone();
        let is_over = value.until.is_some_and(|until| now > until);
        let runs = match is_over {
            true => Vec::new(),
            false => vec![run_or_skipped(run, &value, count_open(store, &id)?, now)],
        };
        let made = runs.iter().filter(|run| run.status == RunStatus::Queued);
        value.runs = value.runs.saturating_add(u32::from(made.count() > 0));
        if is_over || value.max_runs.is_some_and(|most| value.runs >= most) {
            value.status = ScheduleStatus::Ended;
            value.reason = Some("it has made its runs".to_owned());
        }
        if store.make_runs(&Versioned { value, version }, runs)? {
            return Ok(());
        }
        // Another process has changed the schedule: what the event makes due is not lost.
        match store.schedule(&id)? {
            Some(changed) => schedule = changed,
            None => return Ok(()),
        }
    }
    let id = schedule.value.id;
    Err(ScheduleError::Busy { id })
}

/// Returns a run as it is stored: left out if it would overtake another one.
fn run_or_skipped(
    mut run: ScheduledRun,
    schedule: &Schedule,
    open: usize,
    now: Timestamp,
) -> ScheduledRun {
    let waits = schedule.overlap == OverlappingRuns::Queue && open == 1;
    if open > 0 && !waits {
        run.leave_out("the run before was not over", 1, now);
    }
    run
}

fn count_open(store: &Store, id: &str) -> Result<usize, ScheduleError> {
    let runs = store.runs(id)?;
    let open = runs.iter().filter(|run| !run.value.status.is_over());
    Ok(open.count())
}

/// Returns the files that a schedule follows; `None` if it follows none.
fn files_of(schedule: &Schedule) -> Option<FileMarks> {
    let Some(ScheduleEvent::File(pattern)) = schedule.when.event() else {
        return None;
    };
    let folder = Path::new(schedule.folder.as_deref()?);
    Some(find_files(folder, pattern, SystemTime::now()))
}

/// Names new files for a model. A name comes from outside: only one of plain characters is told, the others are counted.
fn describe_files(names: &[&str]) -> String {
    let is_plain = |name: &&&str| {
        let is_plain =
            |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
        name.len() <= MAX_NAME_CHARS && name.chars().all(is_plain)
    };
    let mut told: Vec<String> = names
        .iter()
        .filter(is_plain)
        .take(MAX_NAMES)
        .map(|name| (*name).to_owned())
        .collect();
    match names.len() - told.len() {
        0 => {}
        rest if told.is_empty() => told.push(format!("{rest} with other names")),
        rest => told.push(format!("and {rest} more")),
    }
    format!("new or changed files: {}", told.join(", "))
}
