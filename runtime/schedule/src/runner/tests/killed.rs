//! Daemons that are killed at any moment, and two beside each other while the clock of the machine jumps.
//!
//! `HELVE_KILLS=1000` makes that many runs due instead of some dozens, and `HELVE_SOAK=168` lets that many hours pass.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use helve_agent::turn::Bounds;
use helve_permission::{Mode, Policy};
use jiff::{SignedDuration, Timestamp};

use super::program::{ledger, schedules, start};
use crate::authority::RunAuthority;
use crate::run::{RunStatus, ScheduledRun};
use crate::schedule::NewSchedule;
use crate::schedules::Schedules;

/// The time between two looks at what another process does.
const POLL: Duration = Duration::from_millis(2);

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
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let daemon = start(folder.path(), &[]);
        wait_for_writes(folder.path(), (random >> 33) % 60).await;
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

/// Waits until a daemon has been seen to write a number of times, or has nothing to write for a second. So it dies at any step
/// of its work, however fast the machine is.
async fn wait_for_writes(folder: &Path, count: u64) {
    let look = || {
        let log = std::fs::metadata(folder.join("state.db-wal")).ok();
        let log = log.map(|log| (log.len(), log.modified().ok()));
        (log, ledger_length(folder))
    };
    let (mut seen, mut last_write, mut last) = (0, Instant::now(), look());
    while seen < count && last_write.elapsed() < Duration::from_secs(1) {
        tokio::time::sleep(POLL).await;
        let now = look();
        if now != last {
            (seen, last_write, last) = (seen + 1, Instant::now(), now);
        }
    }
}

fn ledger_length(folder: &Path) -> u64 {
    std::fs::metadata(ledger(folder)).map_or(0, |ledger| ledger.len())
}

const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/// The clock of daemons, which a test sets.
struct FakeClock {
    folder: PathBuf,
    schedules: Schedules,
    started: Timestamp,
}

impl FakeClock {
    fn new(folder: &Path, schedules: &Schedules) -> Self {
        let clock = Self {
            folder: folder.to_owned(),
            schedules: schedules.clone(),
            started: schedules.now(),
        };
        clock.jump(0);
        clock
    }

    /// Sets the clock to a number of minutes after the time of the machine.
    fn jump(&self, minutes: usize) {
        // A daemon may read the file at any moment.
        let next = self.folder.join("offset.next");
        std::fs::write(&next, format!("+{minutes}m\n")).expect("a file");
        std::fs::rename(&next, self.folder.join("offset")).expect("a file");
    }

    fn start_daemon(&self) -> Child {
        let offset = self.folder.join("offset");
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
        start(&self.folder, &environment)
    }

    /// Waits until a daemon has seen that the clock was set.
    async fn wait_until_seen(&self, minutes: usize) {
        let store = self.schedules.store().await.expect("a store");
        let offset = SignedDuration::from_mins(minutes.try_into().expect("a time"));
        wait_until("a daemon sees the clock", || {
            let last = store.last_alive(Some("/project")).expect("a record");
            let now = self.schedules.now() + offset;
            last.is_some_and(|last| now.duration_since(last).abs() < SignedDuration::from_mins(5))
        })
        .await;
    }
}

/// Waits until something is so.
async fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !is_so() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        tokio::time::sleep(POLL).await;
    }
}

/// Sends a signal to daemons.
fn signal(daemons: &[Child], name: &str) {
    for daemon in daemons {
        let pid = daemon.id().to_string();
        let sent = Command::new("kill").args([name, &pid]).status();
        assert!(sent.is_ok_and(|sent| sent.success()), "{name} {pid}");
    }
}

/// The clock goes forward by an hour each time, and sometimes back by an hour first, as when it is set by hand. Sometimes the
/// machine is suspended in the middle of a run until all leases have ended.
#[tokio::test]
async fn two_daemons_whose_clock_jumps_make_each_run_once() {
    if !Path::new(FAKETIME).exists() {
        println!("libfaketime is not installed: no clock jumped");
        return;
    }
    let hours = number("HELVE_SOAK", 3).min(168);
    let folder = tempfile::tempdir().expect("a folder");
    let schedules = schedules(folder.path());
    for name in ["One", "Two", "Three"] {
        add(&schedules, name, "every 1h").await;
    }
    let clock = FakeClock::new(folder.path(), &schedules);
    let daemons = [clock.start_daemon(), clock.start_daemon()];
    let (mut backwards, mut suspended) = (0, 0);
    for hour in 1..=hours {
        let booked = ledger_length(folder.path());
        clock.jump(60 * hour);
        if hour % 3 == 2 {
            wait_until("a run has begun", || ledger_length(folder.path()) > booked).await;
            signal(&daemons, "-STOP");
            clock.jump(60 * hour + 30);
            signal(&daemons, "-CONT");
            suspended += 1;
        }
        if hour % 3 == 0 {
            clock.wait_until_seen(60 * hour).await;
            clock.jump(60 * (hour - 1));
            clock.wait_until_seen(60 * (hour - 1)).await;
            clock.jump(60 * hour);
            backwards += 1;
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
                run.planned.duration_since(clock.started).as_hours(),
            )
        })
        .collect();
    assert_eq!(planned.len(), 3 * hours);
    println!(
        "two daemons, {hours} hours, {backwards} times backwards, {suspended} times suspended: {} runs, each made once; \
         {interrupted} interrupted",
        runs.len()
    );
}

/// Waits until a number of runs have been made and are over.
async fn wait_for_runs(schedules: &Schedules, count: usize) {
    let store = schedules.store().await.expect("a store");
    wait_until("the runs are over", || {
        let runs = store.runs("").expect("runs");
        let over = runs.iter().filter(|run| run.value.status.is_over());
        over.count() >= count
    })
    .await;
}
