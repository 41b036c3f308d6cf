//! Tests of runs: what becomes of them, what they may do, and that each is made once.

mod authority;
mod events;
mod fixture;
mod killed;
mod lifecycle;
mod program;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use helve::prelude::*;
use helve_agent::session::{Entry, MemoryStore, Posting, SessionMetadata, Sessions};
use helve_agent::turn::Bounds;
use helve_core::transcript::{Label, SessionId, Source};
use helve_model::{Model, ScriptedModel};
use helve_permission::{Decision, Mode, Policy};
use helve_state::WorkQueue;

use fixture::{ScheduleFixture, store_run};

use super::*;
use crate::authority::RunAuthority;
use crate::run::{RunStatus, is_silent};
use crate::schedule::NewSchedule;

/// Writes the report.
#[tool]
fn write_report(
    /// What it says.
    text: &str,
) -> String {
    format!("wrote {} bytes", text.len())
}

/// Reads the report.
#[tool(read_only)]
fn read_report() -> String {
    "All is well.".to_owned()
}

fn allow_all() -> Policy {
    Policy::new(Mode::Bypass)
}

#[tokio::test]
async fn a_run_is_a_session_of_its_own_and_silence_is_not_told() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &allow_all()).await;
    let model = ScriptedModel::new()
        .say("Two files are new.")
        .say("[SILENT] Nothing.");
    let runner = place.runner(model, allow_all());
    assert_eq!(
        runner.once(&CancellationToken::new()).await.expect("work"),
        0
    );
    assert_eq!(place.work(&runner).await, 1);
    assert_eq!(place.work(&runner).await, 1);
    assert_eq!(
        place.runs().await,
        "09:00 done: Two files are new.\n10:00 done: [SILENT] Nothing."
    );
    assert_eq!(
        *place.notices.lock(),
        ["The scheduled run `Report` is done.\n\nTwo files are new."]
    );
    let inbox = place.schedules.inbox().await.expect("the inbox");
    assert_eq!(inbox.len(), 1);
    assert!(!is_silent(&inbox[0].text));
    let messages = place
        .schedules
        .sessions
        .read(&inbox[0].session)
        .await
        .expect("a session")
        .messages;
    let prompt = serde_json::to_value(&messages[0]).expect("JSON");
    let prompt = prompt["content"][0]["text"].as_str().expect("a text");
    let nonce = &place
        .schedules
        .find("report")
        .await
        .expect("the schedule")
        .nonce;
    insta::assert_snapshot!(prompt.replace(nonce, "NONCE"), @r#"
    What is new?

    <scheduled_task name="Report" id="report" run="report-20261128t090000z-NONCE" planned_at="Sat 2026-11-28 09:00 +00:00">
    This is a scheduled run, and no person is present. A question to the user makes the run wait until it is answered. If nothing needs the attention of a person, begin your answer with [SILENT].
    </scheduled_task>
    "#);
    place.schedules.mark_seen(&inbox).await.expect("written");
    assert!(place.schedules.inbox().await.expect("the inbox").is_empty());
}

#[tokio::test]
async fn a_run_that_asks_waits_until_it_is_answered() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &Policy::new(Mode::Default)).await;
    let model = ScriptedModel::new()
        .call("write_report", serde_json::json!({ "text": "new" }))
        .say("It is written.");
    let runner = place.runner(model, Policy::new(Mode::Default));
    place.work(&runner).await;
    let waiting = place.schedules.inbox().await.expect("the inbox");
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].status, RunStatus::Waiting);
    // The next run does not overtake it, and it is told once.
    place.work(&runner).await;
    assert_eq!(place.notices.lock().len(), 1);
    let session = &waiting[0].session;
    let state = place
        .schedules
        .sessions
        .read(session)
        .await
        .expect("a session")
        .session_state;
    let call = state.waiting_calls()[0].call.clone();
    let answer = Posting::answer(call, Decision::AllowOnce { message: None });
    place
        .schedules
        .sessions
        .post(session, answer)
        .await
        .expect("posted");
    // Work that waits is looked at again after a pause.
    let key = crate::store::run_key(&waiting[0]);
    let advanced = runner.advance(&key).await.expect("work");
    assert_eq!(advanced, helve_state::WorkOutcome::Done);
    insta::assert_snapshot!(place.runs().await, @"
    09:00 done: It is written.
    10:00 skipped: the run before was not over
    ");
}

