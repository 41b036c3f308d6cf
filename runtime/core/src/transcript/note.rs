//! Notes: messages for the model that are no prompt of the user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Label;

/// A message for the model that is no prompt: what the user adds while the model works, or what a hook, a guard, an agent
/// or the runtime has to say. Every provider receives it in an enclosure that names its author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Note {
    /// The kind of author.
    pub source: NoteSource,
    /// The name of the author, such as that of a hook; it may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The id, under which a turn records the note once.
    pub id: String,
    /// The text.
    pub text: String,
    /// The label of the text; the author encloses untrusted text.
    #[serde(default, skip_serializing_if = "Label::is_user")]
    pub label: Label,
}

/// The kind of author of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteSource {
    /// The user, while the model works.
    User,
    /// Another agent.
    Agent,
    /// A job in the background.
    Job,
    /// A hook.
    Hook,
    /// A guard.
    Guard,
    /// The memory.
    Memory,
    /// The runtime or a tool, such as a reminder.
    Runtime,
}

impl Note {
    /// Creates a note without a name, with the label of the user's text.
    pub fn new(source: NoteSource, id: impl Into<String>, text: impl Into<String>) -> Self {
        let (name, id, text, label) = (String::new(), id.into(), text.into(), Label::user());
        Self {
            source,
            name,
            id,
            text,
            label,
        }
    }

    /// Sets the name of the author.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}
