//! The messages of a session, to read.

use helve_agent::journal::{Position, Timestamp};
use helve_agent::session::{Entry, SessionError};
use helve_core::tool::Principal;
use helve_core::transcript::{SessionId, TurnId};

use crate::error::SessionSearchError;
use crate::message::{MessageReader, SessionMessage};
use crate::service::SessionSearch;

/// Which messages of a session to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TranscriptPage {
    /// The principal whose session it has to be; that of anyone if there is none.
    pub principal: Option<Principal>,
    /// The turn whose messages are read; those of all turns if there is none.
    pub turn: Option<TurnId>,
    /// The number of messages that are left out before the first one.
    pub offset: usize,
    /// The most messages to read.
    pub limit: usize,
}

impl TranscriptPage {
    /// Creates a page of at most `limit` messages.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Sets the principal whose session it has to be.
    #[must_use]
    pub fn principal(mut self, principal: Principal) -> Self {
        self.principal = Some(principal);
        self
    }

    /// Sets the turn whose messages are read.
    #[must_use]
    pub fn turn(mut self, turn: impl Into<TurnId>) -> Self {
        self.turn = Some(turn.into());
        self
    }

    /// Sets the number of messages that are left out before the first one.
    #[must_use]
    pub fn offset(mut self, messages: usize) -> Self {
        self.offset = messages;
        self
    }
}

/// Messages of a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Transcript {
    /// The session.
    pub session: SessionId,
    /// The folder in which the tools of the session worked.
    pub folder: Option<String>,
    /// When the session was created.
    pub created: Option<Timestamp>,
    /// The messages of the page.
    pub messages: Vec<SessionMessage>,
    /// The number of messages of the session, or of the turn.
    pub total: usize,
}

impl SessionSearch {
    /// Reads messages of a session from its journal, whether it is indexed or not. Long texts are cut.
    ///
    /// # Errors
    /// Fails if the session does not exist, is that of another principal, or cannot be read, and if it does not have the
    /// turn.
    pub async fn read(
        &self,
        session: &SessionId,
        page: &TranscriptPage,
    ) -> Result<Transcript, SessionSearchError> {
        let mut transcript = Transcript {
            session: session.clone(),
            folder: None,
            created: None,
            messages: Vec::new(),
            total: 0,
        };
        let mut reader = MessageReader::default();
        let mut position = Position::default();
        let mut has_turn = page.turn.is_none();
        loop {
            let read = self.store().read(session, position).await?;
            for line in &read.lines {
                if let Entry::Created(about) = &line.entry {
                    let wanted = page.principal.as_ref();
                    if wanted.is_some_and(|wanted| *wanted != about.principal) {
                        let id = session.clone();
                        return Err(SessionError::Unknown { id }.into());
                    }
                    transcript.folder.clone_from(&about.folder);
                    transcript.created = Some(line.at);
                }
                reader.read(line, |message| {
                    if page.turn.as_ref().is_some_and(|turn| *turn != message.turn) {
                        return;
                    }
                    has_turn = true;
                    let is_shown =
                        transcript.total >= page.offset && transcript.messages.len() < page.limit;
                    transcript.total += 1;
                    if is_shown {
                        transcript.messages.push(message);
                    }
                });
            }
            position = read.next;
            if !read.more {
                break;
            }
        }
        match &page.turn {
            Some(turn) if !has_turn => Err(SessionSearchError::UnknownTurn {
                session: session.to_string(),
                turn: turn.to_string(),
            }),
            _ => Ok(transcript),
        }
    }
}
