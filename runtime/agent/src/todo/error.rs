//! Why a change of the tasks is refused.

use super::{
    MAX_DESCRIPTION_CHARS, MAX_METADATA_BYTES, MAX_OWNER_CHARS, MAX_SUBJECT_CHARS, MAX_TODOS,
};

/// The reason why a change of a [`TodoList`](super::TodoList) is refused; the list stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TodoError {
    /// No task has the id.
    #[error("Task not found: no task has the id {0}; `todo_list` lists the tasks")]
    NotFound(u32),
    /// Tasks would wait for each other.
    #[error(
        "these tasks would wait for each other: {}; nothing was changed",
        render_path(path)
    )]
    Cycle {
        /// The tasks, each of which blocks the next; the last is the first.
        path: Vec<u32>,
    },
    /// The list is full.
    #[error("there are {MAX_TODOS} tasks already; delete those that are done")]
    TooMany,
    /// The subject is empty or too long.
    #[error("the subject is one line of 1 to {MAX_SUBJECT_CHARS} characters")]
    Subject,
    /// The description is too long.
    #[error("the description has more than {MAX_DESCRIPTION_CHARS} characters")]
    Description,
    /// The name of the owner is too long.
    #[error("the owner has more than {MAX_OWNER_CHARS} characters")]
    Owner,
    /// The metadata are too large.
    #[error("the metadata have more than {MAX_METADATA_BYTES} bytes of JSON")]
    Metadata,
}

fn render_path(path: &[u32]) -> String {
    let ids: Vec<String> = path.iter().map(u32::to_string).collect();
    ids.join(" blocks ")
}
