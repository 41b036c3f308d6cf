//! Schedule expressions: when work is due.

use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::cron::CronExpression;
use crate::duration::{parse_seconds, render_seconds};
use crate::error::InvalidExpression;
use crate::event::ScheduleEvent;

/// The shortest interval: a minute.
const MIN_INTERVAL_SECONDS: u64 = 60;

/// When work is due: at times of a cron expression, in equal intervals, once, or after an event.
///
/// ```
/// use helve::schedule::ScheduleExpression;
///
/// let now = "2026-11-28T10:00:00Z".parse()?;
/// let berlin = jiff::tz::TimeZone::get("Europe/Berlin")?;
/// let morning = ScheduleExpression::parse("0 9 * * 1-5", now, &berlin)?;
/// let next = morning.next_after(now, now, &berlin).unwrap();
/// assert_eq!(next.to_string(), "2026-11-30T08:00:00Z");
///
/// let soon = ScheduleExpression::parse("in 30m", now, &berlin)?;
/// assert!(soon.is_once());
/// assert_eq!(soon.to_string(), "at 2026-11-28T10:30:00Z");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleExpression(Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Cron(Box<CronExpression>),
    /// Seconds between two times.
    Every(u64),
    Once(Timestamp),
    On(ScheduleEvent),
}

impl ScheduleExpression {
    /// Parses an expression, which may be relative to `now` and in local time of `zone`:
    ///
    /// - five fields of cron, `0 9 * * 1-5`, also after the word `cron`, or a name such as `@daily`;
    /// - an interval of a minute or more, `every 2h`, `every 1h30m`;
    /// - a delay, `in 30m` or `30m`;
    /// - a time, `2026-12-01T09:00`, with or without an offset or a zone;
    /// - an event, `on run:ID` (a run of another schedule is done) or `on file:inbox/*.csv` (a file below the folder appears
    ///   or changes).
    ///
    /// # Errors
    /// Fails if the text is none of these, if an interval is too short, if no day matches, and if a single time is over.
    pub fn parse(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Self, InvalidExpression> {
        let trimmed = text.trim();
        let lower = trimmed.to_ascii_lowercase();
        if let Some(length) = lower.strip_prefix("every ") {
            return parse_interval(trimmed, length);
        }
        if let Some(cron) = lower.strip_prefix("cron ") {
            return Ok(Self(Kind::Cron(Box::new(CronExpression::parse(cron)?))));
        }
        if lower.starts_with("on ") {
            let event = ScheduleEvent::parse(&trimmed[3..]);
            let event = event.map_err(|reason| InvalidExpression::new(trimmed, reason))?;
            return Ok(Self(Kind::On(event)));
        }
        let delay = lower.strip_prefix("in ").unwrap_or(&lower);
        if let Some(seconds) = parse_seconds(delay) {
            let delay = SignedDuration::from_secs(seconds.cast_signed());
            let at = now.checked_add(delay);
            let at = at.map_err(|error| InvalidExpression::new(trimmed, error.to_string()))?;
            return Ok(Self(Kind::Once(at)));
        }
        let time = lower.strip_prefix("at ").map_or(trimmed, |_| &trimmed[3..]);
        if let Some(at) = parse_time(time.trim(), zone) {
            if at <= now {
                return Err(InvalidExpression::new(trimmed, "this time is over"));
            }
            return Ok(Self(Kind::Once(at)));
        }
        Ok(Self(Kind::Cron(Box::new(CronExpression::parse(trimmed)?))))
    }

    /// Returns whether the work is due once.
    #[must_use]
    pub fn is_once(&self) -> bool {
        matches!(self.0, Kind::Once(_))
    }

    /// Returns whether the work is due after an event, and not at any time.
    #[must_use]
    pub fn is_event(&self) -> bool {
        self.event().is_some()
    }

    pub(crate) fn event(&self) -> Option<&ScheduleEvent> {
        match &self.0 {
            Kind::On(event) => Some(event),
            _ => None,
        }
    }

    /// Returns the first time after `after`, in a zone; an interval counts from `created`. `None` if there is none.
    #[must_use]
    pub fn next_after(
        &self,
        after: Timestamp,
        created: Timestamp,
        zone: &TimeZone,
    ) -> Option<Timestamp> {
        match &self.0 {
            Kind::Cron(cron) => cron.next_after(after, zone),
            Kind::Every(seconds) => {
                let count = intervals(created, after, *seconds);
                nth(created, count.max(0) + 1, *seconds)
            }
            Kind::Once(at) => (*at > after).then_some(*at),
            Kind::On(_) => None,
        }
    }

    /// Returns the last time before `before`, `None` if there is none.
    #[must_use]
    pub fn previous_before(
        &self,
        before: Timestamp,
        created: Timestamp,
        zone: &TimeZone,
    ) -> Option<Timestamp> {
        match &self.0 {
            Kind::Cron(cron) => cron.previous_before(before, zone),
            Kind::Every(seconds) => {
                let just_before = before.checked_sub(SignedDuration::from_nanos(1)).ok()?;
                let count = intervals(created, just_before, *seconds);
                nth(created, count, *seconds).filter(|_| count > 0)
            }
            Kind::Once(at) => (*at < before).then_some(*at),
            Kind::On(_) => None,
        }
    }

    /// Returns the expression in English.
    #[must_use]
    pub fn describe(&self, zone: &TimeZone) -> String {
        match &self.0 {
            Kind::Cron(cron) => cron.describe(),
            Kind::Every(seconds) => format!("Every {}", render_seconds(*seconds)),
            Kind::Once(at) => format!("Once, on {}", render_time(*at, zone)),
            Kind::On(event) => event.describe(),
        }
    }
}

/// Renders a time in a zone, with its offset.
#[must_use]
pub(crate) fn render_time(at: Timestamp, zone: &TimeZone) -> String {
    let at = at.to_zoned(zone.clone());
    at.strftime("%a %Y-%m-%d %H:%M %:z").to_string()
}

fn parse_interval(text: &str, length: &str) -> Result<ScheduleExpression, InvalidExpression> {
    let length = length.trim();
    // `every hour` is `every 1 hour`.
    let seconds = parse_seconds(length).or_else(|| parse_seconds(&format!("1{length}")));
    match seconds {
        None => Err(InvalidExpression::new(
            text,
            format!(
                "`{length}` is no length of time, and days are written as in the first of these"
            ),
        )),
        Some(seconds) if seconds < MIN_INTERVAL_SECONDS => Err(InvalidExpression::new(
            text,
            "the shortest interval is a minute",
        )),
        Some(seconds) => Ok(ScheduleExpression(Kind::Every(seconds))),
    }
}

/// Parses a time with a zone, with an offset, or in local time of `zone`, and drops parts of a second.
fn parse_time(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let at = text
        .parse::<Zoned>()
        .map(|zoned| zoned.timestamp())
        .or_else(|_| text.parse::<Timestamp>())
        .or_else(|_| -> Result<Timestamp, jiff::Error> {
            let local = text.parse::<DateTime>()?;
            let at = zone.to_zoned(local)?;
            // In a gap of the clock, its end stands for the times within, as in cron expressions.
            let end = at.timestamp().checked_add(SignedDuration::from_secs(1))?;
            let change = zone.preceding(end).find(|_| at.datetime() != local);
            Ok(change.map_or(at.timestamp(), |change| change.timestamp()))
        })
        .ok()?;
    Timestamp::from_second(at.as_second()).ok()
}

/// Returns how many whole intervals lie between two times.
fn intervals(from: Timestamp, to: Timestamp, seconds: u64) -> i64 {
    let passed = to.duration_since(from).as_secs();
    passed.div_euclid(seconds.cast_signed().max(1))
}

fn nth(from: Timestamp, count: i64, seconds: u64) -> Option<Timestamp> {
    let passed = seconds.cast_signed().checked_mul(count)?;
    from.checked_add(SignedDuration::from_secs(passed)).ok()
}

/// Writes the form that is stored, which is relative to nothing.
impl fmt::Display for ScheduleExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Cron(cron) => write!(f, "cron {}", cron.as_str()),
            Kind::Every(seconds) => write!(f, "every {}", render_seconds(*seconds)),
            Kind::Once(at) => write!(f, "at {at}"),
            Kind::On(event) => write!(f, "on {event}"),
        }
    }
}

/// Parses the form that is stored.
impl FromStr for ScheduleExpression {
    type Err = InvalidExpression;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(at) = text.strip_prefix("at ")
            && let Ok(at) = at.parse()
        {
            return Ok(Self(Kind::Once(at)));
        }
        Self::parse(text, Timestamp::UNIX_EPOCH, &TimeZone::UTC)
    }
}

impl Serialize for ScheduleExpression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ScheduleExpression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
