//! Sessions: cut anywhere, damaged anywhere, written by two, killed, forked, answered from elsewhere.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod damage;
mod folding;
mod forking;
mod frozen;
mod labels;
mod leases;
mod locking;
mod posting;
mod projection;
mod reserved;
mod script;
mod store_checks;
mod write_failures;

use std::path::Path;

use helve_runtime::agent::session::{
    Entry, FORMAT, FolderStore, History, SessionMetadata, Sessions,
};
use helve_runtime::transcript::SessionId;
use helve_runtime::transcript::journal::{
    Durability, JournalError, JournalReader, Repair, Timestamp,
};

/// A folder with the sessions in it.
struct SessionFolder {
    folder: tempfile::TempDir,
    sessions: Sessions,
    store: FolderStore,
}

impl SessionFolder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path());
        let sessions = Sessions::new(store.clone());
        Self {
            folder,
            sessions,
            store,
        }
    }

    /// What another process sees in the same folder.
    fn reopen(&self) -> Sessions {
        Sessions::new(FolderStore::new(self.folder.path()))
    }

    /// Writes a session of these entries, and leaves it.
    async fn write_session(&self, id: &str, entries: Vec<Entry>) -> SessionId {
        let about = SessionMetadata::new("test").session(id).folder("/work");
        let mut session = self.sessions.create(about).await.unwrap();
        let written = session.append_all(entries, Durability::Buffered);
        written.await.unwrap();
        session.id().clone()
    }

    fn bytes(&self, id: &SessionId) -> Vec<u8> {
        std::fs::read(self.store.file(id).unwrap()).unwrap()
    }
}

/// Folds what can be read of a journal, and says what is behind that.
fn fold(bytes: &[u8]) -> Result<(History, Option<Repair>), JournalError> {
    let mut reader = JournalReader::new(bytes, Path::new("test.jsonl"), FORMAT)?;
    let mut history = History::new();
    while let Some(line) = reader.next_entry::<Entry>()? {
        history.apply(&line);
    }
    Ok((history, reader.pending_repair()))
}

/// Folds entries without any file.
fn fold_of(entries: &[(Timestamp, Entry)]) -> History {
    let mut history = History::new();
    for (seq, (at, entry)) in (1..).zip(entries.iter().cloned()) {
        history.apply(&helve_runtime::transcript::journal::Line { seq, at, entry });
    }
    history
}
