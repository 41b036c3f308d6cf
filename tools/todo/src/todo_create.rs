//! `todo_create`: adds a task.

use helve::agent::todo::TodoList;
use helve::prelude::*;
use serde_json::{Map, Value};

/// Adds a task to the list of this session.
///
/// Use it for work of three or more steps: one task for each step, before the first one begins. Tasks are not for
/// single, simple steps. `todo_update` says what waits for what, and how far a task is.
#[tool(
    always,
    read_only,
    concurrency = "exclusive",
    title = "Add a task",
    examples = [r#"{"subject": "Write the tests", "description": "One for each error of the parser."}"#]
)]
pub fn todo_create(
    /// What is to be done, in one line.
    #[arg(min_len = 1, max_len = 200)]
    subject: &str,
    /// What is to be done, with all information that the task needs.
    #[arg(max_len = 4000)]
    description: &str,
    /// Values of your own, at most 4 KB.
    metadata: Option<Map<String, Value>>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let id = TodoList::change(cx, |list| list.create(subject, description, metadata))?;
    let list = TodoList::load(cx);
    let subject = list.get(id).map_or("", |task| &task.subject);
    Ok(format!("Task (id={id}) created successfully: {subject}"))
}
