//! Tests of runs that something comes between: a removed session or schedule, another process, a clock that is set.

use super::*;
use crate::schedule::MissedRuns;

/// Makes a run that waits for an answer, and returns it.
async fn waiting_run(place: &ScheduleFixture, runner: &ScheduleRunner) -> ScheduledRun {
    place.work(runner).await;
    let waiting = place.schedules.inbox().await.expect("the inbox").remove(0);
    assert_eq!(waiting.status, RunStatus::Waiting);
    waiting
}

/// Returns a runner whose model writes the report, which asks.
fn asking_runner(place: &ScheduleFixture) -> ScheduleRunner {
    let model = ScriptedModel::new()
        .call("write_report", serde_json::json!({ "text": "new" }))
        .say("It is written.");
    place.runner(model, Policy::new(Mode::Default))
}

/// Allows the call for which a run waits.
async fn allow(place: &ScheduleFixture, run: &ScheduledRun) {
    let sessions = &place.schedules.sessions;
    let state = sessions.read(&run.session).await.expect("a session");
    let call = state.session_state.waiting_calls()[0].call.clone();
    let answer = Posting::answer(call, Decision::AllowOnce { message: None });
    sessions.post(&run.session, answer).await.expect("posted");
}

#[tokio::test]
async fn a_run_whose_session_is_removed_is_over_and_not_made_again() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &Policy::new(Mode::Default)).await;
    let runner = asking_runner(&place);
    let waiting = waiting_run(&place, &runner).await;
    let sessions = &place.schedules.sessions;
    sessions.remove(&waiting.session).await.expect("removed");
    let key = crate::store::run_key(&waiting);
    let advanced = runner.advance(&key).await.expect("work");
    assert_eq!(advanced, helve_state::WorkOutcome::Done);
    assert_eq!(place.runs().await, "09:00 stopped: its session was removed");
    assert!(sessions.read(&waiting.session).await.is_err());
}

#[tokio::test]
async fn a_daemon_that_has_read_an_old_schedule_makes_no_runs_of_it() {
    let place = ScheduleFixture::new();
    let mut new = NewSchedule::new("Report", "What is new?", "0 * * * *");
    new.missed = MissedRuns::All;
    new.max_runs = Some(3);
    let made = place.create(new, &allow_all()).await;
    let id = made.expect("a schedule").id;
    let store = place.schedules.store().await.expect("a store");
    let mut read = Vec::new();
    for _ in 0..5 {
        place.pass(SignedDuration::from_hours(1));
        read.push(store.schedule(&id).expect("read").expect("it is there"));
        // Each daemon that has read the schedule at some time acts now.
        for schedule in read.clone() {
            make_runs_of(&store, schedule, place.schedules.now()).expect("written");
        }
        for run in store.runs(&id).expect("runs") {
            let over = |run: &mut ScheduledRun| run.status = RunStatus::Done;
            crate::schedules::change_run(&store, &crate::store::run_key(&run.value), over)
                .expect("written");
        }
    }
    let runs = store.runs(&id).expect("runs");
    let planned = runs.iter().map(|run| run.value.planned.strftime("%H:%M"));
    let planned: Vec<String> = planned.map(|at| at.to_string()).collect();
    assert_eq!(planned, ["09:00", "10:00", "11:00"]);
    let schedule = place.schedules.find(&id).await.expect("the schedule");
    assert_eq!((schedule.runs, schedule.status), (3, ScheduleStatus::Ended));
}