#[tokio::test]
async fn a_run_may_do_what_its_maker_might_and_no_more() {
    for (made_under, runs_under, expected) in [
        (Mode::Bypass, Mode::Bypass, RunStatus::Done),
        (Mode::Default, Mode::Bypass, RunStatus::Waiting),
        (Mode::Bypass, Mode::Default, RunStatus::Waiting),
    ] {
        let place = ScheduleFixture::new();
        place.add("0 * * * *", &Policy::new(made_under)).await;
        let model = ScriptedModel::new()
            .call("write_report", serde_json::json!({ "text": "new" }))
            .say("It is written.");
        let runner = place.runner(model, Policy::new(runs_under));
        place.work(&runner).await;
        let runs = place.schedules.runs(None).await.expect("runs");
        assert_eq!(runs[0].status, expected, "{made_under:?} {runs_under:?}");
    }
}

#[tokio::test]
async fn a_schedule_of_a_tainted_turn_makes_tainted_runs() {
    let place = ScheduleFixture::new();
    let mut authority = RunAuthority::of_person("main", &allow_all(), Bounds::new(10));
    authority.begin.label = Label::from(Source::web("web_fetch", "https://example.com"));
    let new = NewSchedule::new("Report", "What is new?", "in 30m");
    place
        .schedules
        .create(new, authority)
        .await
        .expect("a schedule");
    let runner = place.runner(ScriptedModel::new().say("Much."), allow_all());
    place.work(&runner).await;
    let runs = place.schedules.runs(None).await.expect("runs");
    assert!(runs[0].label.is_untrusted());
}

#[tokio::test]
async fn runs_that_fail_again_and_again_pause_their_schedule() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &allow_all()).await;
    let model = (0..10).fold(ScriptedModel::new(), |model, _| model.fail("no credit"));
    let runner = place.runner(model, allow_all());
    for _ in 0..7 {
        place.work(&runner).await;
    }
    let schedule = place.schedules.find("report").await.expect("the schedule");
    assert_eq!(schedule.status, ScheduleStatus::Paused);
    assert_eq!(schedule.reason.as_deref(), Some("its last 5 runs failed"));
    assert_eq!(place.schedules.runs(None).await.expect("runs").len(), 5);
    let resumed = place.schedules.resume("report").await.expect("resumed");
    assert!(
        resumed
            .next
            .is_some_and(|next| next > place.schedules.now())
    );
}

/// An hourly schedule goes on for years, and its latest runs are stored.
#[tokio::test]
async fn old_runs_are_removed_and_the_inbox_stays_short() {
    let place = ScheduleFixture::new();
    let schedule = place.add("0 * * * *", &allow_all()).await;
    let store = place.schedules.store().await.expect("a store");
    let hour = SignedDuration::from_hours(1);
    for number in 1..=i32::try_from(Store::MAX_RUNS).expect("a number") {
        let run = ScheduledRun {
            status: RunStatus::Done,
            text: "All is well.".to_owned(),
            ..ScheduledRun::new(&schedule, place.schedules.now() - hour * number)
        };
        store_run(&store, &run);
    }
    let model = ScriptedModel::new()
        .say("The disk is full.")
        .say("[SILENT]");
    let runner = place.runner(model, allow_all());
    for _ in 0..2 {
        assert_eq!(place.work(&runner).await, 1);
    }
    let runs = place.schedules.runs(None).await.expect("runs");
    assert_eq!(runs.len(), Store::MAX_RUNS);
    assert_eq!(runs[0].text, "[SILENT]");
    let inbox = place.schedules.inbox().await.expect("the inbox");
    insta::assert_snapshot!(crate::table::render_inbox(&inbox, "notes"), @"
    scheduled run report: The disk is full.
    scheduled run report: All is well.
    scheduled run report: All is well.
    196 earlier runs of report have something to say
      notes schedule runs report
    ");
}

#[tokio::test]
async fn a_run_whose_agent_is_gone_fails() {
    let place = ScheduleFixture::new();
    let new = NewSchedule::new("Report", "What is new?", "in 30m");
    let authority = RunAuthority::of_person("poet", &allow_all(), Bounds::new(10));
    place
        .schedules
        .create(new, authority)
        .await
        .expect("a schedule");
    let runner = place.runner(ScriptedModel::new(), allow_all());
    place.work(&runner).await;
    assert_eq!(place.runs().await, "09:00 failed: there is no agent `poet`");
}

#[tokio::test]
async fn what_is_made_by_hand_runs_at_once_and_what_is_removed_does_not() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &allow_all()).await;
    let model = ScriptedModel::new().say("Done.");
    let runner = place.runner(model, allow_all());
    place.schedules.run_now("report").await.expect("a run");
    assert_eq!(
        runner.once(&CancellationToken::new()).await.expect("work"),
        1
    );
    place.pass(SignedDuration::from_secs(1));
    place.schedules.run_now("report").await.expect("a run");
    place.schedules.remove("report").await.expect("removed");
    assert_eq!(
        runner.once(&CancellationToken::new()).await.expect("work"),
        0
    );
    assert!(matches!(
        place.schedules.find("report").await,
        Err(ScheduleError::NotFound { .. })
    ));
}

