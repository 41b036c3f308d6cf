//! What a schedule is like.

use helve_agent::session::TurnStarted;
use helve_core::tool::Principal;
use helve_core::transcript::{AgentId, SessionId};
use helve_results::Redactor;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::ScheduleError;
use crate::expression::ScheduleExpression;

/// The greatest length of a name, in characters.
const MAX_NAME_CHARS: usize = 64;
/// The greatest length of a prompt, in characters.
const MAX_PROMPT_CHARS: usize = 16_000;

/// What happens to runs that were missed, since no daemon ran when they were due.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MissedRuns {
    /// The latest of them is made up for.
    #[default]
    Once,
    /// None is made up for.
    Skip,
    /// All are made up for, ten at most, one after the other.
    All,
}

/// What happens to a run that is due while the run before is not over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OverlappingRuns {
    /// It is left out.
    #[default]
    Skip,
    /// It waits for the run before. One run waits at most.
    Queue,
}

/// Whether a schedule makes runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScheduleStatus {
    /// It makes runs.
    Active,
    /// It makes none until it is resumed.
    Paused,
    /// It makes no more.
    Ended,
    /// It was removed while a run was not over, and is no longer listed.
    Removed,
}

impl ScheduleStatus {
    /// Returns the name, as in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Ended => "ended",
            Self::Removed => "removed",
        }
    }
}

/// What a new schedule is to be like.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NewSchedule {
    /// The name, of which the id is made.
    pub name: String,
    /// What the agent is asked to do in each run.
    pub prompt: String,
    /// When it is due, as [`ScheduleExpression::parse`] reads it.
    pub when: String,
    /// The IANA name of the zone; by default, that of this machine.
    pub time_zone: Option<String>,
    /// What happens to runs that were missed.
    pub missed: MissedRuns,
    /// What happens to a run that is due while the run before is not over.
    pub overlap: OverlappingRuns,
    /// The greatest random delay of a run, in seconds. It is at most a tenth of the time to the next run.
    pub jitter_seconds: u32,
    /// The time after which nothing is due, as [`ScheduleExpression::parse`] reads it.
    pub until: Option<String>,
    /// How many runs there are at most.
    pub max_runs: Option<u32>,
    /// The skill that its runs use, whose status decides whether there are any.
    pub skill: Option<String>,
}

impl NewSchedule {
    /// Creates a schedule with a name, a prompt and the time at which it is due.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        prompt: impl Into<String>,
        when: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            prompt: prompt.into(),
            when: when.into(),
            time_zone: None,
            missed: MissedRuns::default(),
            overlap: OverlappingRuns::default(),
            jitter_seconds: 0,
            until: None,
            max_runs: None,
            skill: None,
        }
    }
}

/// A schedule: a prompt and the times at which an agent works on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Schedule {
    /// The id, which is made of the name.
    pub id: String,
    /// The name.
    pub name: String,
    /// What the agent is asked to do in each run.
    pub prompt: String,
    /// When it is due.
    pub when: ScheduleExpression,
    /// The IANA name of the zone of its times.
    pub time_zone: String,
    /// What happens to runs that were missed.
    #[serde(default)]
    pub missed: MissedRuns,
    /// What happens to a run that is due while the run before is not over.
    #[serde(default)]
    pub overlap: OverlappingRuns,
    /// The greatest random delay of a run, in seconds.
    #[serde(default)]
    pub jitter_seconds: u32,
    /// The time after which nothing is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// How many runs there are at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_runs: Option<u32>,
    /// The folder in which the tools of its runs work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The principal for whom the runs work.
    #[serde(default)]
    pub principal: Principal,
    /// When it was made.
    pub created: Timestamp,
    /// The session that made it; `None` if a person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// How many schedules stand between it and one that was not made by a run.
    #[serde(default)]
    pub generation: u32,
    /// The skill that its runs use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Whether it makes runs.
    pub status: ScheduleStatus,
    /// Why it is paused or has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The next time at which it is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Timestamp>,
    /// How many runs it has made.
    #[serde(default)]
    pub runs: u32,
    /// Distinguishes the runs from those of an earlier schedule of the same id.
    pub(crate) nonce: String,
    /// The authority of the runs, which is that of its maker.
    pub(crate) begin: TurnStarted,
}

impl Schedule {
    /// Returns the zone of the times.
    #[must_use]
    pub fn zone(&self) -> TimeZone {
        // A name that was valid when it was stored is only unknown to an older program.
        TimeZone::get(&self.time_zone).unwrap_or(TimeZone::UTC)
    }

