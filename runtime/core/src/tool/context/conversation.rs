//! The state that tools keep for one conversation of a session.

use std::collections::HashMap;
use std::sync::Arc;

use super::ToolContext;
use crate::support::lock::Mutex;
use crate::tool::state::State;
use crate::transcript::{AgentId, Origin, TurnId};

/// The states of the conversations of a session: of the agent that works for the user, and of its delegates.
#[derive(Debug, Default)]
struct ConversationStates(Mutex<HashMap<ConversationKey, Arc<State>>>);

/// The agent, and the turn if it is a delegate's: each such turn is a conversation of its own.
pub(super) type ConversationKey = (AgentId, Option<TurnId>);

impl ToolContext {
    /// Returns the state that tools keep for the conversation of this call, such as what its model has seen.
    ///
    /// The state lives as long as the conversation: over all turns of the agent that works for the user, and for one
    /// turn of a delegate. A delegate starts with empty state, which is not passed back to the agent that it works
    /// for. State that all agents of a session share is in [`session_state`](Self::session_state).
    ///
    /// ```
    /// # extern crate helve_core as helve;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use helve::ToolContext;
    ///
    /// #[derive(Default)]
    /// struct Reads(AtomicU32);
    ///
    /// let cx = ToolContext::builder().agent("main".into()).turn("t1".into()).build();
    /// cx.conversation_state().get_or_default::<Reads>().0.fetch_add(1, Ordering::Relaxed);
    ///
    /// let delegate = cx.derive().agent("helper".into()).turn("t1/2.0".into()).build();
    /// assert_eq!(delegate.conversation_state().get_or_default::<Reads>().0.load(Ordering::Relaxed), 0);
    ///
    /// let next = cx.derive().turn("t2".into()).build();
    /// assert_eq!(next.conversation_state().get_or_default::<Reads>().0.load(Ordering::Relaxed), 1);
    /// ```
    #[must_use]
    pub fn conversation_state(&self) -> Arc<State> {
        let lineages = self.session_state().get_or_default::<ConversationStates>();
        let mut states = lineages.0.lock();
        let lineage = lineage(self.agent_id(), self.turn_id());
        Arc::clone(states.entry(lineage).or_default())
    }

    /// Drops the state and the notes of a delegate whose turn has ended.
    #[doc(hidden)]
    pub fn end_conversation(&self, of: &Origin) {
        let lineages = self.session_state().get_or_default::<ConversationStates>();
        let ended = lineage(&of.agent, &of.turn);
        lineages.0.lock().remove(&ended);
        self.forget_conversation_notes(&ended);
    }
}

pub(super) fn lineage(agent: &AgentId, turn: &TurnId) -> ConversationKey {
    // The id of a delegate's turn is the address of the call that the turn works for.
    let is_delegate = turn.contains('/');
    (agent.clone(), is_delegate.then(|| turn.clone()))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_notes_of_a_delegate_end_with_its_turn() {
        let main = ToolContext::builder();
        let main = main.agent("main".into()).turn("t1".into()).build();
        let helper = |turn: &str| {
            main.derive()
                .agent("helper".into())
                .turn(turn.into())
                .build()
        };
        let (ended, other) = (helper("t1/2.0"), helper("t1/2.01"));
        for context in [&main, &ended, &other] {
            context.note("page", &7);
        }
        assert_eq!(main.take_unsaved_notes().len(), 3);
        main.end_conversation(&Origin::new("helper", "t1/2.0"));
        assert_eq!(ended.read_note::<u32>("page"), None);
        assert_eq!(main.read_note("page"), Some(7));
        assert_eq!(other.read_note("page"), Some(7));
        // The notes are removed from the journal, too.
        let unsaved = main.take_unsaved_notes();
        let [(name, Value::Null)] = unsaved.as_slice() else {
            panic!("{unsaved:?}")
        };
        assert_eq!(name, r#"note:["helper","t1/2.0","page"]"#);
    }
}
