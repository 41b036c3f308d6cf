//! A folder of sessions in which a program can die while it writes.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use helve::agent::session::{
    Entry, EntryPage, FolderStore, OpenedSession, Posting, PostingHeader, ReceivedPosting,
    SessionError, SessionStore, SessionSummary, SessionWriter, TimestampedEntry,
};
use helve::agent::turn::Record;
use helve::transcript::SessionId;
use helve::transcript::journal::{Durability, Position};

use crate::kill::crash_point::{CrashInjector, CrashPoint};

#[derive(Debug)]
pub(crate) struct CrashingStore {
    pub(crate) inner: FolderStore,
    pub(crate) trap: Arc<CrashInjector>,
}

impl CrashingStore {
    fn writer(
        &self,
        id: &SessionId,
        inner: Box<dyn SessionWriter>,
    ) -> Result<Box<dyn SessionWriter>, SessionError> {
        Ok(Box::new(CrashingWriter {
            inner,
            file: self.inner.file(id)?,
            trap: self.trap.clone(),
        }))
    }
}

impl SessionStore for CrashingStore {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        first: Vec<TimestampedEntry>,
    ) -> BoxFuture<'a, Result<Box<dyn SessionWriter>, SessionError>> {
        async move { self.writer(id, self.inner.create(id, first).await?) }.boxed()
    }

    fn open<'a>(&'a self, id: &'a SessionId) -> BoxFuture<'a, Result<OpenedSession, SessionError>> {
        async move {
            let mut opened = self.inner.open(id).await?;
            opened.writer = self.writer(id, opened.writer)?;
            Ok(opened)
        }
        .boxed()
    }

    fn read<'a>(
        &'a self,
        id: &'a SessionId,
        after: Position,
    ) -> BoxFuture<'a, Result<EntryPage, SessionError>> {
        self.inner.read(id, after)
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<SessionSummary>, SessionError>> {
        self.inner.list()
    }

    fn remove<'a>(&'a self, id: &'a SessionId) -> BoxFuture<'a, Result<(), SessionError>> {
        self.inner.remove(id)
    }

    fn post<'a>(
        &'a self,
        id: &'a SessionId,
        posting: Posting,
        header: PostingHeader,
    ) -> BoxFuture<'a, Result<(), SessionError>> {
        self.inner.post(id, posting, header)
    }

    fn read_postings<'a>(
        &'a self,
        id: &'a SessionId,
    ) -> BoxFuture<'a, Result<Vec<ReceivedPosting>, SessionError>> {
        self.inner.read_postings(id)
    }

    fn clear_posting<'a>(
        &'a self,
        id: &'a SessionId,
        posted: ReceivedPosting,
        refused: Option<String>,
    ) -> BoxFuture<'a, Result<(), SessionError>> {
        self.inner.clear_posting(id, posted, refused)
    }
}

#[derive(Debug)]
struct CrashingWriter {
    inner: Box<dyn SessionWriter>,
    file: PathBuf,
    trap: Arc<CrashInjector>,
}

impl SessionWriter for CrashingWriter {
    fn append(
        &mut self,
        entries: Arc<[TimestampedEntry]>,
        durability: Durability,
    ) -> BoxFuture<'_, Result<(), SessionError>> {
        // A line is a little longer than its entry: what is taken of this is never the whole.
        let long = |(_, entry): &TimestampedEntry| {
            serde_json::to_vec(entry).expect("entries serialise").len()
        };
        let bytes = entries.iter().map(long).sum::<usize>() as u64;
        self.trap
            .pass_writing(&self.file, bytes)
            .expect("the kernel lets us limit ourselves");
        let finishes = entries.iter().any(|(_, entry)| finishes(entry));
        async move {
            self.inner.append(entries, durability).await?;
            if finishes {
                self.trap.pass(CrashPoint::AfterTool);
            }
            Ok(())
        }
        .boxed()
    }

    fn position(&mut self) -> BoxFuture<'_, Position> {
        self.inner.position()
    }
}

/// Reports whether an entry is the outcome of a call.
fn finishes(entry: &Entry) -> bool {
    let Entry::Record(recorded) = entry else {
        return false;
    };
    matches!(recorded.record, Record::Finished { .. })
}
