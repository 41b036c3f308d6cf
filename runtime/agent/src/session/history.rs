//! The history of a session: the fold of all of its entries.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Artifact, Entry, SessionError, SessionState};
use crate::journal::Line;
use crate::turn::Turn;
use helve_core::tool::NOTE_PREFIX as PREFIX;
use helve_core::transcript::{Message, TurnId};

/// The history of a session: the fold of its entries, from which a driver continues.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct History {
    /// The state of the session.
    pub session_state: SessionState,
    /// The conversation, including the messages that the open turn has added.
    pub messages: Vec<Message>,
    /// The artifacts of the session.
    pub artifacts: Vec<Artifact>,
    /// The conversations of open turns that work for another turn.
    delegates: BTreeMap<TurnId, Vec<Message>>,
    /// The saved states of the session, by name.
    state: BTreeMap<String, Value>,
}

impl History {
    /// Creates the history of a session without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Applies the next entry. An entry that is invalid at its position changes nothing, as when it was written.
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

    /// Returns the open turn that works for no other turn. A driver continues with this turn.
    #[must_use]
    pub fn open_turn(&self) -> Option<&Turn> {
        let mut open = self.session_state.open_turns.iter();
        open.rfind(|turn| turn.origin().parent_call.is_none())
    }

    /// Returns the conversation that a turn belongs to: its own if the turn is open and works for another turn,
    /// otherwise that of the session.
    #[must_use]
    pub fn conversation(&self, turn: &TurnId) -> &[Message] {
        self.delegates.get(turn).unwrap_or(&self.messages)
    }

    /// Returns the notes that tools have saved for the conversations of the session.
    pub(crate) fn notes(&self) -> Vec<(String, Value)> {
        let notes = self.state.range(PREFIX.to_owned()..);
        let notes = notes.take_while(|(name, _)| name.starts_with(PREFIX));
        let notes = notes.filter(|(_, value)| !value.is_null());
        notes
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Returns a state of the session as it was last saved.
    ///
    /// # Errors
    /// The state was saved in another form.
    pub fn state<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, SessionError> {
        let read = |value: &Value| T::deserialize(value);
        let state = self.state.get(name).map(read).transpose();
        state.map_err(|source| SessionError::State {
            name: name.to_owned(),
            source,
        })
    }
}
