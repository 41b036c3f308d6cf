//! The search: follows the sessions, and answers.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use helve_agent::session::{EntryPage, FolderStore, SessionError, SessionStore};
use helve_core::transcript::SessionId;
use helve_text_index::{
    Applied, Collection, IndexBatch, SourcePosition, TextIndex, TextIndexError,
};
use tokio::sync::{Mutex, OnceCell};

use crate::error::SessionSearchError;
use crate::followed::FollowedSession;
use crate::hit::{SessionHit, SessionQuery};
use crate::listing::{self, SessionEnd};
use crate::lookup;

/// The collection of the messages in the index.
const COLLECTION: &str = "sessions";

/// The search in the sessions of a store.
///
/// The index is opened with the first search. [`update`](Self::update) indexes what the sessions have got since the last
/// time; several processes may do so at once. All clones share an index.
///
/// ```
/// use helve::agent::session::{FolderStore, SessionMetadata, Sessions};
/// use helve::session_search::{SessionQuery, SessionSearch};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let state = tempfile::tempdir()?;
/// let folder = state.path().join("sessions");
/// Sessions::new(FolderStore::new(&folder)).create(SessionMetadata::new("example")).await?;
/// let search = SessionSearch::in_folder(&folder, state.path());
/// assert_eq!(search.update().await?.sessions, 1);
/// assert!(search.search(&SessionQuery::new("a question", 10)).await?.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SessionSearch {
    inner: Arc<SearchInner>,
}

struct SearchInner {
    store: Arc<dyn SessionStore>,
    /// The folder of the journals, if the store is a folder.
    folder: Option<PathBuf>,
    index_folder: PathBuf,
    collection: OnceCell<Collection>,
    updating: Mutex<()>,
}

/// What an update of the index did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexUpdate {
    /// The number of sessions that had something new.
    pub sessions: usize,
    /// The number of entries that were read.
    pub entries: u64,
    /// The number of sessions that were removed from the index, since they no longer exist.
    pub removed: usize,
    /// The number of sessions that cannot be read to their end.
    pub damaged: usize,
    /// Whether the update reached the end of every session.
    pub is_complete: bool,
}

impl fmt::Debug for SessionSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionSearch")
            .field("index_folder", &self.inner.index_folder)
            .finish_non_exhaustive()
    }
}

impl SessionSearch {
    /// Creates the search in the sessions of a store, with its index in a folder.
    pub fn new(store: impl SessionStore + 'static, index_folder: impl Into<PathBuf>) -> Self {
        Self::with_folder(Arc::new(store), None, index_folder.into())
    }

    /// Creates the search in the sessions of a [`FolderStore`], with its index in another folder. It finds out what is new
    /// by the lengths of the files, which is faster than to ask the store.
    pub fn in_folder(sessions: impl Into<PathBuf>, index_folder: impl Into<PathBuf>) -> Self {
        let folder = sessions.into();
        let store = Arc::new(FolderStore::new(&folder));
        Self::with_folder(store, Some(folder), index_folder.into())
    }

    fn with_folder(
        store: Arc<dyn SessionStore>,
        folder: Option<PathBuf>,
        index_folder: PathBuf,
    ) -> Self {
        Self {
            inner: Arc::new(SearchInner {
                store,
                folder,
                index_folder,
                collection: OnceCell::new(),
                updating: Mutex::new(()),
            }),
        }
    }

    /// Indexes what the sessions have got since the last update, the latest sessions first.
    ///
    /// A session that cannot be read to its end is indexed as far as it can be read.
    ///
    /// # Errors
    /// Fails if the sessions cannot be listed, or the index cannot be used.
    pub async fn update(&self) -> Result<IndexUpdate, SessionSearchError> {
        self.update_within(Duration::MAX).await
    }

