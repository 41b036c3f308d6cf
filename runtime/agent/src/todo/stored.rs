//! The tasks in the state of a session, and in its journal.

use serde::{Deserialize, Serialize};

use super::{Todo, TodoError, TodoList};
use crate::Conversation;
use helve_core::support::lock::Mutex;
use helve_core::tool::ToolContext;
use helve_untrusted::neutralize;

/// The key of the note that names the tasks. Each task has a note of its own, so that a change writes one task.
const KEY: &str = "todo";

/// The maximum number of tasks that a summary of the conversation names.
const MAX_SUMMARIZED: usize = 30;

/// Held while the list is changed: agents of a session may work at the same time.
#[derive(Debug, Default)]
struct ChangeLock(Mutex<()>);

#[derive(Debug, Default, Serialize, Deserialize)]
struct TodoIndex {
    ids: Vec<u32>,
    last: u32,
}

impl TodoList {
    /// Loads the list of the session that a context belongs to; the list is empty at first.
    #[must_use]
    pub fn load(context: &ToolContext) -> Self {
        let context = session_context(context);
        let index: TodoIndex = context.read_note(KEY).unwrap_or_default();
        let tasks = index.ids.iter();
        let tasks = tasks.filter_map(|id| context.read_note::<Todo>(&key_of(*id)));
        let tasks: Vec<Todo> = tasks.collect();
        let last = tasks.iter().map(|task| task.id).fold(index.last, u32::max);
        Self { tasks, last }
    }

    /// Loads the list of a conversation, which may not have had a turn in this process.
    #[must_use]
    pub fn from_conversation(conversation: &Conversation, context: &ToolContext) -> Self {
        context.restore_notes(&conversation.notes);
        Self::load(context)
    }

    /// Changes the list of the session that a context belongs to. The journal has the change when the call that made it
    /// has its result.
    ///
    /// # Errors
    /// Those of the change, which then has no effect.
    pub fn change<T>(
        context: &ToolContext,
        change: impl FnOnce(&mut Self) -> Result<T, TodoError>,
    ) -> Result<T, TodoError> {
        let lock = context.session_state().get_or_default::<ChangeLock>();
        let _changing = lock.0.lock();
        let mut list = Self::load(context);
        let before: Vec<u32> = list.tasks.iter().map(|task| task.id).collect();
        let result = change(&mut list)?;
        list.store(&session_context(context), &before);
        Ok(result)
    }

    fn store(&self, context: &ToolContext, before: &[u32]) {
        let ids: Vec<u32> = self.tasks.iter().map(|task| task.id).collect();
        for task in &self.tasks {
            context.note(&key_of(task.id), task);
        }
        for gone in before.iter().filter(|id| !ids.contains(id)) {
            context.forget_note(&key_of(*gone));
        }
        let last = self.last;
        context.note(KEY, &TodoIndex { ids, last });
    }

    /// Renders the open tasks as lines for the summary of a conversation; empty if there are none.
    pub(crate) fn render_for_summary(&self) -> String {
        let open = self.open().count();
        if open == 0 {
            return String::new();
        }
        let mut text = format!("\n\nThe {open} open tasks of `todo_list`:");
        for task in self.open().take(MAX_SUMMARIZED) {
            let (id, state) = (task.id, task.state.name());
            let subject = neutralize(&task.subject);
            text.push_str(&format!("\n- {id} [{state}] {subject}"));
        }
        if open > MAX_SUMMARIZED {
            text.push_str(&format!("\n- and {} more", open - MAX_SUMMARIZED));
        }
        text
    }
}

fn key_of(id: u32) -> String {
    format!("{KEY} {id}")
}

/// Returns a context whose notes are those of the session, and not of one agent.
fn session_context(context: &ToolContext) -> ToolContext {
    let context = context.derive().agent("".into()).turn("".into());
    context.build()
}
