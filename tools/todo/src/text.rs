//! Tasks as text for the model.

use helve::ToolError;
use helve::agent::todo::{Todo, TodoList};

/// Reads the id of a task, as a model writes it.
pub(crate) fn parse_id(id: &str) -> Result<u32, ToolError> {
    let digits = id.trim().trim_start_matches('#');
    digits.parse().map_err(|_| {
        ToolError::failed(format!(
            "Task not found: no task has the id `{id}`; `todo_list` lists the tasks"
        ))
    })
}

pub(crate) fn parse_ids(ids: Option<Vec<String>>) -> Result<Vec<u32>, ToolError> {
    let ids = ids.unwrap_or_default().into_iter();
    ids.map(|id| parse_id(&id)).collect()
}

/// Renders a task in a line: id, state, subject, owner, and the open tasks that it waits for.
pub(crate) fn render_line(list: &TodoList, task: &Todo) -> String {
    let mut line = format!("{} [{}] {}", task.id, task.state.name(), task.subject);
    if let Some(owner) = &task.owner {
        line.push_str(&format!(" ({owner})"));
    }
    let blockers = list.open_blockers(task.id);
    if !blockers.is_empty() {
        line.push_str(&format!(" [blocked by {}]", join(&blockers)));
    }
    line
}

/// Renders all of a task.
pub(crate) fn render_task(list: &TodoList, task: &Todo) -> String {
    let mut text = format!(
        "Task (id={}): {}\nStatus: {}\nDescription: {}",
        task.id,
        task.subject,
        task.state.name(),
        task.description
    );
    if let Some(owner) = &task.owner {
        text.push_str(&format!("\nOwner: {owner}"));
    }
    if !task.blocked_by.is_empty() {
        text.push_str(&format!("\nBlocked by: {}", join(&task.blocked_by)));
    }
    let blocks = list.blocks(task.id);
    if !blocks.is_empty() {
        text.push_str(&format!("\nBlocks: {}", join(&blocks)));
    }
    if !task.metadata.is_empty() {
        let metadata = serde_json::Value::Object(task.metadata.clone());
        text.push_str(&format!("\nMetadata: {metadata}"));
    }
    text
}

pub(crate) fn join(ids: &[u32]) -> String {
    let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
    ids.join(", ")
}
