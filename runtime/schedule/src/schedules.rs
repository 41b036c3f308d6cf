//! The schedules of an app: they are made, found and changed here.

mod changing;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use helve_agent::session::{SessionMetadata, Sessions};
use helve_core::support::random;
use helve_core::tool::ToolContext;
use helve_core::transcript::SessionId;
use helve_state::WorkQueue;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::OnceCell;

use crate::authority::RunAuthority;
use crate::error::ScheduleError;
use crate::event::ScheduleEvent;
use crate::expression::ScheduleExpression;
use crate::firing::store_files_of;
use crate::run::{RunStatus, ScheduledRun};
use crate::schedule::{NewSchedule, Schedule, ScheduleStatus, check_texts, find_zone, slug};
use crate::store::{Store, blocking};

pub use changing::ScheduleChange;
pub(crate) use changing::change_run;

type Clock = dyn Fn() -> Timestamp + Send + Sync;

/// How long ago a daemon that works may have said so.
const ALIVE: SignedDuration = SignedDuration::from_secs(60);
/// How many schedules a scheduled run may make.
const MAX_BY_RUN: usize = 1;
/// The greatest generation of a schedule.
const MAX_GENERATION: u32 = 3;

/// The schedules of an app in a folder. Clones share them.
///
/// ```
/// use helve::agent::session::{MemoryStore, SessionMetadata, Sessions};
/// use helve::agent::turn::Bounds;
/// use helve::permission::{Mode, Policy};
/// use helve::schedule::{NewSchedule, RunAuthority, Schedules};
/// use helve::state::WorkQueue;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let folder = tempfile::tempdir()?;
/// let queue = WorkQueue::open(&folder.path().join("state.db"))?;
/// let sessions = Sessions::new(MemoryStore::new());
/// let schedules = Schedules::new(sessions, queue, SessionMetadata::new("example"));
///
/// let authority = RunAuthority::of_person("main", &Policy::new(Mode::DontAsk), Bounds::new(20));
/// let mut new = NewSchedule::new("Morning", "What changed since yesterday?", "0 9 * * 1-5");
/// new.time_zone = Some("Europe/Berlin".to_owned());
/// let made = schedules.create(new, authority).await?;
/// assert_eq!(made.id, "morning");
/// assert_eq!(schedules.list().await?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Schedules {
    pub(crate) sessions: Sessions,
    /// What all runs have in common.
    pub(crate) about: SessionMetadata,
    path: PathBuf,
    store: Arc<OnceCell<Store>>,
    clock: Arc<Clock>,
}

impl fmt::Debug for Schedules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = &self.about;
        let mut debug = f.debug_struct("Schedules");
        debug.field("about", about).finish_non_exhaustive()
    }
}

impl Schedules {
    /// The greatest number of schedules of one principal that have not ended.
    pub const MAX: usize = 100;

    /// Creates the schedules of an app: their runs have the app, the folder and the principal of `about`.
    #[must_use]
    pub fn new(sessions: Sessions, queue: WorkQueue, about: SessionMetadata) -> Self {
        let store = Store::new(queue, &about.app);
        Self {
            store: Arc::new(OnceCell::new_with(Some(store))),
            ..Self::lazy(sessions, PathBuf::new(), about)
        }
    }

    /// Like [`new`](Self::new), with the state file at `path`, which is opened when it is used first.
    #[must_use]
    pub fn lazy(sessions: Sessions, path: impl Into<PathBuf>, about: SessionMetadata) -> Self {
        Self {
            sessions,
            about,
            path: path.into(),
            store: Arc::default(),
            clock: Arc::new(Timestamp::now),
        }
    }

