//! A conversation that is recorded.

use serde_json::Value;

use super::TurnReport;
use super::session::{History, LoadedSession, Session, SessionError};
use super::turn::Turn;
use helve_core::transcript::{Message, TurnId};

/// A conversation that is recorded: the session that is written to, and what was said in it so far.
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
    /// The tasks and the answers of the delegates of the open turn.
    pub(super) delegates: Vec<(TurnId, Vec<Message>)>,
    /// What tools have noted, as far as the journal was read.
    pub(super) notes: Vec<(String, Value)>,
    /// A turn was left in the middle, by its driver or because its future was dropped: the session knows more than is
    /// here.
    pub(super) is_stale: bool,
}

impl Conversation {
    /// Begins a conversation in a session that was just created.
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

    /// Returns the session, to write to it.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Returns what was said so far.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the turn that is not over, which [`Agent::resume`](super::Agent::resume) goes on with.
    #[must_use]
    pub fn open_turn(&self) -> Option<&Turn> {
        let open = self.session.state().open_turns.iter();
        open.rev().find(|turn| turn.origin().parent_call.is_none())
    }

    /// Reads what the session knows, where a turn was left in the middle.
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

/// Goes on with a session that was loaded.
impl From<LoadedSession> for Conversation {
    fn from(loaded: LoadedSession) -> Self {
        let mut conversation = Self::new(loaded.session);
        conversation.set_history(loaded.history);
        conversation
    }
}
