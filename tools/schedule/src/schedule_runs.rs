//! `schedule_runs`: what became of the runs of a schedule.

use helve::prelude::*;
use helve::schedule::{ScheduleContext as _, ScheduledRun};

/// How many runs are shown.
const SHOWN_RUNS: usize = 10;

/// Lists the latest runs of a schedule: when they were planned, how far they are, and the beginning of what they said.
#[tool(
    read_only,
    requires(schedules),
    untrusted_output,
    title = "List scheduled runs",
    examples = [r#"{"id": "morning-report"}"#]
)]
pub async fn schedule_runs(
    /// The id of the schedule.
    #[arg(min_len = 1, max_len = 64, example = "morning-report")]
    id: &str,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let schedules = cx.schedules()?;
    let schedule = schedules.find(id).await?;
    let runs = schedules.runs(Some(id)).await?;
    if runs.is_empty() {
        return Ok(format!("The schedule {id} has made no runs."));
    }
    let zone = schedule.zone();
    let shown = runs.iter().take(SHOWN_RUNS);
    let shown = shown.map(|run| {
        let planned = run.planned.to_zoned(zone.clone());
        let planned = planned.strftime("%a %Y-%m-%d %H:%M %:z");
        let said = run_text(run);
        format!(
            "{planned} [{}] session {}{said}",
            run.status.name(),
            run.session
        )
    });
    let rest = match runs.len().saturating_sub(SHOWN_RUNS) {
        0 => String::new(),
        rest => format!("\n{rest} earlier runs are not shown."),
    };
    Ok(format!("{}{rest}", shown.collect::<Vec<_>>().join("\n")))
}

fn run_text(run: &ScheduledRun) -> String {
    let text = run.reason.as_deref().unwrap_or(&run.text);
    match text.trim() {
        "" => String::new(),
        text => format!("\n  {}", text.replace('\n', "\n  ")),
    }
}
