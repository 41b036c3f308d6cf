//! Due times of random expressions, beside those of croniter, outside of days on which clocks change.
//!
//! `HELVE_SOAK=500` compares that many expressions over ten years instead of a few over one.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;

use jiff::civil::Date;

use super::super::*;
use super::zone;

pub(super) const ZONES: [&str; 20] = [
    "Europe/Berlin",
    "America/New_York",
    "Asia/Tokyo",
    "UTC",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "Pacific/Auckland",
    "Pacific/Chatham",
    "America/Santiago",
    "Asia/Tehran",
    "Europe/London",
    "America/Los_Angeles",
    "Africa/Cairo",
    "Asia/Gaza",
    "Pacific/Apia",
    "America/Asuncion",
    "Antarctica/Troll",
];

/// Prints the due times of each line `EXPRESSION TAB YEARS`, as minutes of a clock that never changes.
const PROGRAM: &str = r"
import sys, datetime
from croniter import croniter
# All is read before anything is written: neither side waits for the other.
for line in sys.stdin.readlines():
    text, years = line.rstrip('\n').split('\t')
    start = datetime.datetime(2026, 1, 1)
    end = datetime.datetime(2026 + int(years), 1, 1)
    times = croniter(text, start)
    found = []
    while True:
        at = times.get_next(datetime.datetime)
        if at >= end:
            break
        found.append(str(int((at - datetime.datetime(1970, 1, 1)).total_seconds()) // 60))
    print(' '.join(found))
";

/// Random numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    /// Returns a field of an expression: a number, a list, a range, steps, or everything.
    fn field(&mut self, first: u64, last: u64, any: u64) -> String {
        let size = last - first + 1;
        let mut one = || first + self.below(size);
        let (low, high) = (one(), one());
        let (low, high) = (low.min(high), low.max(high));
        let step = 2 + self.below(size / 2);
        match self.below(4 + any) {
            1 if low < high => format!("{low},{high}"),
            2 if low < high => format!("{low}-{high}"),
            3 => format!("*/{step}"),
            0..=3 => low.to_string(),
            _ => "*".to_owned(),
        }
    }

    /// Returns an expression that is due some times a day: the other implementation takes 80 microseconds for each.
    fn expression(&mut self) -> String {
        let (minute, hour) = match self.below(4) {
            0 => (self.field(0, 59, 0), self.below(24).to_string()),
            _ => (self.below(60).to_string(), self.field(0, 23, 0)),
        };
        let month = self.field(1, 12, 6);
        // One of the two, or either day is enough: then both say which.
        let (day, weekday) = match self.below(4) {
            0 => (self.field(1, 28, 0), "*".to_owned()),
            1 => ("*".to_owned(), self.field(0, 6, 0)),
            2 => (
                self.below(28).to_string().replace('0', "1"),
                self.below(7).to_string(),
            ),
            _ => ("*".to_owned(), "*".to_owned()),
        };
        format!("{minute} {hour} {day} {month} {weekday}")
    }
}

#[test]
fn due_times_are_those_of_croniter() {
    let soak: Option<usize> = std::env::var("HELVE_SOAK")
        .ok()
        .and_then(|text| text.parse().ok());
    let (count, years) = soak.map_or((6, 1), |count| (count.min(500), 10));
    let mut random = Random(4_711);
    let expressions: Vec<(String, &str)> = (0..count)
        .map(|number| (random.expression(), ZONES[number % ZONES.len()]))
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let shares = expressions.chunks(count.div_ceil(threads));
    let compared: Option<Vec<(usize, usize)>> = std::thread::scope(|scope| {
        let running: Vec<_> = shares
            .map(|share| scope.spawn(move || compare(share, years)))
            .collect();
        let ended = running
            .into_iter()
            .map(|share| share.join().expect("a share"));
        ended.collect()
    });
    let Some(compared) = compared else {
        println!("python3 with the package croniter is not installed: nothing was compared");
        return;
    };
    let left_out: usize = compared.iter().map(|(_, left_out)| left_out).sum();
    let compared: usize = compared.iter().map(|(compared, _)| compared).sum();
    println!(
        "{count} expressions over {years} years in {} zones: {compared} times agree; {left_out} on days of changes",
        ZONES.len()
    );
    assert!(compared > 1_000, "{compared}");
}

/// Compares the due times of expressions in their zones, and returns how many agree and how many were left out; `None` if
/// croniter is not installed. One process of Python answers for all, and works while our times are made.
fn compare(expressions: &[(String, &str)], years: i16) -> Option<(usize, usize)> {
    let lines = expressions
        .iter()
        .map(|(text, _)| format!("{text}\t{years}\n"));
    let running = start_croniter(lines.collect())?;
    let ours: Vec<BTreeSet<i64>> = expressions
        .iter()
        .map(|(text, name)| local_minutes(text, &zone(name), years))
        .collect();
    let output = running.join().expect("croniter ends")?;
    let (mut compared, mut left_out) = (0, 0);
    for (((text, name), ours), line) in expressions.iter().zip(ours).zip(output.lines()) {
        let changes = days_of_changes(&zone(name), years);
        let theirs = line.split(' ').filter(|minute| !minute.is_empty());
        let theirs = theirs.map(|minute| minute.parse::<i64>().expect("a minute"));
        let theirs: BTreeSet<i64> = theirs.collect();
        let on_change = |minute: &i64| changes.contains(&minute.div_euclid(1_440));
        let mut different = ours.symmetric_difference(&theirs);
        if let Some(minute) = different.find(|minute| !on_change(minute)) {
            let is_ours = ours.contains(minute);
            let by = if is_ours { "helve" } else { "croniter" };
            panic!("{text} in {name}: only {by} has minute {minute}");
        }
        let (out, same): (Vec<i64>, Vec<i64>) = theirs.iter().partition(|minute| on_change(minute));
        compared += same.len();
        left_out += out.len();
    }
    assert_eq!(output.lines().count(), expressions.len());
    Some((compared, left_out))
}

/// Returns the due times as minutes of the local clock.
fn local_minutes(text: &str, zone: &TimeZone, years: i16) -> BTreeSet<i64> {
    let start = Date::constant(2026, 1, 1)
        .to_zoned(zone.clone())
        .expect("a time")
        .timestamp();
    let end = Date::constant(2026, 1, 1)
        .with()
        .year(2026 + years)
        .build()
        .expect("a date");
    let parsed = ScheduleExpression::parse(text, start, zone).expect(text);
    let next = |after: &Timestamp| parsed.next_after(*after, start, zone);
    let found = std::iter::successors(next(&start), next);
    let local = found.map(|at| at.to_zoned(zone.clone()).datetime());
    let local = local.take_while(|at| at.date() < end);
    local
        .map(|at| days(at.date()) * 1_440 + i64::from(at.hour()) * 60 + i64::from(at.minute()))
        .collect()
}

/// Returns the days since 1970 on which the clock of a zone changes, and the days beside them.
fn days_of_changes(zone: &TimeZone, years: i16) -> BTreeSet<i64> {
    let start = Date::constant(2025, 12, 1)
        .to_zoned(TimeZone::UTC)
        .expect("a time")
        .timestamp();
    let mut changes = BTreeSet::new();
    for change in zone.following(start) {
        let date = change.timestamp().to_zoned(zone.clone()).date();
        if date.year() > 2026 + years {
            break;
        }
        changes.extend([days(date) - 1, days(date)]);
    }
    changes
}

fn days(date: Date) -> i64 {
    let since = date.since(Date::constant(1970, 1, 1)).expect("a span");
    i64::from(since.get_days())
}

/// Starts croniter, and returns the thread that waits for what it prints; `None` if it is not installed.
fn start_croniter(input: String) -> Option<JoinHandle<Option<String>>> {
    let mut child = Command::new("python3")
        .args(["-c", PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let wait = move || {
        // A program that ends at once reads nothing.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().ok()?;
        let text = output.status.success().then_some(output.stdout)?;
        String::from_utf8(text).ok()
    };
    Some(std::thread::spawn(wait))
}
