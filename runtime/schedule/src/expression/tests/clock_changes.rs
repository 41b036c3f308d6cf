//! The days on which clocks change, in every zone of the comparison with another implementation, which leaves them out.

use jiff::tz::Offset;
use jiff::{SignedDuration, Zoned};

use super::super::*;
use super::croniter::ZONES;
use super::{at, zone};

/// A change of the clock of a zone.
struct Change {
    zone: TimeZone,
    at: Timestamp,
    before: Offset,
    after: Offset,
}

impl Change {
    /// Returns the changes of a zone in 2026.
    fn all(zone: &TimeZone) -> Vec<Self> {
        let (start, end) = (at("2026-01-01T12:00:00Z"), at("2026-12-31T00:00:00Z"));
        let following = zone.following(start).map(|change| change.timestamp());
        let following = following.take_while(|at| *at < end);
        let read = following.map(|at| Self {
            zone: zone.clone(),
            at,
            before: zone.to_offset(at - SignedDuration::from_secs(1)),
            after: zone.to_offset(at),
        });
        // A zone may change its name or its rules, and not its clock.
        read.filter(|change| change.before != change.after)
            .collect()
    }

    /// Returns by how many seconds the clock is set forward.
    fn seconds(&self) -> i64 {
        i64::from(self.after.seconds() - self.before.seconds())
    }

    /// Returns a local time in the middle of what is left out, or of what comes twice.
    fn middle(&self) -> DateTime {
        let half = SignedDuration::from_secs(self.seconds() / 2);
        self.before.to_datetime(self.at + half)
    }

    /// Returns the times of an expression, from twelve hours before the change on.
    fn times(&self, text: &str) -> impl Iterator<Item = Zoned> {
        let start = self.at - SignedDuration::from_hours(12);
        let parsed = ScheduleExpression::parse(text, start, &self.zone).expect(text);
        let zone = self.zone.clone();
        let next = move |after: &Timestamp| parsed.next_after(*after, start, &zone);
        let zone = self.zone.clone();
        std::iter::successors(next(&start), next).map(move |at| at.to_zoned(zone.clone()))
    }
}

