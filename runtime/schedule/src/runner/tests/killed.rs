//! Daemons that are killed at any moment, and two beside each other while the clock of the machine jumps.
//!
//! `HELVE_KILLS=1000` makes that many runs due instead of some dozens, and `HELVE_SOAK=168` lets that many hours pass.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use helve_agent::turn::Bounds;
use helve_permission::{Mode, Policy};

use super::program::{ledger, schedules, start};
use crate::authority::RunAuthority;
use crate::run::{RunStatus, ScheduledRun};
use crate::schedule::NewSchedule;
use crate::schedules::Schedules;

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

async fn add(schedules: &Schedules, name: &str, when: &str) -> String {
    let mut new = NewSchedule::new(name, "Book it.", when);
    new.time_zone = Some("UTC".to_owned());
    let policy = Policy::new(Mode::Bypass);
    let authority = RunAuthority::of_person("main", &policy, Bounds::new(10));
    schedules
        .create(new, authority)
        .await
        .expect("a schedule")
        .id
}

/// Ends a daemon as a crash would.
fn kill(mut daemon: Child) {
    daemon.kill().expect("it runs");
    daemon.wait().expect("it ends");
}

/// Counts the lines of the ledger, by run.
fn booked(folder: &Path) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(ledger(folder)).unwrap_or_default();
    let mut booked = BTreeMap::new();
    for line in text.lines() {
        *booked.entry(line.to_owned()).or_default() += 1;
    }
    booked
}

/// Checks that each run was made once, or says that it was interrupted; returns how many were.
async fn check(folder: &Path, schedules: &Schedules, runs: &[ScheduledRun]) -> usize {
    let mut booked = booked(folder);
    let mut interrupted = 0;
    for run in runs {
        assert_eq!(run.status, RunStatus::Done, "{run:?}");
        let count = booked.remove(run.session.as_str()).unwrap_or_default();
        let read = schedules
            .sessions
            .read(&run.session)
            .await
            .expect("a session");
        let read = serde_json::to_string(&read.messages).expect("JSON");
        let says_so = read.contains("Interrupted while it ran");
        match (count, says_so) {
            (1, false) => {}
            (0 | 1, true) => interrupted += 1,
            _ => panic!("booked {count} times, interrupted: {says_so}: {run:?}"),
        }
    }
    assert!(booked.is_empty(), "{booked:?}");
    interrupted
}

#[tokio::test]
async fn a_daemon_that_is_killed_again_and_again_makes_each_run_once() {
    let count = number("HELVE_KILLS", 24);
    let folder = tempfile::tempdir().expect("a folder");
    let schedules = schedules(folder.path());
    let names = count.min(Schedules::MAX);
    for at in 0..count {
        if at < names {
            add(&schedules, &format!("Due {at}"), "every 1h").await;
        }
        schedules
            .run_now(&format!("due-{}", at % names))
            .await
            .expect("a run");
    }
    let (mut kills, deadline) = (0, Instant::now() + Duration::from_secs(600));
    let mut random = 4_711_u64;
    let runs = loop {
        assert!(Instant::now() < deadline, "the runs are never over");
        let daemon = start(folder.path(), &[]);
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let life = Duration::from_millis(30 + (random >> 33) % 200);
        tokio::time::sleep(life).await;
        kill(daemon);
        kills += 1;
        let runs = schedules.runs(None).await.expect("runs");
        if runs.iter().all(|run| run.status.is_over()) {
            break runs;
        }
    };
    assert_eq!(runs.len(), count);
    let interrupted = check(folder.path(), &schedules, &runs).await;
    println!(
        "{count} due runs, {kills} kills: each was made once; {interrupted} report an interrupted call"
    );
}

const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

#[tokio::test]
async fn two_daemons_whose_clock_jumps_make_each_run_once() {
    if !Path::new(FAKETIME).exists() {
        println!("libfaketime is not installed: no clock jumped");
        return;
    }
    let hours = number("HELVE_SOAK", 3).min(168);
    let folder = tempfile::tempdir().expect("a folder");
    let schedules = schedules(folder.path());
    let started = schedules.now();
    for name in ["One", "Two", "Three"] {
        add(&schedules, name, "every 1h").await;
    }
    let offset = folder.path().join("offset");
    let jump = |hours: usize| {
        // A daemon may read the file at any moment.
        let next = folder.path().join("offset.next");
        std::fs::write(&next, format!("+{hours}h\n")).expect("a file");
        std::fs::rename(&next, &offset).expect("a file");
    };
    jump(0);
    let environment = [
        ("LD_PRELOAD", FAKETIME.to_owned()),
        (
            "FAKETIME_TIMESTAMP_FILE",
            offset.to_string_lossy().into_owned(),
        ),
        ("FAKETIME_NO_CACHE", "1".to_owned()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ("NO_FAKE_STAT", "1".to_owned()),
    ];
    let daemons = [
        start(folder.path(), &environment),
        start(folder.path(), &environment),
    ];
    for hour in 1..=hours {
        jump(hour);
        // The clock goes back once in a while, as when it is set by hand.
        if hour % 5 == 0 {
            jump(hour - 1);
            tokio::time::sleep(Duration::from_millis(50)).await;
            jump(hour);
        }
        wait_for_runs(&schedules, 3 * hour).await;
    }
    daemons.into_iter().for_each(kill);
    let runs = schedules.runs(None).await.expect("runs");
    assert_eq!(runs.len(), 3 * hours, "{runs:?}");
    let interrupted = check(folder.path(), &schedules, &runs).await;
    let planned: std::collections::BTreeSet<_> = runs
        .iter()
        .map(|run| {
            (
                run.schedule.clone(),
                run.planned.duration_since(started).as_hours(),
            )
        })
        .collect();
    assert_eq!(planned.len(), 3 * hours);
    println!(
        "two daemons, {hours} hours: {} runs, each made once; {interrupted} interrupted",
        runs.len()
    );
}

/// Waits until a number of runs have been made and are over.
async fn wait_for_runs(schedules: &Schedules, count: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let runs = schedules.runs(None).await.expect("runs");
        let over = runs.iter().filter(|run| run.status.is_over());
        if over.count() >= count {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "waited for {count} runs in vain: {runs:?}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
