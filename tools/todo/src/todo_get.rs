//! `todo_get`: returns a task.

use helve::agent::todo::{TodoError, TodoList};
use helve::prelude::*;

use crate::text::{parse_id, render_task};

/// Returns all of a task of this session: what it is, who does it, and what waits for what.
#[tool(always, read_only, title = "Show a task", examples = [r#"{"task_id": "2"}"#])]
pub fn todo_get(
    /// The id of the task.
    #[arg(min_len = 1, example = "2")]
    task_id: &str,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let id = parse_id(task_id)?;
    let list = TodoList::load(cx);
    let task = list.get(id).ok_or(TodoError::NotFound(id))?;
    Ok(render_task(&list, task))
}
