//! Cron expressions of five fields.

use croner::parser::{CronParser, Seconds, Year};
use croner::{Cron, Weekday};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::error::InvalidExpression;

/// How many years ahead a day has to match: the fifth Friday of a February comes once in 40 years at worst.
const YEARS: i16 = 40;
/// How many days in a row a zone may leave out.
const MAX_DAYS_LEFT_OUT: i64 = 31;

/// A cron expression: minute, hour, day of the month, month, day of the week; or a name such as `@daily`.
#[derive(Debug, Clone)]
pub(crate) struct CronExpression {
    text: String,
    cron: Cron,
}

impl PartialEq for CronExpression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for CronExpression {}

impl CronExpression {
    /// The length of the longest expression, in bytes.
    const MAX_BYTES: usize = 200;

    pub(crate) fn parse(text: &str) -> Result<Self, InvalidExpression> {
        let invalid = |reason: String| InvalidExpression::new(text, reason);
        if text.len() > Self::MAX_BYTES {
            return Err(invalid(format!(
                "it has more than {} bytes",
                Self::MAX_BYTES
            )));
        }
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let fields = text.split(' ').count();
        let begins_like_cron =
            text.starts_with(|first: char| first.is_ascii_digit() || first == '*');
        if !text.starts_with('@') && (fields == 1 || !begins_like_cron && fields != 5) {
            return Err(invalid(
                "it is no time, no delay and no interval".to_owned(),
            ));
        }
        if !text.starts_with('@') && fields != 5 {
            return Err(invalid(format!(
                "a cron expression has five fields (minute, hour, day, month, day of the week), not {fields}"
            )));
        }
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let cron = parser.parse(&text).map_err(|error| {
            invalid(match text.starts_with('@') {
                true => "the names are @hourly, @daily, @weekly, @monthly and @yearly".to_owned(),
                false => describe_error(&error.to_string()),
            })
        })?;
        let expression = Self { text, cron };
        if !expression.matches_a_day() {
            return Err(invalid("no day matches it".to_owned()));
        }
        Ok(expression)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the description of the expression in English.
    pub(crate) fn describe(&self) -> String {
        // It is a part of a sentence.
        self.cron.describe().trim_end_matches('.').to_owned()
    }

    /// Returns the first time after `after`. In a gap of the clock, the first moment after the gap stands for the times
    /// within; of a time that comes twice, a fixed time is the first one.
    pub(crate) fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        // A zone may leave out a whole day, as Samoa did in 2011, which ends the search.
        let starts = (0..=MAX_DAYS_LEFT_OUT).map(|days| {
            let start = after
                .checked_add(SignedDuration::from_hours(24 * days))
                .ok()?;
            let start = start.to_zoned(zone.clone());
            self.cron.find_next_occurrence(&start, false).ok()
        });
        let found = starts.flatten().next()?;
        Some(found.timestamp())
    }

    /// Returns the last time before `before`.
    pub(crate) fn previous_before(&self, before: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        // The search takes steps of whole seconds.
        let whole = before.as_second() + i64::from(before.subsec_nanosecond() > 0);
        let before = Timestamp::from_second(whole).ok()?.to_zoned(zone.clone());
        let found = self.cron.find_previous_occurrence(&before, false).ok()?;
        Some(found.timestamp())
    }

    /// Reports whether there is a day that matches, so that no search for one is in vain, which takes long.
    fn matches_a_day(&self) -> bool {
        let start = Date::constant(2000, 1, 1);
        let end = start.year() + YEARS;
        let mut day = start;
        while day.year() < end {
            let (month, number) = (day.month().unsigned_abs(), day.day().unsigned_abs());
            let (month, number) = (u32::from(month), u32::from(number));
            let weekday = day.weekday().to_sunday_zero_offset().unsigned_abs();
            let weekday = Weekday::from_days_from_sunday(u32::from(weekday));
            let pattern = &self.cron.pattern;
            let year = i32::from(day.year());
            let is_in_month = pattern.month_match(month).unwrap_or_default();
            let matches = pattern.day_match(year, month, number, weekday);
            if is_in_month && matches.unwrap_or_default() {
                return true;
            }
            let Ok(next) = day.tomorrow() else {
                return false;
            };
            day = next;
        }
        false
    }
}

/// Returns the message of the parser in the form of ours.
fn describe_error(message: &str) -> String {
    let message = message
        .trim_start_matches("Component error: ")
        .trim_end_matches('.');
    if message.eq_ignore_ascii_case("number out of bounds") {
        return "a number is out of its range: minute 0-59, hour 0-23, day 1-31, month 1-12, day of the week 0-7".to_owned();
    }
    let mut characters = message.chars();
    let first = characters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(characters).collect()
}
