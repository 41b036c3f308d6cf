//! Goes back to an earlier message of a conversation.

use serde::{Deserialize, Serialize};

use super::Chat;
use super::files::POSITION;
use helve_agent::Conversation;
use helve_agent::journal::Durability;
use helve_agent::session::{Entry, SessionError};
use helve_core::transcript::{Message, SessionId};

/// The state of a session that records a rewind, until the next turn.
const REWIND: &str = "rewind";

/// A position of the history of the files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::chat) struct HistoryPosition {
    /// The session that the history began with.
    pub(in crate::chat) history: SessionId,
    pub(in crate::chat) position: u64,
}

/// What was before a rewind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Rewind {
    /// The session, if the conversation went on in a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    files: Option<HistoryPosition>,
}

/// A message of the user to which a conversation can go back.
#[derive(Debug, Clone)]
pub(in crate::chat) struct RewindPoint {
    /// The entry with which its turn begins.
    entry: u64,
    pub(in crate::chat) text: String,
    /// Where the history of the files was before the turn; `None` if there was none.
    pub(in crate::chat) files: Option<HistoryPosition>,
    /// How many files the session changed since, if that is known.
    pub(in crate::chat) changed: Option<usize>,
}

/// What `/undo` takes back.
#[derive(Debug, Clone)]
pub(in crate::chat) enum Undo {
    /// The last message and what followed.
    Exchange(RewindPoint),
    /// A rewind, with the session and the position of the files before it.
    Rewind(Option<SessionId>, Option<HistoryPosition>),
}

/// The messages of a session, and the rewind after the last one.
#[derive(Default)]
struct Points {
    points: Vec<RewindPoint>,
    rewind: Option<Rewind>,
    files: Option<HistoryPosition>,
}

impl Points {
    fn apply(&mut self, seq: u64, entry: &Entry) {
        match entry {
            Entry::TurnStarted(started)
                if started.parent_call.is_none() && started.taken_over.is_none() =>
            {
                self.rewind = None;
                self.points.push(RewindPoint {
                    entry: seq,
                    text: prompt_text(&started.prompt),
                    files: self.files.take(),
                    changed: None,
                });
            }
            Entry::State { name, value } if name == POSITION => {
                self.files = serde_json::from_value(value.clone()).ok();
            }
            Entry::State { name, value } if name == REWIND => {
                self.rewind = serde_json::from_value(value.clone()).ok();
            }
            _ => {}
        }
    }
}

impl Chat<'_> {
    async fn read_points(&mut self) -> Result<Points, SessionError> {
        let mut found = Points::default();
        let Some(id) = self.conversation_id().cloned() else {
            return Ok(found);
        };
        self.attach_files(&id).await;
        self.sessions
            .visit(&id, u64::MAX, |line| found.apply(line.seq, &line.entry))
            .await?;
        for point in &mut found.points {
            if let Some(files) = &point.files {
                point.changed = self.count_changed(files).await;
            }
        }
        Ok(found)
    }

    /// Lists the messages to which the conversation can go back, the last one first.
    pub(in crate::chat) async fn rewind_points(
        &mut self,
    ) -> Result<Vec<RewindPoint>, SessionError> {
        let mut points = self.read_points().await?.points;
        points.reverse();
        Ok(points)
    }

    /// Returns what `/undo` takes back.
    pub(in crate::chat) async fn last_undo(&mut self) -> Result<Option<Undo>, SessionError> {
        let found = self.read_points().await?;
        if let Some(Rewind { session, files }) = found.rewind
            && (session.is_some() || files.is_some())
        {
            return Ok(Some(Undo::Rewind(session, files)));
        }
        Ok(found.points.into_iter().next_back().map(Undo::Exchange))
    }

    /// Returns where the files are before a rewind.
    pub(in crate::chat) async fn position_of_files(&self) -> Option<HistoryPosition> {
        self.file_position().await
    }

    /// Continues in a copy of the session that ends before a message. The original is not changed.
    pub(in crate::chat) async fn rewind_conversation(
        &mut self,
        to: &RewindPoint,
    ) -> Result<(), SessionError> {
        let Some(id) = self.conversation_id().cloned() else {
            return Ok(());
        };
        let mut copy = self.sessions.fork(&id, Some(to.entry - 1)).await?;
        // The copy has the times of what it copies; with an entry of now it is the one that was written to last.
        let nothing = Entry::RulesGranted {
            allow: Vec::new(),
            deny: Vec::new(),
        };
        copy.append(nothing, Durability::Buffered).await?;
        let copy_id = copy.id().clone();
        // The session is loaded again, since the writer of the copy does not know the messages.
        drop(copy);
        let loaded = self.sessions.load(&copy_id).await?;
        self.enter(Conversation::from(loaded));
        // The files of a copy go on with the history of the original.
        if self.history.session.as_ref() == Some(&id) {
            self.history.session = Some(copy_id);
        }
        Ok(())
    }

    /// Records a rewind, so that `/undo` takes it back: the session before, if the conversation went back, and the
    /// position of the files before, if the files did.
    pub(in crate::chat) async fn record_rewind(
        &mut self,
        session: Option<SessionId>,
        files: Option<HistoryPosition>,
    ) -> Result<(), SessionError> {
        let Some(conversation) = &mut self.conversation else {
            return Ok(());
        };
        let rewind = Rewind { session, files };
        conversation.session_mut().save_state(REWIND, &rewind).await
    }

    /// Continues the session from which a rewind made a copy.
    pub(in crate::chat) async fn leave_copy(
        &mut self,
        original: &SessionId,
    ) -> Result<(), SessionError> {
        let loaded = self.sessions.load(original).await?;
        let copy = self.conversation_id().cloned();
        self.enter(Conversation::from(loaded));
        if self.history.session == copy {
            self.history.session = Some(original.clone());
        }
        Ok(())
    }

    /// Continues another conversation. What tools know of this one, such as the tasks, is read from the other's journal.
    fn enter(&mut self, conversation: Conversation) {
        self.context = self.app.tool_context();
        self.conversation = Some(conversation);
    }
}

fn prompt_text(prompt: &[Message]) -> String {
    let text = prompt.iter().filter_map(|message| match message {
        Message::User { content } => content.iter().find_map(|block| block.as_text()),
        _ => None,
    });
    text.collect()
}
