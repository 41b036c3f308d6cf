//! `todo_list`: lists the tasks.

use helve::agent::todo::TodoList;
use helve::prelude::*;

use crate::text::render_line;

/// Lists the tasks of this session, with the open tasks that each waits for.
#[tool(always, read_only, title = "List the tasks")]
pub fn todo_list(cx: &ToolContext) -> String {
    let list = TodoList::load(cx);
    if list.tasks().is_empty() {
        return "No tasks available.".to_owned();
    }
    let lines = list.tasks().iter().map(|task| render_line(&list, task));
    lines.collect::<Vec<_>>().join("\n")
}
