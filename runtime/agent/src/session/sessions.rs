//! Access to a store of sessions.

use std::sync::Arc;

use super::{
    Entry, History, Posting, Session, SessionError, SessionMetadata, SessionStore, SessionSummary,
    id,
};
use crate::journal::{Line, Repair, Timestamp};
use helve_core::transcript::SessionId;

/// The sessions of a store.
///
/// ```
/// use helve::agent::session::{MemoryStore, SessionMetadata, Sessions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::agent::session::SessionError> {
/// let sessions = Sessions::new(MemoryStore::new());
/// let session = sessions.create(SessionMetadata::new("example")).await?;
/// let id = session.id().clone();
/// drop(session);
/// assert_eq!(sessions.load(&id).await?.session.id(), &id);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Sessions {
    pub(super) store: Arc<dyn SessionStore>,
}

/// A session that was loaded: the session for writing, and its history.
#[derive(Debug)]
#[non_exhaustive]
pub struct LoadedSession {
    /// The session, for writing.
    pub session: Session,
    /// The history of the session.
    pub history: History,
    /// The repair of the journal, if its end was torn; callers should report it.
    pub repair: Option<Repair>,
}

impl Sessions {
    /// Opens the sessions of a store.
    pub fn new(store: impl SessionStore + 'static) -> Self {
        Self {
            store: Arc::new(store),
        }
    }

    /// Creates a session and locks it.
    ///
    /// # Errors
    /// A session with the id exists, or the session cannot be written.
    pub async fn create(&self, about: SessionMetadata) -> Result<Session, SessionError> {
        let session = about.session.clone();
        id::validate_id(&session)?;
        let first = vec![(Timestamp::now(), Entry::Created(about))];
        let writer = self.store.create(&session, first).await?;
        Session::from_created(session, self.store.clone(), writer).await
    }

    /// Locks a session and reads its history.
    ///
    /// # Errors
    /// The session does not exist, another process writes to it, or its journal is damaged.
    pub async fn load(&self, session: &SessionId) -> Result<LoadedSession, SessionError> {
        id::validate_id(session)?;
        let opened = self.store.open(session).await?;
        let standing = opened.history.session_state.clone();
        let store = self.store.clone();
        Ok(LoadedSession {
            session: Session::new(session.clone(), store, opened.writer, standing),
            history: opened.history,
            repair: opened.repair,
        })
    }

    /// Reads the history of a session, even while another process writes to the session.
    ///
    /// # Errors
    /// The session does not exist, or its journal is damaged.
    pub async fn read(&self, session: &SessionId) -> Result<History, SessionError> {
        let mut history = History::new();
        self.visit(session, u64::MAX, |line| history.apply(line))
            .await?;
        Ok(history)
    }

    /// Passes the entries of a session up to a given one to a closure, in order, even while another process writes to
    /// the session.
    ///
    /// # Errors
    /// The session does not exist, or its journal is damaged before that entry.
    pub async fn visit(
        &self,
        session: &SessionId,
        last: u64,
        visit: impl FnMut(&Line<Entry>),
    ) -> Result<(), SessionError> {
        id::validate_id(session)?;
        self.store.visit(session, last, visit).await
    }

    /// Lists the sessions, the most recently written one first, without reading whole journals.
    ///
    /// # Errors
    /// The store cannot be read. A damaged session is listed with its problem.
    pub async fn list(&self) -> Result<Vec<SessionSummary>, SessionError> {
        self.store.list().await
    }

    /// Removes a session that is not locked, with its postings.
    ///
    /// # Errors
    /// The session does not exist, or a process writes to it.
    pub async fn remove(&self, session: &SessionId) -> Result<(), SessionError> {
        id::validate_id(session)?;
        self.store.remove(session).await
    }

    /// Posts an answer or a result to a session; the process that holds the session takes it.
    ///
    /// # Errors
    /// The session does not wait for the posting, or another posting for the call is pending.
    pub async fn post(&self, session: &SessionId, posting: Posting) -> Result<(), SessionError> {
        let history = self.read(session).await?;
        history.session_state.check_posting(&posting)?;
        self.store.post(session, posting).await
    }
}
