//! Notes of tools for one conversation, which are stored in the session's journal.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ToolContext;
use super::conversation::{ConversationKey, lineage};
use crate::support::lock::Mutex;

/// The prefix of the names of notes in a journal.
pub const PREFIX: &str = "note:";

/// The notes of a session, by their names in the journal.
#[derive(Debug, Default)]
struct Notes(Mutex<NotesState>);

#[derive(Debug, Default)]
struct NotesState {
    notes: BTreeMap<String, Value>,
    /// The notes that are not in the journal yet; null for a removed note.
    unsaved: BTreeMap<String, Value>,
}

impl ToolContext {
    /// Stores a small value for the [conversation](Self::conversation_state) of this call.
    ///
    /// If the session has a journal, the note is written together with the result of the call, so that a process that
    /// resumes the session finds the note. A value that cannot be serialised as JSON is not stored.
    ///
    /// ```
    /// # extern crate helve_core as helve;
    /// use helve::ToolContext;
    ///
    /// let cx = ToolContext::new();
    /// cx.note("last page", &7);
    /// assert_eq!(cx.read_note("last page"), Some(7));
    /// cx.forget_note("last page");
    /// assert_eq!(cx.read_note::<u32>("last page"), None);
    /// ```
    pub fn note<T: Serialize>(&self, key: &str, value: &T) {
        match serde_json::to_value(value) {
            Ok(value) => self.put_note(key, value),
            Err(error) => tracing::warn!(key, %error, "a note has no JSON form"),
        }
    }

    /// Returns the note of the conversation with a key, from this process or an earlier one; `None` if there is none,
    /// or if it cannot be deserialised as `T`.
    #[must_use]
    pub fn read_note<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let name = self.note_name(key);
        self.with_notes(|known| T::deserialize(known.notes.get(&name)?).ok())
    }

    /// Removes a note.
    pub fn forget_note(&self, key: &str) {
        self.put_note(key, Value::Null);
    }

    fn put_note(&self, key: &str, value: Value) {
        let name = self.note_name(key);
        self.with_notes(|known| {
            let before = match &value {
                Value::Null => known.notes.remove(&name),
                value => known.notes.insert(name.clone(), value.clone()),
            };
            if before.unwrap_or_default() != value {
                known.unsaved.insert(name, value);
            }
        });
    }

    fn with_notes<T>(&self, read: impl FnOnce(&mut NotesState) -> T) -> T {
        read(&mut self.session_state().get_or_default::<Notes>().0.lock())
    }

    fn note_name(&self, key: &str) -> String {
        let (agent, turn) = lineage(self.agent_id(), self.turn_id());
        let turn = turn.as_deref().unwrap_or_default();
        // As JSON, so that the names of different notes are different.
        format!("{PREFIX}{}", serde_json::json!([&*agent, turn, key]))
    }

    /// Removes all notes of a conversation.
    pub(super) fn forget_conversation_notes(&self, (agent, turn): &ConversationKey) {
        let turn = turn.as_deref().unwrap_or_default();
        let conversation = serde_json::json!([&**agent, turn]).to_string();
        let prefix = format!("{PREFIX}{},", conversation.trim_end_matches(']'));
        self.with_notes(|known| {
            let ended = known
                .notes
                .extract_if(.., |name, _| name.starts_with(&prefix));
            known
                .unsaved
                .extend(ended.map(|(name, _)| (name, Value::Null)));
        });
    }

    /// Returns the notes that were changed since the last call, to be written to the journal.
    #[doc(hidden)]
    pub fn take_unsaved_notes(&self) -> Vec<(String, Value)> {
        let unsaved = self.with_notes(|known| std::mem::take(&mut known.unsaved));
        unsaved.into_iter().collect()
    }

    /// Loads the notes from the journal of the session; notes of this process are newer and take precedence.
    #[doc(hidden)]
    pub fn restore_notes(&self, saved: &[(String, Value)]) {
        self.with_notes(|known| {
            for (name, value) in saved {
                if !known.unsaved.contains_key(name) && !known.notes.contains_key(name) {
                    known.notes.insert(name.clone(), value.clone());
                }
            }
        });
    }
}
