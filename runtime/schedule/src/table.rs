//! Schedules and runs as text for the user.

use std::collections::BTreeMap;

use helve_untrusted::{columns, visible};
use jiff::Timestamp;

use crate::expression::render_time;
use crate::run::{RunStatus, ScheduledRun};
use crate::schedule::{Schedule, ScheduleStatus};

/// The greatest length of a line of a text, in characters.
const MAX_LINE_CHARS: usize = 100;
/// How many ended runs of a schedule the inbox shows.
const MAX_SHOWN: usize = 3;

/// Renders schedules as a table, a schedule a line.
#[must_use]
pub fn render_schedules(schedules: &[Schedule]) -> String {
    let rows = schedules.iter().map(|schedule| {
        let next = match (schedule.status, schedule.next) {
            (ScheduleStatus::Active, Some(next)) => render_time(next, &schedule.zone()),
            _ => String::new(),
        };
        let status = schedule.status.name().to_owned();
        let when = schedule.when.to_string();
        [
            schedule.id.clone(),
            status,
            next,
            when,
            first_line(&schedule.name),
        ]
    });
    columns(&rows.collect::<Vec<_>>())
}

/// Renders a schedule with its next times and its last runs.
#[must_use]
pub fn render_schedule(schedule: &Schedule, runs: &[ScheduledRun], now: Timestamp) -> String {
    let zone = schedule.zone();
    let mut text = format!("{}\n{}\n\n", schedule.id, first_line(&schedule.name));
    let mut row = |label: &str, value: &str| text.push_str(&format!("{label:11} {value}\n"));
    let reason = schedule.reason.as_deref().map(first_line);
    let status = schedule.status.name();
    match reason {
        Some(reason) => row("status", &format!("{status}: {reason}")),
        None => row("status", status),
    }
    row(
        "when",
        &format!("{} ({})", schedule.when, schedule.time_zone),
    );
    row("", &schedule.when.describe(&zone));
    if schedule.status == ScheduleStatus::Active {
        for (number, at) in schedule.upcoming(now, 3).into_iter().enumerate() {
            row(
                if number == 0 { "next" } else { "" },
                &render_time(at, &zone),
            );
        }
    }
    if let Some(until) = schedule.until {
        row("until", &render_time(until, &zone));
    }
    row("agent", schedule.agent());
    match &schedule.session {
        Some(session) => row("made by", &format!("session {session}")),
        None => row("made by", "a person"),
    }
    if let Some(authority) = &schedule.begin.authority {
        row("mode", authority.mode.name());
    }
    row("runs", &schedule.runs.to_string());
    text.push_str(&format!("\n{}\n", visible(&schedule.prompt)));
    if !runs.is_empty() {
        text.push('\n');
        text.push_str(&render_runs(runs));
    }
    text
}

/// Renders runs as a table, a run a line.
#[must_use]
pub fn render_runs(runs: &[ScheduledRun]) -> String {
    let rows = runs.iter().map(|run| {
        let planned = run.planned.strftime("%Y-%m-%d %H:%M").to_string();
        let said = match (&run.reason, run.silent) {
            (Some(reason), _) => first_line(reason),
            (None, true) => "[SILENT]".to_owned(),
            (None, false) => first_line(&run.text),
        };
        let interrupted = match run.interruptions {
            0 => String::new(),
            1 => "interrupted".to_owned(),
            many => format!("interrupted {many} times"),
        };
        let session = match run.status {
            RunStatus::Skipped => String::new(),
            _ => run.session.to_string(),
        };
        let status = [run.status.name(), &*interrupted].join(" ");
        let status = status.trim_end().to_owned();
        [planned, run.schedule.clone(), status, session, said]
    });
    columns(&rows.collect::<Vec<_>>())
}

/// Renders what a person should learn of, with the commands that show and answer it. Of the runs of a schedule that have
/// ended, the latest three are shown, and the others are counted.
#[must_use]
pub fn render_inbox(runs: &[ScheduledRun], binary: &str) -> String {
    let mut text = String::new();
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs {
        let (id, session) = (&run.schedule, &run.session);
        let said = run.reason.as_deref().unwrap_or(&run.text);
        let said = first_line(said);
        if run.status == RunStatus::Waiting {
            text.push_str(&format!(
                "scheduled run {id} waits: {said}\n  {binary} sessions show {session}\n"
            ));
            continue;
        }
        let count = shown.entry(id).or_default();
        *count += 1;
        if *count > MAX_SHOWN {
            continue;
        }
        text.push_str(&match run.status {
            RunStatus::Failed => {
                format!("scheduled run {id} failed: {said}\n  {binary} sessions show {session}\n")
            }
            _ => format!("scheduled run {id}: {said}\n"),
        });
    }
    for (id, count) in shown.iter().filter(|(_, count)| **count > MAX_SHOWN) {
        let rest = count - MAX_SHOWN;
        let runs = match rest {
            1 => format!("1 earlier run of {id} has"),
            rest => format!("{rest} earlier runs of {id} have"),
        };
        text.push_str(&format!(
            "{runs} something to say\n  {binary} schedule runs {id}\n"
        ));
    }
    text
}

/// Returns the first line of a text without what a terminal would act on.
fn first_line(text: &str) -> String {
    let text = visible(text);
    let line = text.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or_default().trim();
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
