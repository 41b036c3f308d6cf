//! What happened in a session: the fold of all of its entries.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Artifact, Entry, SessionError, SessionState};
use crate::journal::Line;
use crate::turn::Turn;
use helve_core::tool::NOTE_PREFIX as PREFIX;
use helve_core::transcript::{Message, TurnId};

/// What happened in a session: the fold of its entries, and what a driver goes on from.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct History {
    /// Where the session stands.
    pub session_state: SessionState,
    /// The conversation, up to what the open turn added.
    pub messages: Vec<Message>,
    /// What was put beside the conversation.
    pub artifacts: Vec<Artifact>,
    /// The conversations of open turns that work for another.
    delegates: BTreeMap<TurnId, Vec<Message>>,
    /// The session's state, by name.
    state: BTreeMap<String, Value>,
}

impl History {
    /// Creates the history of a session in which nothing has happened.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next entry. What makes no sense where it stands changes nothing, as when it was written.
    pub fn apply(&mut self, line: &Line<Entry>) {
        match &line.entry {
            Entry::State { name, value } => {
                self.state.insert(name.clone(), value.clone());
            }
            Entry::Artifact(artifact) => self.artifacts.push(artifact.clone()),
            Entry::TurnStarted(started) if started.parent_call.is_some() => {
                self.delegates.insert(started.turn.clone(), Vec::new());
            }
            _ => {}
        }
        let turn = match &line.entry {
            Entry::TurnStarted(started) => Some(&started.turn),
            Entry::Record(recorded) => Some(&recorded.turn),
            _ => None,
        };
        let delegate = turn.and_then(|turn| self.delegates.get_mut(turn));
        let messages = delegate.unwrap_or(&mut self.messages);
        self.session_state.apply(line.as_ref(), Some(messages));
        if let Entry::TurnEnded(ended) = &line.entry {
            self.delegates.remove(&ended.turn);
        }
    }

    /// Returns the open turn that works for no other, which a driver goes on with.
    #[must_use]
    pub fn open_turn(&self) -> Option<&Turn> {
        let mut open = self.session_state.open_turns.iter();
        open.rfind(|turn| turn.origin().parent_call.is_none())
    }

    /// Returns the conversation that a turn belongs to: its own if it is open and works for another, else the session's.
    #[must_use]
    pub fn conversation(&self, turn: &TurnId) -> &[Message] {
        self.delegates.get(turn).unwrap_or(&self.messages)
    }

    /// Returns what tools have noted for the conversations of the session.
    pub(crate) fn notes(&self) -> Vec<(String, Value)> {
        let notes = self.state.range(PREFIX.to_owned()..);
        let notes = notes.take_while(|(name, _)| name.starts_with(PREFIX));
        let notes = notes.filter(|(_, value)| !value.is_null());
        notes
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Returns a state of the session, as it was saved last.
    ///
    /// # Errors
    /// It was saved in another form.
    pub fn state<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, SessionError> {
        let read = |value: &Value| T::deserialize(value);
        let state = self.state.get(name).map(read).transpose();
        state.map_err(|source| SessionError::State {
            name: name.to_owned(),
            source,
        })
    }
}