    /// Indexes as [`SessionSearch::update`] does, for about the given time at most. What is left is for the next update.
    ///
    /// # Errors
    /// Fails if the sessions cannot be listed, or the index cannot be used.
    pub async fn update_within(&self, time: Duration) -> Result<IndexUpdate, SessionSearchError> {
        let begin = tokio::time::Instant::now();
        let _updating = self.inner.updating.lock().await;
        let listed = listing::list(&*self.inner.store, self.inner.folder.as_deref()).await?;
        let mut indexed = self.positions().await?;
        let mut update = IndexUpdate {
            is_complete: true,
            ..IndexUpdate::default()
        };
        for (session, end) in listed.iter().rev() {
            let position = indexed.remove(session);
            let followed = position.as_ref().and_then(read_stamp);
            if followed
                .as_ref()
                .is_some_and(|followed| end.is_read(followed))
            {
                continue;
            }
            if begin.elapsed() >= time {
                update.is_complete = false;
                continue;
            }
            update.sessions += 1;
            self.follow(session, *end, position, &mut update).await?;
        }
        self.remove(indexed.into_keys(), &mut update).await?;
        Ok(update)
    }

    /// Indexes what one session has got since the last update.
    ///
    /// # Errors
    /// Fails if the index cannot be used.
    pub async fn update_session(
        &self,
        session: &SessionId,
    ) -> Result<IndexUpdate, SessionSearchError> {
        let _updating = self.inner.updating.lock().await;
        let source = session.to_string();
        let position = self
            .with_collection(move |collection| collection.position(&source))
            .await?;
        let mut update = IndexUpdate {
            sessions: 1,
            is_complete: true,
            ..IndexUpdate::default()
        };
        let end = SessionEnd::Entries(u64::MAX);
        self.follow(session, end, position, &mut update).await?;
        Ok(update)
    }

    /// Finds the messages that match a query best, the best first. Only what was [indexed](Self::update) is found. What a
    /// fork has from its original is found in the original alone.
    ///
    /// # Errors
    /// Fails if the index cannot be used.
    pub async fn search(
        &self,
        query: &SessionQuery,
    ) -> Result<Vec<SessionHit>, SessionSearchError> {
        let query = query.clone();
        self.with_collection(move |collection| lookup::search(collection, &query))
            .await
    }

    /// Removes the index of the sessions, so that the next update makes it again.
    ///
    /// # Errors
    /// Fails if the index cannot be used.
    pub async fn reset(&self) -> Result<(), SessionSearchError> {
        self.with_collection(Collection::clear).await
    }

    pub(crate) fn store(&self) -> &dyn SessionStore {
        &*self.inner.store
    }

    async fn positions(&self) -> Result<BTreeMap<String, SourcePosition>, SessionSearchError> {
        let positions = self.with_collection(Collection::positions).await?;
        let positions = positions.into_iter();
        Ok(positions
            .map(|position| (position.source.clone(), position))
            .collect())
    }

    /// Reads a session on from a position, and indexes its messages page by page.
    async fn follow(
        &self,
        session: &str,
        end: SessionEnd,
        position: Option<SourcePosition>,
        update: &mut IndexUpdate,
    ) -> Result<(), SessionSearchError> {
        let id = SessionId::from(session);
        let mut from = position.as_ref().map(|position| position.position);
        let known = position.as_ref().and_then(read_stamp);
        let known = known.filter(|followed| !end.is_before(followed));
        let (mut is_new, mut may_be_another) = (known.is_none(), known.is_some());
        let mut followed = known.unwrap_or_default();
        followed.damaged_at = None;
        loop {
            let read = self.inner.store.read(&id, followed.position()).await;
            let page = match read {
                Ok(page) => page,
                Err(SessionError::Unknown { .. }) => return Ok(()),
                // The journal may be another one than that which was read before.
                Err(_) if may_be_another => {
                    (is_new, may_be_another) = (true, false);
                    followed = FollowedSession::default();
                    continue;
                }
                Err(error) => {
                    tracing::warn!(session, %error, "a session is not indexed to its end");
                    update.damaged += 1;
                    followed.damaged_at = Some(end.value());
                    EntryPage::new(Vec::new(), followed.position(), false)
                }
            };
            let (next, more) = (page.next, page.more);
            let is_changed = next != followed.position() || followed.damaged_at.is_some();
            if is_changed || from.is_none() {
                update.entries += page.lines.len() as u64;
                let begin = (from, std::mem::take(&mut is_new) && from.is_some());
                let applied = self.index_or_mark(session, page, begin, &mut followed, end, update);
                let applied = applied.await?;
                if applied == Applied::Moved {
                    // Another process indexes the session.
                    return Ok(());
                }
                from = Some(followed.seq);
            }
            if !more || followed.damaged_at.is_some() {
                return Ok(());
            }
        }
    }

