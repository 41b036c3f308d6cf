//! The checks of stores: both stores pass them, and each way of being broken fails one.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use helve_runtime::agent::session::{
    EntryPage, FolderStore, Lease, MemoryStore, OpenedSession, Posting, PostingHeader,
    PostingReceipt, ReceivedPosting, SessionStore, SessionSummary, SessionWriter, StoreChecks,
    StoreFuture, StoreWatch, TimestampedEntry,
};
use helve_runtime::transcript::SessionId;
use helve_runtime::transcript::journal::{Durability, Position};

#[tokio::test]
async fn the_store_in_memory_passes() {
    let checks = StoreChecks::new(MemoryStore::new).expire_leases(MemoryStore::expire_leases);
    checks.run().await.unwrap();
}

#[tokio::test]
async fn the_store_in_a_folder_passes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let number = std::sync::atomic::AtomicU32::new(0);
    let new_store = move || {
        let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        FolderStore::new(path.join(number.to_string()))
    };
    let expire = |store: &FolderStore| store.expire_leases().unwrap();
    let checks = StoreChecks::new(new_store).expire_leases(expire);
    checks.run().await.unwrap();
}

/// A way of being broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    LosesEntries,
    DoublesEntries,
    PagesOverlap,
    ManyWriters,
    Overwrites,
    NoEpochs,
    WritesLate,
    Unsorted,
    InventsSessions,
    NeverRemoves,
    DropsHeaders,
    ReplacesPostings,
    NoReceipts,
    NoNotices,
}

/// A store in memory with a defect.
#[derive(Debug, Clone)]
struct Broken {
    inner: MemoryStore,
    defect: Defect,
}

impl Broken {
    fn new(defect: Defect) -> Self {
        let inner = MemoryStore::new();
        Self { inner, defect }
    }

    fn has(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    fn writer(&self, id: &SessionId, inner: Box<dyn SessionWriter>) -> Box<dyn SessionWriter> {
        let (store, id) = (self.clone(), id.clone());
        Box::new(BrokenWriter { store, id, inner })
    }
}

#[derive(Debug)]
struct BrokenWriter {
    store: Broken,
    id: SessionId,
    inner: Box<dyn SessionWriter>,
}

impl SessionWriter for BrokenWriter {
    fn append(
        &mut self,
        entries: Arc<[TimestampedEntry]>,
        durability: Durability,
    ) -> StoreFuture<'_, ()> {
        async move {
            match self.store.defect {
                Defect::LosesEntries => return Ok(()),
                Defect::DoublesEntries => self.inner.append(entries.clone(), durability).await?,
                Defect::WritesLate if self.inner.lease().is_lost() => {
                    self.store.inner.expire_leases();
                    let mut other = self.store.inner.open(&self.id).await?.writer;
                    return other.append(entries, durability).await;
                }
                _ => {}
            }
            self.inner.append(entries, durability).await
        }
        .boxed()
    }

    fn position(&mut self) -> BoxFuture<'_, Position> {
        self.inner.position()
    }

    fn lease(&self) -> Lease {
        match self.store.defect {
            Defect::NoEpochs => Lease::default(),
            _ => self.inner.lease(),
        }
    }
}

