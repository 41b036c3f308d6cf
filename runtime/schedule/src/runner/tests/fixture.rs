//! A place with schedules, as the tests of runs have one.

use super::*;

/// A place with schedules, and a clock that a test sets.
pub(super) struct ScheduleFixture {
    _folder: tempfile::TempDir,
    pub(super) schedules: Schedules,
    pub(super) seconds: Arc<AtomicI64>,
    pub(super) notices: Arc<Mutex<Vec<String>>>,
}

impl ScheduleFixture {
    /// A place on the morning of 2026-11-28, a Saturday.
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let queue = WorkQueue::open(&folder.path().join("state.db")).expect("a file");
        let start: Timestamp = "2026-11-28T08:30:00Z".parse().expect("a time");
        let seconds = Arc::new(AtomicI64::new(start.as_second()));
        let clock = seconds.clone();
        let about = SessionMetadata::new("test").folder("/project");
        let schedules = Schedules::new(Sessions::new(MemoryStore::new()), queue, about);
        let schedules = schedules
            .clock(move || Timestamp::from_second(clock.load(Ordering::Relaxed)).expect("a time"));
        Self {
            _folder: folder,
            schedules,
            seconds,
            notices: Arc::default(),
        }
    }

    pub(super) fn pass(&self, time: SignedDuration) {
        self.seconds.fetch_add(time.as_secs(), Ordering::Relaxed);
    }

    pub(super) async fn add(&self, when: &str, policy: &Policy) -> Schedule {
        let new = NewSchedule::new("Report", "What is new?", when);
        self.create(new, policy).await.expect("a schedule")
    }

    /// Makes a schedule for the agent `main`, in UTC.
    pub(super) async fn create(
        &self,
        mut new: NewSchedule,
        policy: &Policy,
    ) -> Result<Schedule, ScheduleError> {
        new.time_zone = Some("UTC".to_owned());
        let authority = RunAuthority::of_person("main", policy, Bounds::new(10));
        self.schedules.create(new, authority).await
    }

    pub(super) fn runner(&self, model: impl Model + 'static, policy: Policy) -> ScheduleRunner {
        let agent = Agent::new("main", model)
            .toolset(toolset![write_report, read_report])
            .policy(policy);
        let notices = self.notices.clone();
        ScheduleRunner::new(self.schedules.clone(), [agent], ToolContext::new)
            .on_notice(move |_, text| notices.lock().push(text.to_owned()))
    }

    /// Creates a runner whose tools have the schedules, and may call all.
    pub(super) fn runner_with_schedules(
        &self,
        model: impl Model + 'static,
        tools: Toolset,
    ) -> ScheduleRunner {
        let agent = Agent::new("main", model).toolset(tools).policy(allow_all());
        let granted = self.schedules.clone();
        ScheduleRunner::new(self.schedules.clone(), [agent], move || {
            let mut state = helve::State::new();
            state.insert(Planter(granted.clone()));
            ToolContext::builder().app(Arc::new(state)).build()
        })
    }

    /// Lets an hour pass, and works on what is due.
    pub(super) async fn work(&self, runner: &ScheduleRunner) -> usize {
        self.pass(SignedDuration::from_hours(1));
        runner.once(&CancellationToken::new()).await.expect("work")
    }

    /// Renders the runs, the earliest first.
    pub(super) async fn runs(&self) -> String {
        let mut runs = self.schedules.runs(None).await.expect("runs");
        runs.reverse();
        let line = |run: &ScheduledRun| {
            let said = run.reason.as_deref().unwrap_or(&run.text);
            format!(
                "{} {}: {said}",
                run.planned.strftime("%H:%M"),
                run.status.name()
            )
        };
        runs.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Stores a run of a schedule.
pub(super) fn store_run(store: &Store, run: &ScheduledRun) {
    let schedule = store.schedule(&run.schedule).expect("read");
    let schedule = schedule.expect("a schedule");
    let stored = store.make_runs(&schedule, vec![run.clone()]);
    assert!(stored.expect("written"));
}
