//! `schedule_create`: makes a schedule.

use helve::prelude::*;
use helve::schedule::{MissedRuns, NewSchedule, ScheduleContext as _};

use crate::text::describe;

/// What happens to runs that were missed, since no program ran when they were due.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum MissedPolicy {
    /// The latest of them is made up for.
    Once,
    /// None is made up for.
    Skip,
    /// All are made up for, ten at most.
    All,
}

impl From<MissedPolicy> for MissedRuns {
    fn from(policy: MissedPolicy) -> Self {
        match policy {
            MissedPolicy::Once => Self::Once,
            MissedPolicy::Skip => Self::Skip,
            MissedPolicy::All => Self::All,
        }
    }
}

/// Makes a schedule: at the given times, an agent works on the prompt in a new session, with the permissions of this one.
///
/// No person is present then, and the agent does not see this conversation: the prompt says everything that it has to know.
/// What needs approval waits for it. Returns the id, the times in words and the next three of them: check these. The daemon
/// of the app makes the runs.
#[tool(
    requires(schedules),
    destructive = false,
    title = "Schedule work",
    examples = [
        r#"{"name": "Morning report", "prompt": "Summarize what changed in the repository since yesterday.", "when": "0 9 * * 1-5", "time_zone": "Europe/Berlin"}"#,
        r#"{"name": "Call back", "prompt": "Remind the user to call Ann.", "when": "in 30m"}"#
    ]
)]
#[expect(
    clippy::too_many_arguments,
    reason = "they are the arguments of the model"
)]
pub async fn schedule_create(
    /// A short name.
    #[arg(min_len = 1, max_len = 64, example = "Morning report")]
    name: &str,
    /// What the agent is to do in each run, with all that it has to know.
    #[arg(min_len = 1, max_len = 16_000)]
    prompt: &str,
    /// When: five fields of cron `0 9 * * 1-5` (1 is Monday), `every 2h`, `in 30m`, a time `2026-12-01T09:00`, or after an event:
    /// `on run:ID` (a run of another schedule is done), `on file:inbox/*.csv` (a file below the folder appears or changes).
    #[arg(min_len = 1, max_len = 200, example = "0 9 * * 1-5")]
    when: &str,
    /// The IANA name of the time zone; by default, that of the machine.
    #[arg(max_len = 60, example = "Europe/Berlin")]
    time_zone: Option<&str>,
    /// What happens to runs that were missed; `once` by default.
    missed: Option<MissedPolicy>,
    /// The time after which nothing is due.
    #[arg(max_len = 60, example = "2026-12-24T12:00")]
    until: Option<&str>,
    /// How many runs there are at most.
    #[arg(min = 1)]
    max_runs: Option<u32>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let schedules = cx.schedules()?;
    let mut new = NewSchedule::new(name, prompt, when);
    new.time_zone = time_zone.map(str::to_owned);
    new.missed = missed.map(MissedRuns::from).unwrap_or_default();
    new.until = until.map(str::to_owned);
    new.max_runs = max_runs;
    let made = schedules.create_in_call(new, cx).await?;
    Ok(format!("Made the schedule {}", describe(&made)))
}
