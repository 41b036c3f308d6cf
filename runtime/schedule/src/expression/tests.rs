//! Tests of schedule expressions; those against the reference vectors and another implementation are below.

mod clock_changes;
mod croniter;
mod vectors;

use jiff::tz::TimeZone;

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect("a zone")
}

/// Parses an expression on a Saturday in Berlin.
fn parse(text: &str) -> Result<ScheduleExpression, InvalidExpression> {
    ScheduleExpression::parse(text, at("2026-11-28T10:00:00Z"), &zone("Europe/Berlin"))
}

/// Renders the first times of an expression after a local time.
fn times(text: &str, zone_name: &str, from: &str, count: usize) -> String {
    let zone = zone(zone_name);
    let from: Timestamp = from
        .parse::<DateTime>()
        .and_then(|local| zone.to_zoned(local))
        .expect("a local time")
        .timestamp();
    let parsed = ScheduleExpression::parse(text, from, &zone).expect(text);
    let next = |after: &Timestamp| parsed.next_after(*after, from, &zone);
    let found = std::iter::successors(next(&from), next).take(count);
    let shown = found.map(|at| {
        at.to_zoned(zone.clone())
            .strftime("%d %H:%M%:z")
            .to_string()
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[test]
fn an_expression_is_cron_an_interval_a_delay_or_a_time() {
    let shown: Vec<String> = [
        "0 9 * * 1-5",
        "cron 0 9 * * MON-FRI",
        "@daily",
        "every 2h",
        "every 90 minutes",
        "every day",
        "in 30m",
        "30m",
        "2026-12-01T09:00",
        "at 2026-12-01 09:00",
        "2026-12-01T09:00:00Z",
        "2026-12-01T09:00:00+09:00[Asia/Tokyo]",
    ]
    .map(|text| format!("{text} -> {}", parse(text).expect(text)))
    .into();
    insta::assert_snapshot!(shown.join("\n"), @"
    0 9 * * 1-5 -> cron 0 9 * * 1-5
    cron 0 9 * * MON-FRI -> cron 0 9 * * mon-fri
    @daily -> cron @daily
    every 2h -> every 2h
    every 90 minutes -> every 1h30m
    every day -> every 1d
    in 30m -> at 2026-11-28T10:30:00Z
    30m -> at 2026-11-28T10:30:00Z
    2026-12-01T09:00 -> at 2026-12-01T08:00:00Z
    at 2026-12-01 09:00 -> at 2026-12-01T08:00:00Z
    2026-12-01T09:00:00Z -> at 2026-12-01T09:00:00Z
    2026-12-01T09:00:00+09:00[Asia/Tokyo] -> at 2026-12-01T00:00:00Z
    ");
}

#[test]
fn what_is_no_schedule_says_why() {
    let shown: Vec<String> = [
        "",
        "soon",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "*/0 * * * *",
        "5-1 * * * *",
        "0 9 * * FRI-MON",
        "0 0 30 2 *",
        "every 59s",
        "every banana",
        "every",
        "in 0m",
        "2020-01-01T00:00",
        "9999-12-31T23:59",
        "2026-13-01T00:00",
    ]
    .map(|text| match parse(text) {
        Ok(parsed) => format!("{text}: {parsed}"),
        Err(error) => format!("{text}: {}", error.reason),
    })
    .into();
    insta::assert_snapshot!(shown.join("\n"), @"
    : it is no time, no delay and no interval
    soon: it is no time, no delay and no interval
    * * * *: a cron expression has five fields (minute, hour, day, month, day of the week), not 4
    * * * * * *: a cron expression has five fields (minute, hour, day, month, day of the week), not 6
    60 * * * *: a number is out of its range: minute 0-59, hour 0-23, day 1-31, month 1-12, day of the week 0-7
    */0 * * * *: step cannot be zero
    5-1 * * * *: range out of bounds
    0 9 * * FRI-MON: range out of bounds
    0 0 30 2 *: no day matches it
    every 59s: the shortest interval is a minute
    every banana: `banana` is no length of time, and days are written as in the first of these
    every: it is no time, no delay and no interval
    in 0m: it is no time, no delay and no interval
    2020-01-01T00:00: this time is over
    9999-12-31T23:59: it is no time, no delay and no interval
    2026-13-01T00:00: it is no time, no delay and no interval
    ");
    assert!(parse(&"*,".repeat(200)).is_err());
    assert!(parse(&"every ".repeat(1000)).is_err());
}

/// What runs on days on which clocks change, which programs do not agree about.
#[test]
fn times_on_days_on_which_clocks_change() {
    let rows = [
        (
            "a fixed time in the gap",
            "30 2 * * *",
            "Europe/Berlin",
            "2026-03-28T12:00",
            2,
        ),
        (
            "several in the gap",
            "*/20 2 * * *",
            "Europe/Berlin",
            "2026-03-28T12:00",
            4,
        ),
        (
            "across the gap",
            "0 * * * *",
            "Europe/Berlin",
            "2026-03-29T00:30",
            3,
        ),
        (
            "a fixed time that comes twice",
            "30 2 * * *",
            "Europe/Berlin",
            "2026-10-24T12:00",
            2,
        ),
        (
            "several that come twice",
            "*/20 2 * * *",
            "Europe/Berlin",
            "2026-10-24T12:00",
            7,
        ),
        (
            "across the fold",
            "0 * * * *",
            "Europe/Berlin",
            "2026-10-25T00:30",
            5,
        ),
        (
            "a gap at midnight",
            "0 0 * * *",
            "America/Santiago",
            "2026-09-05T12:00",
            2,
        ),
        (
            "half an hour",
            "15 2 * * *",
            "Australia/Lord_Howe",
            "2026-10-03T12:00",
            2,
        ),
        (
            "an interval",
            "every 6h",
            "Europe/Berlin",
            "2026-10-24T22:00",
            3,
        ),
        (
            "a day that does not exist",
            "0 9 30 * *",
            "Pacific/Apia",
            "2011-12-01T00:00",
            2,
        ),
    ];
    let shown = rows.map(|(what, text, zone, from, count)| {
        format!(
            "{what}: {text} in {zone}: {}",
            times(text, zone, from, count)
        )
    });
    insta::assert_snapshot!(shown.join("\n"), @"
    a fixed time in the gap: 30 2 * * * in Europe/Berlin: 29 03:00+02:00, 30 02:30+02:00
    several in the gap: */20 2 * * * in Europe/Berlin: 30 02:00+02:00, 30 02:20+02:00, 30 02:40+02:00, 31 02:00+02:00
    across the gap: 0 * * * * in Europe/Berlin: 29 01:00+01:00, 29 03:00+02:00, 29 04:00+02:00
    a fixed time that comes twice: 30 2 * * * in Europe/Berlin: 25 02:30+02:00, 26 02:30+01:00
    several that come twice: */20 2 * * * in Europe/Berlin: 25 02:00+02:00, 25 02:20+02:00, 25 02:40+02:00, 25 02:00+01:00, 25 02:20+01:00, 25 02:40+01:00, 26 02:00+01:00
    across the fold: 0 * * * * in Europe/Berlin: 25 01:00+02:00, 25 02:00+02:00, 25 02:00+01:00, 25 03:00+01:00, 25 04:00+01:00
    a gap at midnight: 0 0 * * * in America/Santiago: 06 01:00-03:00, 07 00:00-03:00
    half an hour: 15 2 * * * in Australia/Lord_Howe: 04 02:30+11:00, 05 02:15+11:00
    an interval: every 6h in Europe/Berlin: 25 03:00+01:00, 25 09:00+01:00, 25 15:00+01:00
    a day that does not exist: 0 9 30 * * in Pacific/Apia: 30 09:00+14:00, 30 09:00+14:00
    ");
}

#[test]
fn intervals_count_from_the_beginning_whenever_they_are_asked_about() {
    let (created, utc) = (at("2026-11-28T10:00:07Z"), TimeZone::UTC);
    let every = parse("every 2h").expect("an interval");
    for (after, next) in [
        ("2026-11-28T09:00:00Z", "2026-11-28T12:00:07Z"),
        ("2026-11-28T10:00:07Z", "2026-11-28T12:00:07Z"),
        ("2026-11-28T12:00:07Z", "2026-11-28T14:00:07Z"),
        ("2026-12-28T11:59:00Z", "2026-12-28T12:00:07Z"),
    ] {
        assert_eq!(
            every.next_after(at(after), created, &utc),
            Some(at(next)),
            "{after}"
        );
    }
    let before = every.previous_before(at("2026-11-28T14:00:07Z"), created, &utc);
    assert_eq!(before, Some(at("2026-11-28T12:00:07Z")));
    assert_eq!(
        every.previous_before(at("2026-11-28T12:00:07Z"), created, &utc),
        None
    );
}

#[test]
fn what_is_stored_is_read_again() {
    for text in [
        "0 9 * * 1-5",
        "@weekly",
        "every 1h30m",
        "in 45s",
        "2099-02-28T23:00",
    ] {
        let parsed = parse(text).expect(text);
        let stored = serde_json::to_string(&parsed).expect("JSON");
        let read: ScheduleExpression = serde_json::from_str(&stored).expect(&stored);
        assert_eq!(read, parsed);
    }
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_much(text in ".{0,60}") {
        if let Ok(parsed) = parse(&text) {
            let again: ScheduleExpression = parsed.to_string().parse().expect("what was written");
            proptest::prop_assert_eq!(again, parsed);
        }
    }

    #[test]
    fn almost_cron_is_not_too_much(text in "[0-9*/,LW#-]{1,6}( [0-9*/,LW#A-F-]{1,6}){4}") {
        let _ = parse(&text);
    }
}
