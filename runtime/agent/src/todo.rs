//! The tasks of a session: what its agents plan to do, which task waits for which, and what is done.
//!
//! The list belongs to the session: all of its agents share it, and its journal has each change, so that the list is
//! there after a restart, and a summary of the conversation does not change it. The tools of the feature `todo` are
//! how a model uses the list.

mod error;
mod list;
mod stored;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use error::TodoError;
pub use list::TodoList;

/// The maximum number of tasks of a session.
pub const MAX_TODOS: usize = 200;
/// The maximum length of a subject, in characters.
pub const MAX_SUBJECT_CHARS: usize = 200;
/// The maximum length of a description, in characters.
pub const MAX_DESCRIPTION_CHARS: usize = 4_000;
/// The maximum length of the name of an owner, in characters.
pub const MAX_OWNER_CHARS: usize = 100;
/// The maximum size of the metadata of a task, in bytes of JSON.
pub const MAX_METADATA_BYTES: usize = 4_096;

/// A task of a [`TodoList`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Todo {
    /// The number of the task; no other task of the session ever has it.
    pub id: u32,
    /// What is to be done, in one line.
    pub subject: String,
    /// What is to be done, in full.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Values of the agent's own.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// How far the task is.
    #[serde(default)]
    pub state: TodoState,
    /// Who does the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The tasks that have to be done before this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<u32>,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoState {
    /// Nobody has begun.
    #[default]
    Pending,
    /// Somebody is doing it.
    InProgress,
    /// It is done.
    Completed,
}

impl TodoState {
    /// Returns the name: `pending`, `in_progress` or `completed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }
}

/// The changes of one task; a field that is empty or `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TodoUpdate {
    /// The new subject.
    pub subject: Option<String>,
    /// The new description.
    pub description: Option<String>,
    /// The new state.
    pub state: Option<TodoState>,
    /// The new owner.
    pub owner: Option<String>,
    /// Values that are merged into the metadata; null removes a key.
    pub metadata: Option<Map<String, Value>>,
    /// Tasks that have to wait for this one.
    pub add_blocks: Vec<u32>,
    /// Tasks that this one has to wait for.
    pub add_blocked_by: Vec<u32>,
    /// Tasks that this one no longer waits for.
    pub remove_blocked_by: Vec<u32>,
}
