//! The reminder of tasks that have not changed for a while.

use super::state::Driver;
use crate::todo::{Todo, TodoList, TodoState};
use crate::turn::Record;
use helve_core::transcript::{Message, Note, NoteSource};

/// The number of calls of other tools after which the model is reminded.
const CALLS_BEFORE_REMINDER: usize = 10;

/// The name of the author of a reminder.
const AUTHOR: &str = "todo";

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Returns the record of a reminder, if there are open tasks, and the model has called many other tools since it last
    /// used the list or was reminded.
    pub(super) fn todo_reminder(&self, round: u32) -> Option<Box<Record>> {
        self.tools.visible.find_any("todo_update")?;
        if count_calls(&self.request.messages) < CALLS_BEFORE_REMINDER {
            return None;
        }
        let list = TodoList::load(self.context);
        let open = list.open().count();
        let is_begun = |task: &&Todo| task.state == TodoState::InProgress;
        let begun = list.open().filter(is_begun).count();
        if open == 0 {
            return None;
        }
        let text = format!(
            "The tasks have not changed for a while: {open} open, {begun} of them in progress. Where they no longer hold, \
             change them with `todo_update`; otherwise go on."
        );
        let note = Note::new(NoteSource::Runtime, format!("todo-{round}"), text);
        let notes = vec![note.with_name(AUTHOR)];
        Some(Box::new(Record::Noted { notes }))
    }
}

/// Counts the calls of other tools since the last call of a tool for tasks, or the last reminder.
fn count_calls(messages: &[Message]) -> usize {
    let mut count = 0;
    for message in messages.iter().rev() {
        match message {
            Message::Note(note) if note.source == NoteSource::Runtime && note.name == AUTHOR => {
                return count;
            }
            Message::Assistant(reply) => {
                let (tasks, others): (Vec<_>, Vec<_>) = reply
                    .calls()
                    .partition(|call| call.name.starts_with("todo_"));
                count += others.len();
                if !tasks.is_empty() {
                    return count;
                }
            }
            _ => {}
        }
    }
    count
}
