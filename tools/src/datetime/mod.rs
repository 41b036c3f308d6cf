//! The tool that returns the date and time.

mod clock;
mod zone;

use helve::prelude::*;
use jiff::civil;
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZone;
use jiff::{RoundMode, Timestamp, Unit, Zoned, ZonedRound};

pub use self::clock::{Clock, SystemClock};

/// One moment as the calendar and the clock of a time zone show it.
#[helve::data]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CivilTime {
    /// All of it: `2026-07-14T11:30:00+02:00[Europe/Paris]` (RFC 9557).
    pub datetime: String,
    /// The date: `2026-07-14`.
    pub date: String,
    /// The time of day: `11:30:00`.
    pub time: String,
    /// The day of the week: `Tuesday`.
    pub weekday: String,
    /// The IANA name of the time zone.
    pub timezone: String,
    /// How far the zone is ahead of UTC at that moment: `+02:00`.
    pub utc_offset: String,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub unix_seconds: i64,
}

/// Tells the current date and time in a time zone, or what a given moment is there.
///
/// Use it whenever an answer depends on today's date, the weekday, the time, or the difference between time zones.
#[tool(read_only, title = "Date and time")]
pub fn datetime(
    /// IANA name of the time zone of the answer, such as "Europe/Paris".
    #[arg(default = "UTC")]
    timezone: &str,
    /// Moment to convert instead of now: "2026-07-14T09:30Z" or "2026-07-14T09:30[America/New_York]". Without an offset
    /// or a zone, as in "2026-07-14T09:30", it is a time in `timezone`.
    at: Option<&str>,
    clock: Option<&dyn Clock>,
) -> Result<CivilTime, ToolError> {
    let zone = zone::find(timezone)?;
    let moment = match at {
        Some(at) => parse(at, &zone)?,
        None => Timestamp::try_from(clock.unwrap_or(&SystemClock).now())?.to_zoned(zone),
    };
    describe(&moment)
}

/// Parses a time: with a zone, with an offset, or as a time in `zone`.
fn parse(at: &str, zone: &TimeZone) -> Result<Zoned, ToolError> {
    let parser = DateTimeParser::new();
    if let Ok(moment) = parser.parse_zoned_with(&zone::database(), at) {
        return Ok(moment.with_time_zone(zone.clone()));
    }
    if let Ok(moment) = at.parse::<Timestamp>() {
        return Ok(moment.to_zoned(zone.clone()));
    }
    let moment = at
        .parse::<civil::DateTime>()
        .and_then(|time| time.to_zoned(zone.clone()));
    moment.map_err(|error| {
        ToolError::failed(format!(
            "`at` is not a moment: {error}; write it like `2026-07-14T09:30Z`, `2026-07-14T09:30[America/New_York]` or \
             `2026-07-14T09:30`"
        ))
    })
}

fn describe(moment: &Zoned) -> Result<CivilTime, ToolError> {
    // A model does not need nanoseconds.
    let seconds = ZonedRound::new()
        .smallest(Unit::Second)
        .mode(RoundMode::Trunc);
    let moment = &moment.round(seconds)?;
    Ok(CivilTime {
        datetime: moment.to_string(),
        date: moment.date().to_string(),
        time: moment.time().to_string(),
        weekday: moment.strftime("%A").to_string(),
        timezone: moment.time_zone().iana_name().unwrap_or("UTC").to_owned(),
        utc_offset: moment.strftime("%:z").to_string(),
        unix_seconds: moment.timestamp().as_second(),
    })
}