#[test]
fn a_fixed_time_is_due_once_where_clocks_change() {
    let mut rows = Vec::new();
    for name in ZONES {
        let zone = zone(name);
        let changes = Change::all(&zone);
        if changes.is_empty() {
            rows.push(format!("{name}: none"));
        }
        for change in changes {
            let middle = change.middle();
            let fixed = format!("{} {} * * *", middle.minute(), middle.hour());
            let due: Vec<Zoned> = change.times(&fixed).take(2).collect();
            // In the gap, the end of the gap stands for it; of two, the first is meant.
            let expected = match change.seconds() > 0 {
                true => change.at,
                false => change.at + SignedDuration::from_secs(change.seconds() / 2),
            };
            assert_eq!(due[0].timestamp(), expected, "{name} {fixed}");
            // So it is with a single time.
            let once = change.times(&middle.to_string()).next().expect(name);
            assert_eq!(once.timestamp(), expected, "{name} {middle}");
            assert_eq!(due[1].datetime(), middle.tomorrow().expect("a day"));
            let end = change.at + SignedDuration::from_hours(12);
            let hourly = change.times("0 * * * *");
            let hourly = hourly.take_while(|at| at.timestamp() <= end).count();
            let show = |at: &Zoned| at.strftime("%d %H:%M%:z").to_string();
            rows.push(format!(
                "{name} {} {:+} min: `{fixed}` {}, {}; {hourly} hours of 24",
                middle.date(),
                change.seconds() / 60,
                show(&due[0]),
                show(&due[1])
            ));
        }
    }
    insta::assert_snapshot!(rows.join("\n"), @"
    Europe/Berlin 2026-03-29 +60 min: `30 2 * * *` 29 03:00+02:00, 30 02:30+02:00; 24 hours of 24
    Europe/Berlin 2026-10-25 -60 min: `30 2 * * *` 25 02:30+02:00, 26 02:30+01:00; 24 hours of 24
    America/New_York 2026-03-08 +60 min: `30 2 * * *` 08 03:00-04:00, 09 02:30-04:00; 24 hours of 24
    America/New_York 2026-11-01 -60 min: `30 1 * * *` 01 01:30-04:00, 02 01:30-05:00; 24 hours of 24
    Asia/Tokyo: none
    UTC: none
    Australia/Lord_Howe 2026-04-05 -30 min: `45 1 * * *` 05 01:45+11:00, 06 01:45+10:30; 23 hours of 24
    Australia/Lord_Howe 2026-10-04 +30 min: `15 2 * * *` 04 02:30+11:00, 05 02:15+11:00; 23 hours of 24
    America/St_Johns 2026-03-08 +60 min: `30 2 * * *` 08 03:00-02:30, 09 02:30-02:30; 24 hours of 24
    America/St_Johns 2026-11-01 -60 min: `30 1 * * *` 01 01:30-02:30, 02 01:30-03:30; 24 hours of 24
    Asia/Kathmandu: none
    Africa/Casablanca 2026-02-15 -60 min: `30 2 * * *` 15 02:30+01:00, 16 02:30+00:00; 24 hours of 24
    Africa/Casablanca 2026-03-22 +60 min: `30 2 * * *` 22 03:00+01:00, 23 02:30+01:00; 24 hours of 24
    Africa/Casablanca 2026-09-20 -60 min: `30 1 * * *` 20 01:30+01:00, 21 01:30+00:00; 24 hours of 24
    America/Sao_Paulo: none
    Pacific/Auckland 2026-04-05 -60 min: `30 2 * * *` 05 02:30+13:00, 06 02:30+12:00; 24 hours of 24
    Pacific/Auckland 2026-09-27 +60 min: `30 2 * * *` 27 03:00+13:00, 28 02:30+13:00; 24 hours of 24
    Pacific/Chatham 2026-04-05 -60 min: `15 3 * * *` 05 03:15+13:45, 06 03:15+12:45; 24 hours of 24
    Pacific/Chatham 2026-09-27 +60 min: `15 3 * * *` 27 03:45+13:45, 28 03:15+13:45; 24 hours of 24
    America/Santiago 2026-04-04 -60 min: `30 23 * * *` 04 23:30-03:00, 05 23:30-04:00; 24 hours of 24
    America/Santiago 2026-09-06 +60 min: `30 0 * * *` 06 01:00-03:00, 07 00:30-03:00; 24 hours of 24
    Asia/Tehran: none
    Europe/London 2026-03-29 +60 min: `30 1 * * *` 29 02:00+01:00, 30 01:30+01:00; 24 hours of 24
    Europe/London 2026-10-25 -60 min: `30 1 * * *` 25 01:30+01:00, 26 01:30+00:00; 24 hours of 24
    America/Los_Angeles 2026-03-08 +60 min: `30 2 * * *` 08 03:00-07:00, 09 02:30-07:00; 24 hours of 24
    America/Los_Angeles 2026-11-01 -60 min: `30 1 * * *` 01 01:30-07:00, 02 01:30-08:00; 24 hours of 24
    Africa/Cairo 2026-04-24 +60 min: `30 0 * * *` 24 01:00+03:00, 25 00:30+03:00; 24 hours of 24
    Africa/Cairo 2026-10-29 -60 min: `30 23 * * *` 29 23:30+03:00, 30 23:30+02:00; 24 hours of 24
    Asia/Gaza 2026-03-28 +60 min: `30 2 * * *` 28 03:00+03:00, 29 02:30+03:00; 24 hours of 24
    Asia/Gaza 2026-10-24 -60 min: `30 1 * * *` 24 01:30+03:00, 25 01:30+02:00; 24 hours of 24
    Pacific/Apia: none
    America/Asuncion: none
    Antarctica/Troll 2026-03-29 +120 min: `0 2 * * *` 29 03:00+02:00, 30 02:00+02:00; 24 hours of 24
    Antarctica/Troll 2026-10-25 -120 min: `0 2 * * *` 25 02:00+02:00, 26 02:00+00:00; 24 hours of 24
    ");
}
