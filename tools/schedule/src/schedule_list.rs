//! `schedule_list`: lists the schedules.

use helve::prelude::*;
use helve::schedule::ScheduleContext as _;

use crate::text::describe;

/// Lists the schedules of this folder, with their ids, their times and the next of them.
#[tool(read_only, requires(schedules), title = "List schedules")]
pub async fn schedule_list(cx: &ToolContext) -> Result<String, ToolError> {
    let schedules = cx.schedules()?.list().await?;
    if schedules.is_empty() {
        return Ok("There are no schedules.".to_owned());
    }
    let described: Vec<String> = schedules.iter().map(describe).collect();
    Ok(described.join("\n\n"))
}
