//! Tests of what is due.

use helve_permission::{Mode, Policy};
use proptest::prelude::*;

use super::*;
use crate::authority::RunAuthority;
use crate::schedule::NewSchedule;

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

/// Makes a schedule on the morning of 2026-11-28.
fn schedule(when: &str, change: impl FnOnce(&mut NewSchedule)) -> Schedule {
    let mut new = NewSchedule::new("Test", "Do it.", when);
    new.time_zone = Some("UTC".to_owned());
    change(&mut new);
    let bounds = helve_agent::turn::Bounds::new(10);
    let authority = RunAuthority::of_person("main", &Policy::new(Mode::Default), bounds);
    let about = helve_agent::session::SessionMetadata::new("test");
    crate::schedules::new_schedule(&new, &about, authority, at("2026-11-28T08:30:00Z"))
        .expect("a schedule")
}

/// Renders a plan in a line.
fn plan(schedule: &Schedule, now: &str, open_runs: usize) -> String {
    let Some(plan) = schedule.plan(at(now), open_runs) else {
        return "nothing".to_owned();
    };
    let time = |at: &Timestamp| at.strftime("%d %H:%M").to_string();
    let runs: Vec<String> = plan.runs.iter().map(time).collect();
    let skipped = plan
        .skipped
        .map_or_else(String::new, |(latest, reason, count)| {
            format!("; skips {count} up to {}: {reason}", time(&latest))
        });
    let next = plan.next.as_ref().map_or_else(|| "never".to_owned(), time);
    format!("runs [{}]{skipped}; next {next}", runs.join(", "))
}

