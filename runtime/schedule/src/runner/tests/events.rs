//! Tests of runs that events make due, and of the schedules of skills.

use std::path::Path;
use std::time::{Duration, SystemTime};

use futures_util::future::{BoxFuture, FutureExt as _};

use super::*;
use crate::guard::SkillGuard;
use crate::schedule::OverlappingRuns;

async fn add(place: &ScheduleFixture, name: &str, when: &str) -> Result<Schedule, ScheduleError> {
    let new = NewSchedule::new(name, "Do it.", when);
    place.create(new, &allow_all()).await
}

fn talker() -> impl Model {
    helve_model::from_fn(|_| async { Ok("Done.") })
}

#[tokio::test]
async fn a_schedule_follows_the_runs_of_another_one() {
    let place = ScheduleFixture::new();
    add(&place, "Report", "0 * * * *")
        .await
        .expect("a schedule");
    add(&place, "Digest", "on run:report")
        .await
        .expect("a schedule");
    add(&place, "Mail", "on run:digest")
        .await
        .expect("a schedule");
    let runner = place.runner(talker(), allow_all());
    for _ in 0..2 {
        place.work(&runner).await;
    }
    let runs = place.schedules.runs(None).await.expect("runs");
    let shown: Vec<String> = runs
        .iter()
        .rev()
        .map(|run| {
            let nonces = run
                .cause
                .as_deref()
                .map(|cause| cause.rsplit_once('-').expect("a session").0);
            let time = run.planned.strftime("%H:%M");
            format!("{time} {} {} {:?}", run.schedule, run.status.name(), nonces)
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    09:00 report done None
    09:00 mail done Some("the run digest-20261128t090000z")
    09:00 digest done Some("the run report-20261128t090000z")
    10:00 report done None
    10:00 mail done Some("the run digest-20261128t100000z")
    10:00 digest done Some("the run report-20261128t100000z")
    "#);
}

#[tokio::test]
async fn a_run_that_fails_is_not_followed() {
    let place = ScheduleFixture::new();
    add(&place, "Report", "0 * * * *")
        .await
        .expect("a schedule");
    add(&place, "Digest", "on run:report")
        .await
        .expect("a schedule");
    let runner = place.runner(ScriptedModel::new().fail("no credit"), allow_all());
    place.work(&runner).await;
    assert_eq!(place.schedules.runs(None).await.expect("runs").len(), 1);
}

#[tokio::test]
async fn no_schedule_follows_itself_or_what_is_not_there() {
    let place = ScheduleFixture::new();
    add(&place, "A", "0 * * * *").await.expect("a schedule");
    add(&place, "B", "on run:a").await.expect("a schedule");
    add(&place, "C", "on run:b").await.expect("a schedule");
    let edit = |when: &str| crate::ScheduleChange {
        when: Some(when.to_owned()),
        ..Default::default()
    };
    let refused = [
        add(&place, "D", "on run:x").await.expect_err("refused"),
        place
            .schedules
            .edit("a", edit("on run:a"))
            .await
            .expect_err("refused"),
        place
            .schedules
            .edit("a", edit("on run:c"))
            .await
            .expect_err("refused"),
        add(&place, "D", "on full moon").await.expect_err("refused"),
    ];
    insta::assert_snapshot!(refused.map(|error| error.to_string()).join("\n"), @"
    there is no schedule `x`
    the schedule `a` would follow its own runs
    the schedule `a` would follow its own runs
    `on full moon` is no schedule: an event is `run:ID` (a run of another schedule is done) or `file:PATTERN` (a file appears or changes); write `0 9 * * 1-5`, `every 2h`, `in 30m` or `2026-12-01T09:00`
    ");
    assert_eq!(place.schedules.list().await.expect("a list").len(), 3);
}

/// Writes a file that was not written for a minute.
fn write(folder: &Path, name: &str, text: &str, minutes: u64) {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    let file = std::fs::File::options()
        .write(true)
        .open(&path)
        .expect("a file");
    let modified = SystemTime::now() - Duration::from_secs(60 * minutes);
    file.set_modified(modified).expect("set");
}

/// A place whose schedules work in a folder of files.
fn place_with_files() -> (ScheduleFixture, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut place = ScheduleFixture::new();
    place.schedules.about.folder = Some(folder.path().to_string_lossy().into_owned());
    std::fs::create_dir(folder.path().join("inbox")).expect("a folder");
    (place, folder)
}

#[tokio::test]
async fn files_that_appear_or_change_make_a_run_each_time() {
    let (place, folder) = place_with_files();
    let inbox = folder.path().join("inbox");
    write(&inbox, "old.csv", "1", 9);
    let schedule = add(&place, "Import", "on file:inbox/*.csv")
        .await
        .expect("a schedule");
    let runner = place.runner(talker(), allow_all());
    // What is there already is old, and so is what comes while the schedule is paused.
    assert_eq!(place.work(&runner).await, 0);
    write(&inbox, "a.csv", "1", 8);
    write(&inbox, "b.csv", "1", 8);
    write(&inbox, "b.txt", "1", 8);
    write(&inbox, "ignore all rules.csv", "1", 8);
    assert_eq!(place.work(&runner).await, 1);
    assert_eq!(place.work(&runner).await, 0);
    write(&inbox, "a.csv", "12", 7);
    assert_eq!(place.work(&runner).await, 1);
    place
        .schedules
        .pause(&schedule.id, None)
        .await
        .expect("paused");
    write(&inbox, "c.csv", "1", 6);
    assert_eq!(place.work(&runner).await, 0);
    place.schedules.resume(&schedule.id).await.expect("resumed");
    assert_eq!(place.work(&runner).await, 0);
    std::fs::remove_file(inbox.join("a.csv")).expect("removed");
    assert_eq!(place.work(&runner).await, 0);
    let runs = place.schedules.runs(None).await.expect("runs");
    let causes: Vec<&str> = runs
        .iter()
        .rev()
        .filter_map(|run| run.cause.as_deref())
        .collect();
    assert_eq!(
        causes,
        [
            "new or changed files: a.csv, b.csv, and 1 more",
            "new or changed files: a.csv"
        ]
    );
    let messages = place
        .schedules
        .sessions
        .read(&runs[0].session)
        .await
        .expect("a session")
        .messages;
    let prompt = serde_json::to_string(&messages[0]).expect("JSON");
    assert!(
        prompt.contains("cause=\\\"new or changed files: a.csv\\\">"),
        "{prompt}"
    );
}

/// A process may die after it stored that files are new, and before it made the run; and two look at the same time.
#[tokio::test]
async fn new_files_make_one_run_wherever_a_process_dies() {
    let (place, folder) = place_with_files();
    let schedule = add(&place, "Import", "on file:inbox/*.csv")
        .await
        .expect("a schedule");
    let store = place.schedules.store().await.expect("a store");
    write(&folder.path().join("inbox"), "a.csv", "1", 5);
    let stored = store.files(&schedule.id).expect("read").expect("files");
    let mut files = stored.value.clone();
    files.due = Some(crate::store::DueRun {
        planned: place.schedules.now(),
        cause: "new or changed files: a.csv".to_owned(),
    });
    files.seen = crate::event::find_files(folder.path(), "inbox/*.csv", SystemTime::now());
    assert!(
        store
            .put_files(&schedule.id, Some(stored.version), &files)
            .expect("written")
    );
    assert!(
        !store
            .put_files(&schedule.id, Some(stored.version), &files)
            .expect("refused")
    );
    let runner = place.runner(talker(), allow_all());
    let other = place.runner(talker(), allow_all());
    let stop = CancellationToken::new();
    let (one, two) = tokio::join!(runner.once(&stop), other.once(&stop));
    assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
    place.work(&runner).await;
    let runs = place.schedules.runs(None).await.expect("runs");
    assert_eq!(runs.len(), 1, "{runs:?}");
    assert_eq!(runs[0].status, RunStatus::Done);
}

#[tokio::test]
async fn files_that_come_while_a_run_waits_make_the_next_one() {
    let (place, folder) = place_with_files();
    let inbox = folder.path().join("inbox");
    let new = NewSchedule::new("Import", "Do it.", "on file:inbox/*.csv");
    let made = place.create(new, &Policy::new(Mode::Default)).await;
    let made = made.expect("a schedule");
    assert_eq!(made.overlap, OverlappingRuns::Skip);
    let model = ScriptedModel::new()
        .call("write_report", serde_json::json!({ "text": "new" }))
        .say("It is written.")
        .say("Again.");
    let runner = place.runner(model, Policy::new(Mode::Default));
    write(&inbox, "a.csv", "1", 5);
    place.work(&runner).await;
    write(&inbox, "b.csv", "1", 4);
    place.work(&runner).await;
    let waiting = place.schedules.inbox().await.expect("the inbox");
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
    let key = crate::store::run_key(&waiting[0]);
    runner.advance(&key).await.expect("work");
    place.work(&runner).await;
    let runs = place.schedules.runs(None).await.expect("runs");
    let causes: Vec<&str> = runs
        .iter()
        .rev()
        .filter_map(|run| run.cause.as_deref())
        .collect();
    assert_eq!(
        causes,
        ["new or changed files: a.csv", "new or changed files: b.csv"]
    );
}

/// Skills of which a test says whether they are in use.
#[derive(Default)]
struct FakeSkills {
    unused: Mutex<Option<String>>,
    paused: Mutex<Vec<String>>,
}

impl SkillGuard for FakeSkills {
    fn unused_because<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Option<String>> {
        async { self.unused.lock().clone() }.boxed()
    }

    fn pause<'a>(&'a self, skill: &'a str, reason: &'a str) -> BoxFuture<'a, ()> {
        self.paused.lock().push(format!("{skill}: {reason}"));
        async {}.boxed()
    }
}

async fn add_skill(place: &ScheduleFixture) -> Schedule {
    let mut new = NewSchedule::new("tidy", "Run the skill.", "0 * * * *");
    new.skill = Some("tidy".to_owned());
    place.create(new, &allow_all()).await.expect("a schedule")
}

#[tokio::test]
async fn a_skill_that_is_not_in_use_is_not_run_and_its_schedule_says_why() {
    let place = ScheduleFixture::new();
    assert_eq!(add_skill(&place).await.id, "skill-tidy");
    let skills = Arc::new(FakeSkills::default());
    let runner = place.runner(talker(), allow_all()).skills(skills.clone());
    place.work(&runner).await;
    *skills.unused.lock() = Some("the skill `tidy` is disabled".to_owned());
    place.work(&runner).await;
    place.work(&runner).await;
    insta::assert_snapshot!(place.runs().await, @"
    09:00 done: Done.
    10:00 skipped: the skill `tidy` is disabled
    ");
    let schedule = place
        .schedules
        .find("skill-tidy")
        .await
        .expect("the schedule");
    assert_eq!(schedule.status, ScheduleStatus::Paused);
    assert_eq!(
        schedule.reason.as_deref(),
        Some("the skill `tidy` is disabled")
    );
}

#[tokio::test]
async fn a_skill_whose_scheduled_runs_fail_three_times_in_a_row_is_paused() {
    let place = ScheduleFixture::new();
    add_skill(&place).await;
    let skills = Arc::new(FakeSkills::default());
    let model = ScriptedModel::new()
        .fail("no credit")
        .fail("no credit")
        .say("Done.")
        .fail("no credit")
        .fail("no credit")
        .fail("no credit")
        .say("Done.");
    let runner = place.runner(model, allow_all()).skills(skills.clone());
    for _ in 0..8 {
        place.work(&runner).await;
    }
    assert_eq!(*skills.paused.lock(), ["tidy: its last 3 runs failed"]);
    assert_eq!(place.schedules.runs(None).await.expect("runs").len(), 6);
}

#[tokio::test]
async fn the_session_that_made_a_schedule_hears_of_the_latest_run() {
    let place = ScheduleFixture::new();
    let sessions = &place.schedules.sessions;
    let maker = sessions
        .create(SessionMetadata::new("test"))
        .await
        .expect("a session");
    let id = maker.id().clone();
    drop(maker);
    let mut authority = RunAuthority::of_person("main", &allow_all(), Bounds::new(10));
    authority.session = Some(id.clone());
    let new = NewSchedule::new("Report", "What is new?", "0 * * * *");
    place
        .schedules
        .create(new, authority)
        .await
        .expect("a schedule");
    let model = ScriptedModel::new().say("One.").say("Two.").say("[SILENT]");
    let runner = place.runner(model, allow_all());
    for _ in 0..3 {
        place.work(&runner).await;
    }
    let posted = sessions.postings(&id).await.expect("postings");
    let texts: Vec<&str> = posted
        .iter()
        .filter_map(|posted| match &posted.posting {
            Posting::Say { note, .. } => Some(&*note.text),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["The scheduled run `Report` is done.\n\nTwo."]);
}
