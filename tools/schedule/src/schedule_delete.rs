//! `schedule_delete`: removes a schedule.

use helve::prelude::*;
use helve::schedule::ScheduleContext as _;

/// Removes a schedule. A run that has begun goes on, and the sessions of its runs stay.
#[tool(
    requires(schedules),
    destructive,
    title = "Remove a schedule",
    examples = [r#"{"id": "morning-report"}"#]
)]
pub async fn schedule_delete(
    /// The id of the schedule.
    #[arg(min_len = 1, max_len = 64, example = "morning-report")]
    id: &str,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let removed = cx.schedules()?.remove(id).await?;
    Ok(format!(
        "Removed the schedule {}: {}",
        removed.id, removed.name
    ))
}