    /// Sets the clock, by which it is decided what is due.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Returns the time of the clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) async fn store(&self) -> Result<Store, ScheduleError> {
        let open = || async {
            let (path, app) = (self.path.clone(), self.about.app.clone());
            blocking(move || Ok(Store::new(WorkQueue::open(&path)?, &app))).await
        };
        Ok(self.store.get_or_try_init(open).await?.clone())
    }

    /// Makes a schedule. Everything about it is checked before it is stored.
    ///
    /// # Errors
    /// The expression or another part is wrong, there are too many schedules, or the state file cannot be written.
    pub async fn create(
        &self,
        new: NewSchedule,
        authority: RunAuthority,
    ) -> Result<Schedule, ScheduleError> {
        let (store, now, about) = (self.store().await?, self.now(), self.about.clone());
        blocking(move || {
            let mut schedule = new_schedule(&new, &about, authority, now)?;
            let others = store.schedules()?;
            let others: Vec<Schedule> = others.into_iter().map(|other| other.value).collect();
            check_count(&schedule, &others, &store)?;
            schedule.generation = generation(&schedule, &others, &store)?;
            let id = schedule.id.clone();
            for number in 2..=others.len() + 2 {
                check_follows(&schedule, &others)?;
                if store.insert(&schedule)? {
                    store_files_of(&store, &schedule)?;
                    return Ok(schedule);
                }
                schedule.id = format!("{id}-{number}");
            }
            Err(ScheduleError::Busy { id })
        })
        .await
    }

    /// Returns the schedule that [`create`](Self::create) would make, and makes none.
    ///
    /// # Errors
    /// The expression or another part is wrong.
    pub fn preview(
        &self,
        new: &NewSchedule,
        authority: RunAuthority,
    ) -> Result<Schedule, ScheduleError> {
        new_schedule(new, &self.about, authority, self.now())
    }

    /// Makes a schedule for a call of a tool, with the authority of the turn that makes the call.
    ///
    /// # Errors
    /// Like [`create`](Self::create); also if the call belongs to no turn of a session, if its agent works for another one,
    /// and if it is a scheduled run that has made one already.
    pub async fn create_in_call(
        &self,
        new: NewSchedule,
        context: &ToolContext,
    ) -> Result<Schedule, ScheduleError> {
        let authority = RunAuthority::of_call(&self.sessions, context).await?;
        self.create(new, authority).await
    }

    /// Lists the schedules of the folder and the principal, by their ids.
    ///
    /// # Errors
    /// The state file cannot be read.
    pub async fn list(&self) -> Result<Vec<Schedule>, ScheduleError> {
        // A look makes no file.
        if !self.store.initialized() && !self.path.exists() {
            return Ok(Vec::new());
        }
        let (store, about) = (self.store().await?, self.about.clone());
        blocking(move || {
            let all = store.schedules()?.into_iter().map(|found| found.value);
            Ok(all.filter(|found| is_present(found, &about)).collect())
        })
        .await
    }

    /// Lists the runs of a schedule, or of all of the folder and the principal, the latest first.
    ///
    /// # Errors
    /// The state file cannot be read.
    pub async fn runs(&self, id: Option<&str>) -> Result<Vec<ScheduledRun>, ScheduleError> {
        let (store, about) = (self.store().await?, self.about.clone());
        let id = id.map(str::to_owned);
        blocking(move || {
            let own = store.schedules()?.into_iter().map(|found| found.value);
            let own: Vec<Schedule> = own.filter(|found| is_of(found, &about)).collect();
            let runs = store.runs(id.as_deref().unwrap_or_default())?;
            let runs = runs.into_iter().map(|run| run.value);
            let is_own =
                |run: &ScheduledRun| own.iter().any(|schedule| schedule.id == run.schedule);
            let mut runs: Vec<ScheduledRun> = runs.filter(is_own).collect();
            runs.sort_by_key(|run| std::cmp::Reverse(run.planned));
            Ok(runs)
        })
        .await
    }

    /// Returns whether a daemon works in the folder, or said so within the last minute.
    ///
    /// # Errors
    /// The state file cannot be read.
    pub async fn has_daemon(&self) -> Result<bool, ScheduleError> {
        let (store, folder) = (self.store().await?, self.about.folder.clone());
        let last = blocking(move || store.last_alive(folder.as_deref())).await?;
        Ok(last.is_some_and(|last| self.now().duration_since(last).abs() <= ALIVE))
    }

    /// Lists the runs that a person should learn of, the latest first: those that wait, and those that have ended with
    /// something to say since [`mark_seen`](Self::mark_seen).
    ///
    /// # Errors
    /// The state file cannot be read.
    pub async fn inbox(&self) -> Result<Vec<ScheduledRun>, ScheduleError> {
        let mut runs = self.runs(None).await?;
        runs.retain(ScheduledRun::needs_attention);
        Ok(runs)
    }
}

/// Returns whether a schedule belongs to a folder and a principal, and was not removed.
pub(crate) fn is_present(schedule: &Schedule, about: &SessionMetadata) -> bool {
    is_of(schedule, about) && schedule.status != ScheduleStatus::Removed
}

/// Returns whether a schedule belongs to a folder and a principal. A run of one that was removed may go on.
pub(crate) fn is_of(schedule: &Schedule, about: &SessionMetadata) -> bool {
    schedule.folder == about.folder && schedule.principal == about.principal
}

