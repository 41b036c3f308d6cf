//! Timestamps in the format of RFC 3339.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A point in time with millisecond precision, in UTC, formatted as in RFC 3339.
///
/// ```
/// use helve::transcript::Timestamp;
///
/// let moment = Timestamp::from_millis(1_795_339_800_250);
/// assert_eq!(moment.to_string(), "2026-11-22T09:30:00.250Z");
/// assert_eq!("2026-11-22T09:30:00.250Z".parse(), Ok(moment));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

/// The last millisecond of the year 9999, the limit of the format.
const MAX_MILLIS: u64 = 253_402_300_799_999;

impl Timestamp {
    /// Returns the current time of the system clock.
    #[must_use]
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// Creates a timestamp from the milliseconds since 1970.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(if millis < MAX_MILLIS {
            millis
        } else {
            MAX_MILLIS
        })
    }

    /// Returns the milliseconds since 1970.
    #[must_use]
    pub const fn millis(self) -> u64 {
        self.0
    }

    /// Returns the duration from another timestamp to this one; zero if this one is earlier.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        // A clock before 1970 is invalid.
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::from_millis(u64::try_from(since.as_millis()).unwrap_or(MAX_MILLIS))
    }
}

/// The number of days in 400 Gregorian years, after which the calendar repeats.
const DAYS_PER_CYCLE: u64 = 146_097;

/// Converts days since 1970 to year, month and day. In this function, years begin in March, so that the leap day is
/// the last.
fn civil_date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (cycle, day) = (days / DAYS_PER_CYCLE, days % DAYS_PER_CYCLE);
    let year = (day - day / 1_460 + day / 36_524 - day / (DAYS_PER_CYCLE - 1)) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, after) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (cycle * 400 + year + after, month, of_month)
}

/// Converts year, month and day to days since 1970.
fn days_since_epoch(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = year.checked_sub(u64::from(month <= 2))?;
    let (cycle, of_cycle) = (year / 400, year % 400);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * shifted + 2) / 5 + day.checked_sub(1)?;
    let day = of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year;
    (cycle * DAYS_PER_CYCLE + day).checked_sub(719_468)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.0 / 1_000, self.0 % 1_000);
        let (year, month, day) = civil_date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"
        )
    }
}

/// The text is not a [`Timestamp`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid timestamp `{0}`; expected a value like `2026-11-22T09:30:00.000Z`")]
pub struct InvalidTimestamp(String);

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        parse_timestamp(text).ok_or_else(|| InvalidTimestamp(text.to_owned()))
    }
}

/// The positions of the digits in `2026-11-22T09:30:00.000Z`.
const FIELDS: [(usize, usize); 7] = [
    (0, 4),
    (5, 7),
    (8, 10),
    (11, 13),
    (14, 16),
    (17, 19),
    (20, 23),
];

fn parse_timestamp(text: &str) -> Option<Timestamp> {
    let mut fields = [0_u64; 7];
    for (field, (from, to)) in fields.iter_mut().zip(FIELDS) {
        *field = text.get(from..to)?.parse().ok()?;
    }
    let [year, month, day, hour, minute, second, millis] = fields;
    if !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds =
        days_since_epoch(year, month, day)? * 86_400 + hour * 3_600 + minute * 60 + second;
    let moment = Timestamp::from_millis(seconds * 1_000 + millis);
    // Each timestamp has one spelling; this check also refuses the 31st of February.
    (moment.to_string() == text).then_some(moment)
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(TimestampVisitor)
    }
}

/// Visits the text without copying it.
struct TimestampVisitor;

impl Visitor<'_> for TimestampVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a timestamp such as 2026-11-22T09:30:00.000Z")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_eight_hundred_years_reads_back() {
        for day in 0..292_194 {
            let (year, month, of_month) = civil_date(day);
            assert_eq!(days_since_epoch(year, month, of_month), Some(day));
            let moment = Timestamp::from_millis(day * 86_400_000 + 86_399_999);
            assert_eq!(moment.to_string().parse(), Ok(moment));
        }
    }

    #[test]
    fn known_days_have_their_names() {
        let shown = |seconds: u64| Timestamp::from_millis(seconds * 1_000).to_string();
        assert_eq!(shown(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(shown(951_782_400), "2000-02-29T00:00:00.000Z");
        assert_eq!(shown(4_107_542_399), "2100-02-28T23:59:59.000Z");
        assert_eq!(shown(4_107_542_400), "2100-03-01T00:00:00.000Z");
        assert_eq!(
            Timestamp::from_millis(u64::MAX).to_string(),
            "9999-12-31T23:59:59.999Z"
        );
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "2026-02-30T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-00-01T00:00:00.000Z",
            "2026-01-00T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00.000z",
            "+026-01-01T00:00:00.000Z",
            "1969-12-31T00:00:00.000Z",
            "0000-01-01T00:00:00.000Z",
            "äää",
        ] {
            assert_eq!(
                text.parse::<Timestamp>(),
                Err(InvalidTimestamp(text.to_owned()))
            );
        }
    }
}