impl SessionStore for Broken {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        first: Vec<TimestampedEntry>,
    ) -> StoreFuture<'a, Box<dyn SessionWriter>> {
        async move {
            if self.has(Defect::Overwrites) {
                let _ = self.inner.remove(id).await;
            }
            let writer = self.inner.create(id, first).await?;
            Ok(self.writer(id, writer))
        }
        .boxed()
    }

    fn open<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, OpenedSession> {
        async move {
            if self.has(Defect::ManyWriters) {
                self.inner.expire_leases();
            }
            if self.has(Defect::InventsSessions)
                && let Ok(writer) = self.inner.create(id, Vec::new()).await
            {
                drop(writer);
            }
            let mut opened = self.inner.open(id).await?;
            opened.writer = self.writer(id, opened.writer);
            Ok(opened)
        }
        .boxed()
    }

    fn read<'a>(&'a self, id: &'a SessionId, after: Position) -> StoreFuture<'a, EntryPage> {
        async move {
            if self.has(Defect::PagesOverlap) && after.seq > 0 {
                let after = Position::new(after.seq - 1, 0);
                return self.inner.read(id, after).await;
            }
            self.inner.read(id, after).await
        }
        .boxed()
    }

    fn list(&self) -> StoreFuture<'_, Vec<SessionSummary>> {
        async move {
            let mut list = self.inner.list().await?;
            if self.has(Defect::Unsorted) {
                list.reverse();
            }
            Ok(list)
        }
        .boxed()
    }

    fn remove<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, ()> {
        async move {
            if self.has(Defect::NeverRemoves) {
                return self.inner.open(id).await.map(|_| ());
            }
            self.inner.remove(id).await
        }
        .boxed()
    }

    fn post<'a>(
        &'a self,
        id: &'a SessionId,
        posting: Posting,
        header: PostingHeader,
    ) -> StoreFuture<'a, ()> {
        async move {
            let header = match self.has(Defect::DropsHeaders) {
                true => PostingHeader::new(),
                false => header,
            };
            if self.has(Defect::ReplacesPostings) {
                for posted in self.inner.read_postings(id).await? {
                    if posted.posting.call() == posting.call() {
                        self.inner
                            .clear_posting(id, posted, Some(String::new()))
                            .await?;
                    }
                }
            }
            self.inner.post(id, posting, header).await
        }
        .boxed()
    }

    fn read_postings<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<ReceivedPosting>> {
        self.inner.read_postings(id)
    }

    fn clear_posting<'a>(
        &'a self,
        id: &'a SessionId,
        posted: ReceivedPosting,
        refused: Option<String>,
    ) -> StoreFuture<'a, ()> {
        self.inner.clear_posting(id, posted, refused)
    }

    fn receipts<'a>(&'a self, id: &'a SessionId) -> StoreFuture<'a, Vec<PostingReceipt>> {
        match self.has(Defect::NoReceipts) {
            true => async { Ok(Vec::new()) }.boxed(),
            false => self.inner.receipts(id),
        }
    }

    fn watch(&self, session: Option<&SessionId>) -> StoreWatch {
        match self.has(Defect::NoNotices) {
            true => Box::pin(futures_util::stream::pending()),
            false => self.inner.watch(session),
        }
    }
}

async fn failed_checks(defect: Defect) -> Vec<&'static str> {
    let checks = StoreChecks::new(move || Broken::new(defect));
    let checks = checks.expire_leases(|store: &Broken| store.inner.expire_leases());
    let failures = checks.run().await.unwrap_err().failures;
    failures.into_iter().map(|failure| failure.check).collect()
}

#[tokio::test(start_paused = true)]
async fn each_defect_fails_the_check_of_its_subject() {
    let expected = [
        (Defect::LosesEntries, "entries_are_read_back"),
        (Defect::DoublesEntries, "entries_are_read_back"),
        (Defect::PagesOverlap, "entries_are_read_in_pages"),
        (Defect::ManyWriters, "one_writer_holds_a_session"),
        (Defect::ManyWriters, "one_of_many_openings_succeeds"),
        (Defect::Overwrites, "a_session_is_created_once"),
        (Defect::NoEpochs, "epochs_rise"),
        (Defect::WritesLate, "an_expired_lease_is_lost"),
        (Defect::Unsorted, "sessions_are_listed"),
        (Defect::InventsSessions, "unknown_sessions_are_refused"),
        (Defect::NeverRemoves, "a_session_is_removed"),
        (Defect::DropsHeaders, "postings_are_stored"),
        (
            Defect::ReplacesPostings,
            "a_pending_posting_is_not_replaced",
        ),
        (Defect::NoReceipts, "receipts_are_kept"),
        (Defect::NoNotices, "changes_are_noticed"),
        (Defect::NoNotices, "other_sessions_are_watched"),
    ];
    for (defect, check) in expected {
        let failed = failed_checks(defect).await;
        assert!(failed.contains(&check), "{defect:?} fails {failed:?}");
    }
}

#[tokio::test]
async fn a_failure_says_what_the_store_did() {
    let checks = StoreChecks::new(|| Broken::new(Defect::NoReceipts));
    let failures = checks.run().await.unwrap_err();
    insta::assert_snapshot!(failures, @r"
    the store fails 1 checks:
      receipts_are_kept: the receipts are [] instead of one of the accepted posting
    ");
}