#[tokio::test]
async fn a_run_that_waits_goes_on_when_its_schedule_is_removed() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &Policy::new(Mode::Default)).await;
    let runner = asking_runner(&place);
    let waiting = waiting_run(&place, &runner).await;
    place.schedules.remove("report").await.expect("removed");
    assert!(place.schedules.list().await.expect("a list").is_empty());
    assert!(place.schedules.find("report").await.is_err());
    assert!(place.schedules.remove("report").await.is_err());
    let inbox = place.schedules.inbox().await.expect("the inbox");
    assert_eq!(inbox.len(), 1, "a person has to answer it");
    allow(&place, &waiting).await;
    let key = crate::store::run_key(&waiting);
    runner.advance(&key).await.expect("work");
    let sessions = &place.schedules.sessions;
    let messages = sessions.read(&waiting.session).await.expect("a session");
    let last = serde_json::to_string(&messages.messages.last()).expect("JSON");
    assert!(last.contains("It is written."), "{last}");
    let last = place.notices.lock().last().cloned();
    assert_eq!(
        last.as_deref(),
        Some("The scheduled run `Report` is done.\n\nIt is written.")
    );
    // No daemon makes another run, and nothing of the schedule is left.
    place.work(&runner).await;
    let store = place.schedules.store().await.expect("a store");
    assert!(store.runs("").expect("runs").is_empty());
    assert!(store.schedules().expect("schedules").is_empty());
}

/// Removes the schedule of the run.
#[tool(requires(schedules))]
async fn uproot(cx: &ToolContext) -> Result<String, ToolError> {
    let granted = cx.app_state().get::<Planter>()?.expect("schedules");
    Ok(granted.0.remove("report").await?.id)
}

#[tokio::test]
async fn a_run_that_removes_its_schedule_is_still_a_run() {
    let place = ScheduleFixture::new();
    place.add("in 30m", &allow_all()).await;
    let model = ScriptedModel::new()
        .call("uproot", serde_json::json!({}))
        .calls([
            ("plant", serde_json::json!({})),
            ("plant", serde_json::json!({})),
        ])
        .say("Done.");
    let runner = place.runner_with_schedules(model, toolset![plant, uproot]);
    assert_eq!(place.work(&runner).await, 1);
    let made = place.schedules.list().await.expect("a list");
    let generations: Vec<u32> = made.iter().map(|schedule| schedule.generation).collect();
    assert_eq!(generations, [1], "{made:?}");
}

#[tokio::test]
async fn what_is_left_out_is_one_record_until_a_run_is_made() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &Policy::new(Mode::Default)).await;
    let runner = asking_runner(&place);
    let waiting = waiting_run(&place, &runner).await;
    for _ in 0..5 {
        place.work(&runner).await;
    }
    let reason = waiting.reason.expect("a reason");
    assert_eq!(
        place.runs().await,
        format!("09:00 waiting: {reason}\n14:00 skipped: the run before was not over (5 runs)")
    );
}

#[tokio::test]
async fn what_a_person_has_not_seen_is_removed_last() {
    let place = ScheduleFixture::new();
    let schedule = place.add("0 * * * *", &allow_all()).await;
    let store = place.schedules.store().await.expect("a store");
    let hour = SignedDuration::from_hours(1);
    let added = i32::try_from(Store::MAX_RUNS).expect("a number") + 100;
    for number in 0..added {
        let status = match number {
            0..5 => RunStatus::Failed,
            _ => RunStatus::Skipped,
        };
        let planned = place.schedules.now() + hour * number;
        let run = ScheduledRun {
            status,
            ..ScheduledRun::new(&schedule, planned)
        };
        store_run(&store, &run);
    }
    store.prune(&schedule.id).expect("written");
    let runs = store.runs(&schedule.id).expect("runs");
    assert_eq!(runs.len(), Store::MAX_RUNS);
    let inbox = place.schedules.inbox().await.expect("the inbox");
    assert_eq!(inbox.len(), 5);
}

#[tokio::test]
async fn a_clock_that_is_set_back_delays_no_run_that_waits() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &Policy::new(Mode::Default)).await;
    let runner = asking_runner(&place);
    let waiting = waiting_run(&place, &runner).await;
    allow(&place, &waiting).await;
    // The queue looks at it again after a time by the clock of the machine, which may now come in an hour.
    let queue = place.schedules.store().await.expect("a store");
    let queue = queue.queue().clone();
    let kind = queue.list(None).expect("works")[0].kind.clone();
    let later = SystemTime::now() + Duration::from_secs(3_600);
    let claim = helve_state::Claim {
        kinds: vec![kind],
        owner: "another daemon".to_owned(),
        lease: Duration::from_secs(60),
        now: later,
        most: 1,
    };
    let claimed = queue.claim(&claim).expect("claimed");
    assert!(queue.release(&claimed[0], later).expect("released"));
    place.seconds.fetch_sub(7_200, Ordering::Relaxed);
    runner.once(&CancellationToken::new()).await.expect("work");
    assert_eq!(place.runs().await, "09:00 done: It is written.");
}