#[test]
fn what_is_due_runs_and_what_was_missed_is_made_up_for_as_the_schedule_says() {
    use MissedRuns::{All, Once, Skip};
    let mut shown = Vec::new();
    for now in [
        "2026-11-28T08:59:59Z",
        "2026-11-28T09:00:00Z",
        "2026-11-28T09:04:00Z",
        "2026-11-28T12:30:00Z",
        "2026-11-29T12:00:30Z",
    ] {
        for missed in [Once, Skip, All] {
            let hourly = schedule("0 * * * *", |new| new.missed = missed);
            shown.push(format!("{now} {missed:?}: {}", plan(&hourly, now, 0)));
        }
    }
    insta::assert_snapshot!(shown.join("\n"), @"
    2026-11-28T08:59:59Z Once: nothing
    2026-11-28T08:59:59Z Skip: nothing
    2026-11-28T08:59:59Z All: nothing
    2026-11-28T09:00:00Z Once: runs [28 09:00]; next 28 10:00
    2026-11-28T09:00:00Z Skip: runs [28 09:00]; next 28 10:00
    2026-11-28T09:00:00Z All: runs [28 09:00]; next 28 10:00
    2026-11-28T09:04:00Z Once: runs [28 09:00]; next 28 10:00
    2026-11-28T09:04:00Z Skip: runs [28 09:00]; next 28 10:00
    2026-11-28T09:04:00Z All: runs [28 09:00]; next 28 10:00
    2026-11-28T12:30:00Z Once: runs [28 12:00]; skips 3 up to 28 11:00: missed; next 28 13:00
    2026-11-28T12:30:00Z Skip: runs []; skips 4 up to 28 12:00: missed; next 28 13:00
    2026-11-28T12:30:00Z All: runs [28 09:00, 28 10:00, 28 11:00, 28 12:00]; next 28 13:00
    2026-11-29T12:00:30Z Once: runs [29 12:00]; skips 27 up to 29 11:00: missed; next 29 13:00
    2026-11-29T12:00:30Z Skip: runs [29 12:00]; skips 27 up to 29 11:00: missed; next 29 13:00
    2026-11-29T12:00:30Z All: runs [29 03:00, 29 04:00, 29 05:00, 29 06:00, 29 07:00, 29 08:00, 29 09:00, 29 10:00, 29 11:00, 29 12:00]; skips 18 up to 28 09:00: missed; next 29 13:00
    ");
}

#[test]
fn a_run_that_is_not_over_is_not_overtaken() {
    use OverlappingRuns::{Queue, Skip};
    let mut shown = Vec::new();
    for overlap in [Skip, Queue] {
        let hourly = schedule("0 * * * *", |new| new.overlap = overlap);
        for open in [0, 1, 2] {
            let planned = plan(&hourly, "2026-11-28T09:00:00Z", open);
            shown.push(format!("{overlap:?}, {open} open: {planned}"));
        }
    }
    insta::assert_snapshot!(shown.join("\n"), @"
    Skip, 0 open: runs [28 09:00]; next 28 10:00
    Skip, 1 open: runs []; skips 1 up to 28 09:00: the run before was not over; next 28 10:00
    Skip, 2 open: runs []; skips 1 up to 28 09:00: the run before was not over; next 28 10:00
    Queue, 0 open: runs [28 09:00]; next 28 10:00
    Queue, 1 open: runs [28 09:00]; next 28 10:00
    Queue, 2 open: runs []; skips 1 up to 28 09:00: the run before was not over; next 28 10:00
    ");
}

#[test]
fn a_schedule_ends_after_its_last_run() {
    let twice = schedule("0 * * * *", |new| new.max_runs = Some(2));
    let begun = Schedule {
        runs: 1,
        ..twice.clone()
    };
    let until = schedule("0 * * * *", |new| {
        new.until = Some("2026-11-28T10:15".to_owned())
    });
    let once = schedule("in 30m", |_| ());
    let catching_up = schedule("0 * * * *", |new| {
        new.max_runs = Some(2);
        new.missed = MissedRuns::All;
    });
    let shown = [
        ("first of two", plan(&twice, "2026-11-28T09:00:00Z", 0)),
        ("second of two", plan(&begun, "2026-11-28T09:00:00Z", 0)),
        (
            "until a quarter past ten",
            plan(&until, "2026-11-28T10:00:00Z", 0),
        ),
        ("later", plan(&until, "2026-11-28T22:00:00Z", 0)),
        ("once", plan(&once, "2026-11-28T09:00:00Z", 0)),
        ("once, late", plan(&once, "2027-11-28T09:00:00Z", 0)),
        (
            "two to make up for",
            plan(&catching_up, "2026-11-28T22:00:00Z", 0),
        ),
    ]
    .map(|(what, planned)| format!("{what}: {planned}"));
    insta::assert_snapshot!(shown.join("\n"), @"
    first of two: runs [28 09:00]; next 28 10:00
    second of two: runs [28 09:00]; next never
    until a quarter past ten: runs [28 10:00]; skips 1 up to 28 09:00: missed; next never
    later: runs [28 10:00]; skips 1 up to 28 09:00: missed; next never
    once: runs [28 09:00]; next never
    once, late: runs [28 09:00]; next never
    two to make up for: runs [28 13:00, 28 14:00]; skips 12 up to 28 22:00: missed; next never
    ");
}

#[test]
fn years_of_missed_minutes_take_no_time() {
    let began = std::time::Instant::now();
    for missed in [MissedRuns::Once, MissedRuns::All] {
        for when in ["* * * * *", "every 1m"] {
            let every = schedule(when, |new| new.missed = missed);
            let planned = every.plan(at("2036-11-28T08:30:00Z"), 0).expect("a plan");
            assert_eq!(planned.runs.last(), Some(&at("2036-11-28T08:30:00Z")));
            assert!(planned.runs.len() <= MAX_CATCH_UP);
            assert_eq!(planned.next, Some(at("2036-11-28T08:31:00Z")));
        }
    }
    assert!(
        began.elapsed() < std::time::Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn a_clock_that_was_ahead_does_not_silence_a_schedule() {
    let mut hourly = schedule("0 * * * *", |_| ());
    let ahead = hourly.plan(at("2030-01-01T00:00:10Z"), 0).expect("a plan");
    hourly.next = ahead.next;
    let back = plan(&hourly, "2026-11-28T08:40:00Z", 0);
    assert_eq!(back, "runs []; next 28 09:00");
}

#[test]
fn jitter_is_a_tenth_of_the_interval_at_most_and_the_same_everywhere() {
    let hourly = schedule("0 * * * *", |new| new.jitter_seconds = 86_400);
    let zone = hourly.zone();
    let delays: Vec<i64> = hourly
        .upcoming(at("2026-11-28T08:30:00Z"), 200)
        .into_iter()
        .map(|planned| hourly.jitter(planned, &zone).as_secs())
        .collect();
    assert!(
        delays.iter().all(|delay| (0..=360).contains(delay)),
        "{delays:?}"
    );
    let different: std::collections::BTreeSet<&i64> = delays.iter().collect();
    assert!(different.len() > 50, "{delays:?}");
    let planned = at("2026-11-28T09:00:00Z");
    let delay = hourly.jitter(planned, &zone);
    let before = planned
        .checked_add(delay - SignedDuration::from_secs(1))
        .expect("a time");
    assert_eq!(hourly.plan(before, 0), None);
    let due = planned.checked_add(delay).expect("a time");
    assert_eq!(
        hourly.plan(due, 0).map(|plan| plan.runs),
        Some(vec![planned])
    );
}

#[test]
fn a_run_that_jitter_delays_is_not_missed() {
    let daily = schedule("0 9 * * *", |new| {
        new.jitter_seconds = 3_600;
        new.missed = MissedRuns::Skip;
    });
    let zone = daily.zone();
    let seconds = SignedDuration::from_secs;
    for planned in daily.upcoming(at("2026-11-28T08:30:00Z"), 30) {
        let due = planned + daily.jitter(planned, &zone);
        let next = Schedule {
            next: Some(planned),
            ..daily.clone()
        };
        let runs = |late: i64| next.plan(due + seconds(late), 0).expect("a plan").runs;
        assert_eq!(runs(1), [planned]);
        assert!(runs(301).is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However often and whenever a schedule is looked at, its runs are planned times, in their order, each once, and none
    /// comes before it is due.
    #[test]
    fn runs_are_planned_times_each_once(
        which in 0..5_usize,
        missed in prop_oneof![Just(MissedRuns::Once), Just(MissedRuns::Skip), Just(MissedRuns::All)],
        looks in prop::collection::vec((0..100_000_i64, 0..3_usize), 1..15),
    ) {
        let when = ["0 * * * *", "*/7 3-5 * * *", "every 90m", "@daily", "in 2h"][which];
        let mut value = schedule(when, |new| {
            new.missed = missed;
            new.time_zone = Some("Europe/Berlin".to_owned());
        });
        let (mut now, mut made) = (value.created, Vec::<Timestamp>::new());
        for (passed, open) in looks {
            now = now.checked_add(SignedDuration::from_secs(passed)).expect("a time");
            let Some(plan) = value.plan(now, open) else { continue };
            prop_assert!(plan.next.is_none_or(|next| next > now));
            made.extend(&plan.runs);
            value.next = plan.next;
            if value.next.is_none() {
                value.status = ScheduleStatus::Ended;
            }
            prop_assert!(made.iter().all(|at| *at <= now));
        }
        prop_assert!(made.is_sorted_by(|one, other| one < other), "{made:?}");
        // Each is the next time after the moment before.
        for at in made {
            let before = at.checked_sub(SignedDuration::from_secs(1)).expect("a time");
            prop_assert_eq!(value.next_after(before, &value.zone()), Some(at));
        }
    }
}
