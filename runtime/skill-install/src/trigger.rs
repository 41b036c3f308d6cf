//! What starts a skill.

use std::collections::BTreeMap;
use std::fmt;

use futures_util::future::BoxFuture;
use helve_skill_format::FrontMatter;

use crate::error::shown;

/// What starts a skill, as its front matter says in `metadata`: `trigger: cron` with a `schedule` (and a `time_zone`), or
/// `trigger: event` with an `event`.
///
/// A trigger starts nothing by itself: a person gives the skill a schedule with `skills enable`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkillTrigger {
    /// A user or an agent starts it.
    #[default]
    Manual,
    /// It starts at given times.
    Cron {
        /// The times, as a schedule has them.
        schedule: String,
        /// The IANA name of their zone; by default, that of the machine.
        time_zone: Option<String>,
    },
    /// It starts after an event, such as `run:ID` or `file:PATTERN`.
    Event(String),
}

impl SkillTrigger {
    /// Reads the trigger from the front matter of a skill.
    #[must_use]
    pub fn from_front_matter(front_matter: &FrontMatter) -> Self {
        let metadata = |key: &str| {
            let mut fields = front_matter.metadata();
            let found = fields.find(|(name, _)| *name == key);
            found.map(|(_, value)| value.trim().to_owned())
        };
        match metadata("trigger").as_deref() {
            Some("cron") => Self::Cron {
                schedule: metadata("schedule").unwrap_or_default(),
                time_zone: metadata("time_zone"),
            },
            Some("event") => Self::Event(metadata("event").unwrap_or_default()),
            _ => Self::Manual,
        }
    }

    /// Returns when a schedule of the skill is due, in the words of a schedule; `None` if the skill is started by hand.
    #[must_use]
    pub fn when(&self) -> Option<String> {
        match self {
            Self::Manual => None,
            Self::Cron { schedule, .. } => Some(schedule.clone()),
            Self::Event(event) => Some(format!("on {event}")),
        }
    }
}

impl fmt::Display for SkillTrigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manual => f.write_str("manual"),
            Self::Cron { schedule, .. } => write!(f, "cron({})", shown(schedule)),
            Self::Event(event) => write!(f, "event({})", shown(event)),
        }
    }
}

/// The schedules of skills with a trigger, which a daemon works on.
pub trait SkillTriggers: fmt::Debug + Send + Sync {
    /// Returns how far the schedule of each skill is, by the name of the skill: when it is due next, or that it is paused.
    fn describe(&self) -> BoxFuture<'_, BTreeMap<String, String>>;

    /// Follows a change of a skill: `enable`, `resume`, `disable`, `pause` or `remove`. Never makes a schedule.
    fn follow<'a>(&'a self, command: &'a str, skill: &'a str) -> BoxFuture<'a, Result<(), String>>;
}

/// Renders the triggers of skills, one a line, with the command that schedules those that have no schedule yet.
#[must_use]
pub fn render_triggers<'s>(
    skills: impl IntoIterator<Item = (&'s str, SkillTrigger)>,
    scheduled: &BTreeMap<String, String>,
) -> String {
    let skills = skills.into_iter();
    let lines = skills.filter(|(_, trigger)| *trigger != SkillTrigger::Manual);
    let lines = lines.map(|(name, trigger)| match scheduled.get(name) {
        Some(state) => format!("· the skill `{name}` runs by itself: {trigger}, {}\n", shown(state)),
        None => format!(
            "· the skill `{name}` asks to run by itself: {trigger}\n  help: run `skills enable {name}` to review its schedule and make it\n"
        ),
    });
    lines.collect()
}
