//! A recorded conversation.

use serde_json::Value;

use super::TurnReport;
use super::session::{History, LoadedSession, Session, SessionError};
use super::turn::Turn;
use helve_core::transcript::{Message, TurnId};

/// A recorded conversation: the session that is written to, and the messages so far.
///
/// ```
/// use helve::ToolContext;
/// use helve::agent::session::{SessionMetadata, MemoryStore, Sessions};
/// use helve::agent::{Agent, Conversation};
/// use helve::model::ScriptedModel;
/// use helve::transcript::Message;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let sessions = Sessions::new(MemoryStore::new());
/// let session = sessions.create(SessionMetadata::new("example")).await?;
/// let mut conversation = Conversation::new(session);
///
/// let agent = Agent::new("main", ScriptedModel::new().say("Hello.").say("As I said: hello."));
/// let context = ToolContext::new();
/// agent.run_in(&mut conversation, Message::user("Hi"), &context, |_event| {}).await?;
/// let report = agent.run_in(&mut conversation, Message::user("Again?"), &context, |_event| {}).await?;
/// assert_eq!(report.text(), "As I said: hello.");
/// assert_eq!(conversation.messages().len(), 4);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Conversation {
    pub(super) session: Session,
    pub(super) messages: Vec<Message>,
    /// The tasks and the replies of the delegates of the open turn.
    pub(super) delegates: Vec<(TurnId, Vec<Message>)>,
    /// The notes of tools, as of the last read of the journal.
    pub(super) notes: Vec<(String, Value)>,
    /// Whether a turn was abandoned, by its driver or because its future was dropped, so that the session has more
    /// entries than this value reflects.
    pub(super) is_stale: bool,
}

impl Conversation {
    /// Starts a conversation in a session that was just created.
    #[must_use]
    pub fn new(session: Session) -> Self {
        Self {
            session,
            messages: Vec::new(),
            delegates: Vec::new(),
            notes: Vec::new(),
            is_stale: false,
        }
    }

    /// Returns the session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the session, for writing.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Returns the messages so far.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the open turn, which [`Agent::resume`](super::Agent::resume) continues.
    #[must_use]
    pub fn open_turn(&self) -> Option<&Turn> {
        let open = self.session.state().open_turns.iter();
        open.rev().find(|turn| turn.origin().parent_call.is_none())
    }

    /// Reads the session again if a turn was abandoned.
    pub(super) async fn reload_if_stale(&mut self) -> Result<(), SessionError> {
        if self.is_stale {
            let history = self.session.reload().await?;
            self.set_history(history);
        }
        Ok(())
    }

    fn set_history(&mut self, history: History) {
        self.delegates = delegate_conversations(&history);
        self.notes = history.notes();
        self.messages = history.messages;
        self.is_stale = false;
    }

    pub(super) fn update_from_report(&mut self, report: &TurnReport) {
        self.messages.clone_from(&report.messages);
        self.is_stale = report.end().is_none();
    }
}

/// Returns the conversations of the delegates whose turns are open.
fn delegate_conversations(history: &History) -> Vec<(TurnId, Vec<Message>)> {
    let open = history.session_state.open_turns.iter().map(Turn::origin);
    let delegates = open.filter(|origin| origin.parent_call.is_some());
    let conversation = |turn: &TurnId| (turn.clone(), history.conversation(turn).to_vec());
    delegates.map(|origin| conversation(&origin.turn)).collect()
}

/// Continues a session that was loaded.
impl From<LoadedSession> for Conversation {
    fn from(loaded: LoadedSession) -> Self {
        let mut conversation = Self::new(loaded.session);
        conversation.set_history(loaded.history);
        conversation
    }
}
