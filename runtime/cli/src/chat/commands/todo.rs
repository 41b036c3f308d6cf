//! The command on the tasks of the session.

use crate::chat::conversation::Chat;
use crate::chat::printing::print_hint;
use helve_agent::todo::{Todo, TodoList, TodoState};
use helve_terminal::output;
use helve_terminal::screen::{Line, Size, theme};

/// Prints the tasks: how far each is, who does it, and which open tasks it waits for.
pub(super) fn print_tasks(chat: &Chat<'_>) {
    let list = chat.todo_list();
    let all = list.tasks().len();
    if all == 0 {
        return print_hint("no tasks; the agent makes them with `todo_create`");
    }
    let columns = Size::of_stdout().columns;
    let ids = list.tasks().iter().map(|task| task.id.to_string().len());
    let width = ids.max().unwrap_or(1);
    let lines = list.tasks().iter();
    let lines =
        lines.flat_map(|task| render_task(&list, task, width).wrap_hanging(columns, width + 6));
    output::lines(&lines.collect::<Vec<_>>());
    let done = all - list.open().count();
    print_hint(&format!("{done} of {all} completed"));
}

fn render_task(list: &TodoList, task: &Todo, width: usize) -> Line {
    let (sign, sign_style, style) = match task.state {
        TodoState::Pending => ("·", theme::DIM, theme::PLAIN),
        TodoState::InProgress => ("▸", theme::NOTICE, theme::STRONG),
        TodoState::Completed => ("✓", theme::GOOD, theme::DIM),
    };
    let id = task.id;
    let mut line = Line::styled("  ", theme::PLAIN)
        .with(sign, sign_style)
        .with(&format!(" {id:>width$}  "), theme::DIM)
        .with(&task.subject, style);
    if let Some(owner) = &task.owner {
        line.push(&format!(" ({owner})"), theme::DIM);
    }
    let blockers = list.open_blockers(id);
    if !blockers.is_empty() {
        let blockers: Vec<String> = blockers.iter().map(u32::to_string).collect();
        let blockers = blockers.join(", ");
        line.push(&format!(" — waits for {blockers}"), theme::NOTICE);
    }
    line
}