    /// Indexes a page of a session. A session that the index refuses is damaged from there on, and does not stop the others.
    async fn index_or_mark(
        &self,
        session: &str,
        page: EntryPage,
        begin: (Option<u64>, bool),
        followed: &mut FollowedSession,
        end: SessionEnd,
        update: &mut IndexUpdate,
    ) -> Result<Applied, SessionSearchError> {
        let before = followed.clone();
        match self.index_page(session, page, begin, followed).await {
            Err(SessionSearchError::Index(error @ TextIndexError::Length { .. })) => {
                tracing::warn!(session, %error, "a session is not indexed to its end");
                update.damaged += 1;
                *followed = before;
                followed.damaged_at = Some(end.value());
                let page = EntryPage::new(Vec::new(), followed.position(), false);
                self.index_page(session, page, begin, followed).await
            }
            applied => applied,
        }
    }

    /// Indexes a page of a session, after a position, and without what was indexed before if the page is its first one.
    async fn index_page(
        &self,
        session: &str,
        page: EntryPage,
        (from, is_again): (Option<u64>, bool),
        followed: &mut FollowedSession,
    ) -> Result<Applied, SessionSearchError> {
        let mut batch = IndexBatch::new();
        if is_again {
            batch.remove_source(session);
        }
        for line in &page.lines {
            followed.read(session, line, &mut batch)?;
        }
        (followed.seq, followed.bytes) = (page.next.seq, page.next.bytes);
        batch.advance(session, from, followed.seq, followed.to_stamp())?;
        self.with_collection(move |collection| collection.apply(&batch))
            .await
    }

    /// Removes sessions that no longer exist from the index.
    async fn remove(
        &self,
        sessions: impl Iterator<Item = String>,
        update: &mut IndexUpdate,
    ) -> Result<(), SessionSearchError> {
        let mut batch = IndexBatch::new();
        for session in sessions {
            batch.remove_source(session);
            update.removed += 1;
        }
        let removed = self.with_collection(move |collection| collection.apply(&batch));
        let _: Applied = removed.await?;
        Ok(())
    }

    /// Runs an operation on the index, on a thread that may block.
    async fn with_collection<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&Collection) -> Result<T, TextIndexError> + Send + 'static,
    ) -> Result<T, SessionSearchError> {
        let open = || async {
            let folder = self.inner.index_folder.clone();
            let open = move || open_collection(&folder);
            let opened = tokio::task::spawn_blocking(open).await;
            opened.unwrap_or(Err(SessionSearchError::Stopped))
        };
        let collection = self.inner.collection.get_or_try_init(open).await?.clone();
        let done = tokio::task::spawn_blocking(move || operation(&collection)).await;
        Ok(done.map_err(|_| SessionSearchError::Stopped)??)
    }
}

fn open_collection(folder: &Path) -> Result<Collection, SessionSearchError> {
    Ok(TextIndex::open(folder)?.collection(COLLECTION)?)
}

fn read_stamp(position: &SourcePosition) -> Option<FollowedSession> {
    FollowedSession::from_stamp(&position.stamp)
}