pub(crate) fn new_schedule(
    new: &NewSchedule,
    about: &SessionMetadata,
    authority: RunAuthority,
    now: Timestamp,
) -> Result<Schedule, ScheduleError> {
    check_texts(new)?;
    let (time_zone, zone) = find_zone(new.time_zone.as_deref())?;
    // Times are whole seconds, as they are shown.
    let created = Timestamp::from_second(now.as_second()).unwrap_or(now);
    let when = ScheduleExpression::parse(&new.when, created, &zone)?;
    let until = match &new.until {
        Some(until) => Some(parse_end(until, created, &zone)?),
        None => None,
    };
    let mut schedule = Schedule {
        id: match &new.skill {
            Some(skill) => slug(&format!("skill-{skill}")),
            None => slug(&new.name),
        },
        name: new.name.trim().to_owned(),
        prompt: new.prompt.trim().to_owned(),
        when,
        time_zone,
        missed: new.missed,
        overlap: new.overlap,
        jitter_seconds: new.jitter_seconds,
        until,
        max_runs: new.max_runs,
        folder: about.folder.clone(),
        principal: about.principal.clone(),
        created,
        session: authority.session,
        generation: 0,
        skill: new.skill.clone(),
        status: ScheduleStatus::Active,
        reason: None,
        next: None,
        runs: 0,
        nonce: random::hex::<3>(),
        begin: authority.begin,
    };
    schedule.next = schedule.next_after(created, &zone);
    if schedule.next.is_none() && !schedule.when.is_event() {
        return Err(ScheduleError::invalid(
            "the schedule is never due: its end comes before its first time",
        ));
    }
    Ok(schedule)
}

/// Parses the time after which a schedule ends.
fn parse_end(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Timestamp, ScheduleError> {
    let invalid = |reason: &str| {
        let text: String = text.trim().chars().take(100).collect();
        ScheduleError::invalid(format!(
            "`{text}` is no end of a schedule: {reason}; write `2026-12-01T09:00` or `in 30d`"
        ))
    };
    let end = ScheduleExpression::parse(text, now, zone);
    let end = end.map_err(|error| invalid(&error.reason))?;
    let at = end.next_after(now, now, zone);
    at.filter(|_| end.is_once())
        .ok_or_else(|| invalid("it is not a single time"))
}

/// Checks that the schedule whose runs another one follows is there, and that none follows itself.
pub(crate) fn check_follows(new: &Schedule, others: &[Schedule]) -> Result<(), ScheduleError> {
    let mut next = new;
    let mut steps = 0..=others.len();
    while let (Some(ScheduleEvent::Run(id)), Some(step)) = (next.when.event(), steps.next()) {
        if *id == new.id {
            return Err(ScheduleError::invalid(format!(
                "the schedule `{id}` would follow its own runs"
            )));
        }
        let is_it = |other: &&Schedule| {
            other.id == *id
                && other.folder == new.folder
                && other.principal == new.principal
                && other.status != ScheduleStatus::Removed
        };
        match others.iter().find(is_it) {
            Some(found) => next = found,
            None if step == 0 => return Err(ScheduleError::NotFound { id: id.clone() }),
            None => return Ok(()),
        }
    }
    Ok(())
}

fn check_count(new: &Schedule, others: &[Schedule], store: &Store) -> Result<(), ScheduleError> {
    let counts = |other: &&Schedule| {
        let makes_runs = [ScheduleStatus::Active, ScheduleStatus::Paused].contains(&other.status);
        other.principal == new.principal && makes_runs
    };
    if others.iter().filter(counts).count() >= Schedules::MAX {
        let limit = Schedules::MAX;
        return Err(ScheduleError::TooMany { limit });
    }
    let made_by = |other: &&Schedule| new.session.is_some() && other.session == new.session;
    let is_run = run_of(new, store)?.is_some();
    if is_run && others.iter().filter(made_by).count() >= MAX_BY_RUN {
        return Err(ScheduleError::Refused {
            reason: "a scheduled run makes one schedule at most",
        });
    }
    Ok(())
}

/// Returns how many schedules stand between a new one and one that was not made by a run.
fn generation(new: &Schedule, others: &[Schedule], store: &Store) -> Result<u32, ScheduleError> {
    let Some(run) = run_of(new, store)? else {
        return Ok(0);
    };
    let parent = others.iter().find(|other| other.id == run.schedule);
    let generation = parent.map_or(MAX_GENERATION, |parent| parent.generation) + 1;
    if generation > MAX_GENERATION {
        return Err(ScheduleError::Refused {
            reason: "schedules make schedules three times in a row at most; a person has to make this one",
        });
    }
    Ok(generation)
}

/// Returns the run whose session makes a schedule.
fn run_of(new: &Schedule, store: &Store) -> Result<Option<ScheduledRun>, ScheduleError> {
    match &new.session {
        Some(session) => run_of_session(session, store),
        None => Ok(None),
    }
}

/// Returns the run with a session.
pub(crate) fn run_of_session(
    session: &SessionId,
    store: &Store,
) -> Result<Option<ScheduledRun>, ScheduleError> {
    let mut runs = store.runs("")?.into_iter().map(|run| run.value);
    Ok(runs.find(|run| run.session == *session && run.status != RunStatus::Skipped))
}