    /// Returns the name of the agent that works.
    #[must_use]
    pub fn agent(&self) -> &AgentId {
        &self.begin.agent
    }

    /// Returns the next times at which the schedule is due after `after`, a number of them at most.
    #[must_use]
    pub fn upcoming(&self, after: Timestamp, most: usize) -> Vec<Timestamp> {
        let zone = self.zone();
        let first = self.next_after(after, &zone);
        let following = |at: &Timestamp| self.next_after(*at, &zone);
        std::iter::successors(first, following).take(most).collect()
    }

    /// Returns the first time after `after` at which the schedule is due.
    pub(crate) fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let next = self.when.next_after(after, self.created, zone)?;
        let is_over = self.until.is_some_and(|until| next > until);
        (!is_over).then_some(next)
    }

    /// Returns the delay of the run that is planned for a time, which is the same in every process.
    pub(crate) fn jitter(&self, planned: Timestamp, zone: &TimeZone) -> SignedDuration {
        if self.jitter_seconds == 0 {
            return SignedDuration::ZERO;
        }
        let next = self.when.next_after(planned, self.created, zone);
        let gap = next.map_or(i64::MAX, |next| next.duration_since(planned).as_secs());
        let most = i64::from(self.jitter_seconds).min(gap / 10);
        let mixed = fnv(format!("{}{}{planned}", self.id, self.nonce).bytes());
        // The high bits of the hash are mixed best.
        let delay = (mixed >> 20) % (most.unsigned_abs() + 1);
        SignedDuration::from_secs(delay.cast_signed())
    }
}

/// Returns the FNV-1a hash of bytes, which is the same in every process.
pub(crate) fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Makes an id of a name: lower-case letters, digits and hyphens.
#[must_use]
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.to_lowercase().chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= 48 {
            break;
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    match slug.is_empty() {
        true => "schedule".to_owned(),
        false => slug,
    }
}

/// Checks the texts of a new schedule.
pub(crate) fn check_texts(new: &NewSchedule) -> Result<(), ScheduleError> {
    for (what, text, limit) in [
        ("name", &new.name, MAX_NAME_CHARS),
        ("prompt", &new.prompt, MAX_PROMPT_CHARS),
    ] {
        let length = text.trim().chars().count();
        if length == 0 || length > limit {
            return Err(ScheduleError::invalid(format!(
                "the {what} of a schedule has 1 to {limit} characters, not {length}"
            )));
        }
        // It is stored, and shown wherever schedules are.
        if let Some(found) = Redactor::new().find(text).first() {
            let label = &found.label;
            return Err(ScheduleError::invalid(format!(
                "the {what} of a schedule contains a secret ({label}); say where it is found instead"
            )));
        }
    }
    if new.name.chars().any(char::is_control) {
        return Err(ScheduleError::invalid(
            "the name of a schedule has no line breaks and no other control characters",
        ));
    }
    if new.max_runs == Some(0) {
        return Err(ScheduleError::invalid("a schedule has one run at least"));
    }
    Ok(())
}

/// Finds a zone by its IANA name; without a name, that of this machine.
pub(crate) fn find_zone(name: Option<&str>) -> Result<(String, TimeZone), ScheduleError> {
    let name = match name {
        Some(name) => name.trim().to_owned(),
        None => name_of(&TimeZone::system())?.to_owned(),
    };
    let zone = TimeZone::get(&name).map_err(|_| {
        ScheduleError::invalid(format!(
            "there is no time zone `{name}`; write an IANA name such as `Europe/Berlin`"
        ))
    })?;
    let name = zone.iana_name().unwrap_or(&name).to_owned();
    Ok((name, zone))
}

/// Returns the IANA name of the zone of this machine, by which a schedule is stored. A machine without a zone is in UTC.
fn name_of(zone: &TimeZone) -> Result<&str, ScheduleError> {
    match zone.iana_name() {
        Some(name) => Ok(name),
        None if zone.is_unknown() => Ok("UTC"),
        None => Err(ScheduleError::invalid(
            "the time zone of this machine has no name; write one, such as `--time-zone Europe/Berlin`",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_without_a_name_is_not_taken_for_utc() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
        assert!(name_of(&zone).is_err());
        assert_eq!(name_of(&TimeZone::unknown()).ok(), Some("UTC"));
        let berlin = TimeZone::get("Europe/Berlin").expect("a zone");
        assert_eq!(name_of(&berlin).ok(), Some("Europe/Berlin"));
    }
}
