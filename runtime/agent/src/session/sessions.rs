//! Access to a store of sessions.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};

use super::{
    Entry, History, Posting, PostingHeader, PostingTarget, ReceivedPosting, Session, SessionError,
    SessionMetadata, SessionStore, SessionSummary, id,
};
use crate::journal::{Line, Position, Repair, Timestamp};
use helve_core::transcript::{CallAddress, SessionId};

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
        self.create_with(about, Vec::new()).await
    }

    /// Creates a session with entries, all or none of them, and locks it.
    ///
    /// # Errors
    /// As for [`create`](Self::create).
    pub async fn create_with(
        &self,
        about: SessionMetadata,
        entries: Vec<Entry>,
    ) -> Result<Session, SessionError> {
        let (session, at) = (about.session.clone(), Timestamp::now());
        id::validate_id(&session)?;
        let first = [Entry::Created(about)].into_iter().chain(entries);
        let first = first.map(|entry| (at, entry)).collect();
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

    /// Watches a session: the stream has an item for its last entry at once, and one when entries were added. Several
    /// entries may be one item.
    ///
    /// The stream ends with the first error: the session does not exist or is removed, or its journal is damaged.
    pub fn watch(
        &self,
        session: &SessionId,
    ) -> BoxStream<'static, Result<SessionChange, SessionError>> {
        if let Err(invalid) = id::validate_id(session) {
            return stream::once(std::future::ready(Err(invalid))).boxed();
        }
        let (store, session) = (self.store.clone(), session.clone());
        let begin = (store.watch(Some(&session)), Position::default());
        let ends = stream::try_unfold(begin, move |(mut notices, last)| {
            let (store, session) = (store.clone(), session.clone());
            async move {
                while notices.next().await.is_some() {
                    let end = end_after(&*store, &session, last).await?;
                    if end.seq > last.seq {
                        let seq = end.seq;
                        return Ok(Some((SessionChange { session, seq }, (notices, end))));
                    }
                }
                Ok(None)
            }
        });
        ends.boxed()
    }

    /// Lists what is posted and not recorded yet, in order.
    ///
    /// # Errors
    /// The session does not exist, or its postings cannot be read.
    pub async fn postings(
        &self,
        session: &SessionId,
    ) -> Result<Vec<ReceivedPosting>, SessionError> {
        id::validate_id(session)?;
        self.store.read_postings(session).await
    }

    /// Removes what is posted about a target, unless it was recorded; returns whether there was something. A note that a
    /// turn records at the same moment may be read in spite of it.
    ///
    /// # Errors
    /// The session does not exist, or its postings cannot be read or removed.
    pub async fn revoke(
        &self,
        session: &SessionId,
        target: &PostingTarget,
    ) -> Result<bool, SessionError> {
        let pending = self.postings(session).await?.into_iter();
        let mut pending = pending.filter(|posted| posted.posting.target() == *target);
        let Some(posted) = pending.next() else {
            return Ok(false);
        };
        let reason = Some("revoked".to_owned());
        self.store.clear_posting(session, posted, reason).await?;
        Ok(true)
    }

    /// Posts an answer, a result, a note or a request to stop to a session; the process that holds the session takes it.
    ///
    /// # Errors
    /// The session does not wait for the posting, or another posting for the call is pending.
    pub async fn post(&self, session: &SessionId, posting: Posting) -> Result<(), SessionError> {
        let header = PostingHeader::new();
        self.post_with(session, posting, header).await
    }

    /// Posts something with its author, its key, and the question that was shown. The time is set if the
    /// header has none.
    ///
    /// A posting with the key of an earlier one for the same call is the same posting: it is stored once, and posting
    /// it again succeeds, also after the call has its answer. A note is the same posting as any with its id, and all
    /// requests to stop one turn are the same.
    ///
    /// # Errors
    /// The session does not wait for the posting, the question has changed since it was shown, or another posting for
    /// the call is pending. The error says who was first.
    pub async fn post_with(
        &self,
        session: &SessionId,
        posting: Posting,
        header: PostingHeader,
    ) -> Result<(), SessionError> {
        self.post_once(session, posting, header).await.map(drop)
    }

    /// Like [`post_with`](Self::post_with), and returns whether the posting was not posted before.
    ///
    /// # Errors
    /// As for [`post_with`](Self::post_with).
    pub async fn post_once(
        &self,
        session: &SessionId,
        posting: Posting,
        mut header: PostingHeader,
    ) -> Result<bool, SessionError> {
        let state = self.read(session).await?.session_state;
        let is_said = match &posting {
            Posting::Say { note, .. } if state.has_note(&note.id) => return Ok(false),
            Posting::Say { .. } => true,
            _ => false,
        };
        if is_said || header != PostingHeader::default() {
            header.at.get_or_insert_with(Timestamp::now);
        }
        let (target, key) = (posting.target(), header.key.clone());
        let checked = state.check_posting(&posting);
        let refused = match checked.and_then(|()| state.check_shown(&posting, &header)) {
            Ok(()) => match self.store.post(session, posting, header).await {
                // A note is known by its id, and a turn is stopped once.
                Err(SessionError::AlreadyPosted { .. }) if call_of(&target).is_none() => {
                    return Ok(false);
                }
                Err(error @ SessionError::AlreadyPosted { .. }) => error,
                posted => return posted.map(|()| true),
            },
            Err(stale) => stale,
        };
        let is_same = |other: &PostingHeader| key.is_some() && other.key == key;
        if let SessionError::AlreadyPosted {
            first: Some(first), ..
        } = &refused
            && is_same(first)
        {
            return Ok(false);
        }
        let receipts = self.store.receipts(session).await?;
        let mut receipts = receipts
            .into_iter()
            .filter(|receipt| receipt.target == target);
        let first = receipts.next().map(|receipt| receipt.header);
        match first.iter().any(is_same) || receipts.any(|receipt| is_same(&receipt.header)) {
            true => Ok(false),
            false if first.is_some() => Err(refused.with_first(first)),
            false => Err(refused),
        }
    }
}

fn call_of(target: &PostingTarget) -> Option<&CallAddress> {
    match target {
        PostingTarget::Call(call) => Some(call),
        _ => None,
    }
}

/// Returns the end of the last entry after a position.
async fn end_after(
    store: &dyn SessionStore,
    session: &SessionId,
    mut position: Position,
) -> Result<Position, SessionError> {
    loop {
        let page = store.read(session, position).await?;
        position = page.next;
        if !page.more {
            return Ok(position);
        }
    }
}

/// A session changed: it has entries up to a number.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionChange {
    /// The session.
    pub session: SessionId,
    /// The number of its last entry.
    pub seq: u64,
}
