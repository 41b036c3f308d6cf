//! `todo_update`: changes or deletes a task.

use helve::agent::todo::{TodoList, TodoState, TodoUpdate};
use helve::prelude::*;
use serde_json::{Map, Value};

use crate::text::{join, parse_id, parse_ids};

/// How far a task is, or that it is deleted.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Nobody has begun.
    Pending,
    /// Somebody is doing it.
    InProgress,
    /// It is done.
    Completed,
    /// It is taken off the list.
    Deleted,
}

/// Changes a task of this session: how far it is, who does it, and what waits for what.
///
/// Set a task to `in_progress` when you begin it, and to `completed` as soon as it is done, in full: what failed or is
/// half done stays `in_progress`. `deleted` takes it off the list. Tasks that would wait for each other are refused.
#[tool(
    always,
    read_only,
    concurrency = "exclusive",
    title = "Change a task",
    examples = [r#"{"task_id": "1", "status": "in_progress"}"#, r#"{"task_id": "2", "add_blocked_by": ["1"]}"#]
)]
#[expect(
    clippy::too_many_arguments,
    reason = "they are the arguments of the model"
)]
pub fn todo_update(
    /// The id of the task.
    #[arg(min_len = 1, example = "1")]
    task_id: &str,
    /// The new state.
    status: Option<TodoStatus>,
    /// The new subject, in one line.
    #[arg(max_len = 200)]
    subject: Option<&str>,
    /// The new description.
    #[arg(max_len = 4000)]
    description: Option<&str>,
    /// The ids of tasks that have to wait for this one.
    add_blocks: Option<Vec<String>>,
    /// The ids of tasks that this one has to wait for.
    add_blocked_by: Option<Vec<String>>,
    /// The ids of tasks that this one no longer waits for.
    remove_blocked_by: Option<Vec<String>>,
    /// Who does the task; an empty text for no owner.
    #[arg(max_len = 100)]
    owner: Option<&str>,
    /// Values that are merged into the metadata; null removes a key.
    metadata: Option<Map<String, Value>>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let id = parse_id(task_id)?;
    let state = match status {
        Some(TodoStatus::Deleted) => {
            let removed = TodoList::change(cx, |list| list.remove(id))?;
            return Ok(format!("Task (id={id}) deleted: {}", removed.subject));
        }
        Some(TodoStatus::Pending) => Some(TodoState::Pending),
        Some(TodoStatus::InProgress) => Some(TodoState::InProgress),
        Some(TodoStatus::Completed) => Some(TodoState::Completed),
        None => None,
    };
    let update = TodoUpdate {
        subject: subject.filter(|text| !text.is_empty()).map(str::to_owned),
        description: description.map(str::to_owned),
        state,
        owner: owner.map(str::to_owned),
        metadata,
        add_blocks: parse_ids(add_blocks)?,
        add_blocked_by: parse_ids(add_blocked_by)?,
        remove_blocked_by: parse_ids(remove_blocked_by)?,
    };
    let fields = TodoList::change(cx, |list| list.update(id, update))?;
    Ok(render_change(&TodoList::load(cx), id, state, &fields))
}

fn render_change(
    list: &TodoList,
    id: u32,
    state: Option<TodoState>,
    fields: &[&'static str],
) -> String {
    if fields.is_empty() {
        return format!("Task (id={id}) is unchanged: no field was given.");
    }
    let mut text = format!("Update task (id={id}) {}.", fields.join(", "));
    if state == Some(TodoState::Completed) {
        let blockers = list.open_blockers(id);
        if !blockers.is_empty() {
            let blockers = join(&blockers);
            text.push_str(&format!(
                "\n\nIt waited for tasks that are open: {blockers}."
            ));
        }
        text.push_str(
            "\n\nTask completed. Call todo_list now to find your next available task or see if your work unblocked others.",
        );
    }
    text
}
