//! `schedule_change`: pauses, resumes, runs or changes a schedule.

use helve::prelude::*;
use helve::schedule::{MissedRuns, ScheduleChange, ScheduleContext as _};

use crate::schedule_create::MissedPolicy;
use crate::text::describe;

/// What is done with a schedule.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleAction {
    /// It makes no runs until it is resumed.
    Pause,
    /// It makes runs again.
    Resume,
    /// It makes a run now, beside those that are planned.
    RunNow,
    /// Its times or what happens to missed runs change.
    Edit,
}

/// Pauses or resumes a schedule, makes a run of it now, or changes its times. Its prompt cannot be changed: delete it and
/// make a new one.
#[tool(
    requires(schedules),
    destructive = false,
    title = "Change a schedule",
    examples = [
        r#"{"id": "morning-report", "action": "pause"}"#,
        r#"{"id": "morning-report", "action": "edit", "when": "30 8 * * 1-5"}"#
    ]
)]
pub async fn schedule_change(
    /// The id of the schedule.
    #[arg(min_len = 1, max_len = 64, example = "morning-report")]
    id: &str,
    /// What to do.
    action: ScheduleAction,
    /// With `edit`, the new times, as for `schedule_create`.
    #[arg(max_len = 200)]
    when: Option<&str>,
    /// With `edit`, the IANA name of the new time zone.
    #[arg(max_len = 60)]
    time_zone: Option<&str>,
    /// With `edit`, what happens to runs that are missed.
    missed: Option<MissedPolicy>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let schedules = cx.schedules()?;
    let (done, schedule) = match action {
        ScheduleAction::Pause => ("Paused", schedules.pause(id, None).await?),
        ScheduleAction::Resume => ("Resumed", schedules.resume(id).await?),
        ScheduleAction::RunNow => {
            let run = schedules.run_now_in_call(id, cx).await?;
            return Ok(format!(
                "A run of {id} waits for the daemon, as session {}. `schedule_runs` says how far it is.",
                run.session
            ));
        }
        ScheduleAction::Edit => {
            let mut change = ScheduleChange::default();
            change.when = when.map(str::to_owned);
            change.time_zone = time_zone.map(str::to_owned);
            change.missed = missed.map(MissedRuns::from);
            ("Changed", schedules.edit(id, change).await?)
        }
    };
    Ok(format!("{done} the schedule {}", describe(&schedule)))
}