#[tokio::test]
async fn schedules_of_others_are_not_seen() {
    let place = ScheduleFixture::new();
    place.add("0 * * * *", &allow_all()).await;
    let queue = place
        .schedules
        .store()
        .await
        .expect("a store")
        .queue()
        .clone();
    let sessions = place.schedules.sessions.clone();
    for about in [
        SessionMetadata::new("test").folder("/other"),
        SessionMetadata::new("other").folder("/project"),
        SessionMetadata::new("test")
            .folder("/project")
            .principal(helve_core::tool::Principal::user("eve")),
    ] {
        let other = Schedules::new(sessions.clone(), queue.clone(), about);
        assert!(other.list().await.expect("a list").is_empty());
        assert!(matches!(
            other.pause("report", None).await,
            Err(ScheduleError::NotFound { .. })
        ));
        assert!(matches!(
            other.remove("report").await,
            Err(ScheduleError::NotFound { .. })
        ));
        assert!(matches!(
            other.run_now("report").await,
            Err(ScheduleError::NotFound { .. })
        ));
    }
    assert_eq!(place.schedules.list().await.expect("a list").len(), 1);
}

#[tokio::test]
async fn a_schedule_stores_no_secret() {
    let place = ScheduleFixture::new();
    let key = "ghp_abcdefghij1234567890abcdefghij123456";
    for (name, prompt) in [("Push", &*format!("Push with {key}.")), (key, "Push.")] {
        let new = NewSchedule::new(name, prompt, "in 30m");
        let refused = place.create(new, &allow_all()).await;
        let reason = refused.expect_err("a refusal").to_string();
        assert!(
            reason.contains("contains a secret (github-pat)"),
            "{reason}"
        );
    }
    assert!(place.schedules.list().await.expect("a list").is_empty());
}

/// Makes another schedule.
#[tool(requires(schedules))]
async fn plant(cx: &ToolContext) -> Result<String, ToolError> {
    let granted = cx.app_state().get::<Planter>()?.expect("schedules");
    let new = NewSchedule::new("Seed", "Plant another.", "in 30m");
    let made = granted.0.create_in_call(new, cx).await?;
    Ok(made.id)
}

struct Planter(Schedules);

#[tokio::test]
async fn runs_make_few_schedules() {
    let place = ScheduleFixture::new();
    place.add("in 30m", &allow_all()).await;
    let model = (0..10).fold(ScriptedModel::new(), |model, _| {
        let plant = || ("plant", serde_json::json!({}));
        model.calls([plant(), plant()]).say("Planted.")
    });
    let runner = place.runner_with_schedules(model, toolset![plant]);
    for _ in 0..8 {
        place.work(&runner).await;
    }
    let made = place.schedules.list().await.expect("a list");
    let generations: Vec<u32> = made.iter().map(|schedule| schedule.generation).collect();
    assert_eq!(generations, [0, 1, 2, 3], "{made:?}");
}

#[tokio::test]
async fn two_runners_make_each_run_once() {
    let place = ScheduleFixture::new();
    for _ in 0..10 {
        place.add("every 20m", &allow_all()).await;
    }
    let model = || helve_model::from_fn(|_| async { Ok("Done.") });
    let queue = place
        .schedules
        .store()
        .await
        .expect("a store")
        .queue()
        .path()
        .to_owned();
    let other = Schedules::new(
        place.schedules.sessions.clone(),
        WorkQueue::open(&queue).expect("a file"),
        place.schedules.about.clone(),
    );
    let seconds = place.seconds.clone();
    let other = other
        .clock(move || Timestamp::from_second(seconds.load(Ordering::Relaxed)).expect("a time"));
    let agent = Agent::new("main", model()).policy(allow_all());
    let runners = [
        place.runner(model(), allow_all()),
        ScheduleRunner::new(other, [agent], ToolContext::new),
    ];
    for _ in 0..4 {
        place.pass(SignedDuration::from_mins(20));
        let stop = CancellationToken::new();
        let [one, two] = &runners;
        let (one, two) = tokio::join!(one.once(&stop), two.once(&stop));
        assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
    }
    let runs = place.schedules.runs(None).await.expect("runs");
    assert_eq!(runs.len(), 40);
    for run in runs {
        assert_eq!(run.status, RunStatus::Done, "{run:?}");
        let turns = count_turns(&place.schedules.sessions, &run.session).await;
        assert_eq!(turns, 1, "{run:?}");
    }
}

async fn count_turns(sessions: &Sessions, session: &SessionId) -> usize {
    let mut turns = 0;
    let counting = sessions.visit(session, u64::MAX, |line| {
        turns += usize::from(matches!(line.entry, Entry::TurnStarted(_)));
    });
    counting.await.expect("a session");
    turns
}