#[tokio::test]
async fn a_run_whose_session_another_process_holds_is_not_interrupted() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &Policy::new(Mode::Default)).await;
    let runner = asking_runner(&place);
    let waiting = waiting_run(&place, &runner).await;
    allow(&place, &waiting).await;
    let key = crate::store::run_key(&waiting);
    let store = place.schedules.store().await.expect("a store");
    let running = |run: &mut ScheduledRun| run.status = RunStatus::Running;
    crate::schedules::change_run(&store, &key, running).expect("written");
    let held = place.schedules.sessions.load(&waiting.session).await;
    let held = held.expect("a session");
    for _ in 0..3 {
        assert!(runner.advance(&key).await.is_err());
    }
    drop(held);
    runner.advance(&key).await.expect("work");
    let runs = place.schedules.runs(None).await.expect("runs");
    assert_eq!(
        (runs[0].status, runs[0].interruptions),
        (RunStatus::Done, 1)
    );
}

/// Makes a run of the schedule now.
#[tool(requires(schedules))]
async fn again(cx: &ToolContext) -> Result<String, ToolError> {
    let granted = cx.app_state().get::<Planter>()?.expect("schedules");
    let run = granted.0.run_now_in_call("report", cx).await?;
    Ok(run.session.to_string())
}

#[tokio::test]
async fn a_run_makes_no_other_run() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &allow_all()).await;
    let model = ScriptedModel::new()
        .call("again", serde_json::json!({}))
        .say("Done.");
    let runner = place.runner_with_schedules(model, toolset![again]);
    assert_eq!(place.work(&runner).await, 1);
    assert_eq!(place.runs().await, "09:00 done: Done.");
}

#[tokio::test]
async fn runs_by_hand_are_few_and_a_call_makes_none_of_a_paused_schedule() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &allow_all()).await;
    let schedules = &place.schedules;
    for _ in 0..10 {
        place.pass(SignedDuration::from_secs(1));
        schedules.run_now("report").await.expect("a run");
    }
    let context = ToolContext::new();
    let many = schedules.run_now_in_call("report", &context).await;
    schedules.pause("report", None).await.expect("paused");
    let paused = schedules.run_now_in_call("report", &context).await;
    let refused = [many, paused].map(|run| run.expect_err("refused").to_string());
    insta::assert_snapshot!(refused.join("\n"), @"
    10 runs of the schedule `report` are not over
    the schedule `report` is paused; resume it first
    ");
}

#[tokio::test]
async fn the_ids_of_runs_name_seconds_and_are_told_apart() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &allow_all()).await;
    let mut runs = Vec::new();
    for fraction in ["25", "250000001"] {
        let now: Timestamp = format!("2026-11-28T08:30:00.{fraction}Z")
            .parse()
            .expect("a time");
        let schedules = place.schedules.clone().clock(move || now);
        runs.push(schedules.run_now("report").await.expect("a run"));
    }
    assert_ne!(runs[0].session, runs[1].session);
    for run in runs {
        let time = run.planned.strftime("report-%Y%m%dt%H%M%Sz-").to_string();
        let rest = run.session.as_str().strip_prefix(&time);
        let rest = rest.unwrap_or_else(|| panic!("{}", run.session));
        assert!(
            rest.len() == 8 && rest.chars().all(|c| c.is_ascii_hexdigit()),
            "{rest}"
        );
    }
}

#[tokio::test]
async fn a_look_says_whether_there_is_work() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &allow_all()).await;
    let runner = place.runner(ScriptedModel::new().say("Done."), allow_all());
    assert!(!runner.make_due().await.expect("a look"));
    place.pass(SignedDuration::from_hours(1));
    for _ in 0..2 {
        assert!(runner.make_due().await.expect("a look"));
    }
    let stop = CancellationToken::new();
    assert_eq!(runner.once(&stop).await.expect("work"), 1);
    assert!(!runner.make_due().await.expect("a look"));
}
