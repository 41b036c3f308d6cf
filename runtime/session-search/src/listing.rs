//! Which sessions there are, and how long they are.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use helve_agent::session::SessionStore;

use crate::error::SessionSearchError;
use crate::followed::FollowedSession;

/// The extension of a journal in a folder of sessions.
const EXTENSION: &str = "jsonl";

/// How far a session goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionEnd {
    /// The length of the journal, in bytes.
    Bytes(u64),
    /// The number of entries.
    Entries(u64),
}

impl SessionEnd {
    /// Returns whether a session was read to this end.
    pub(crate) fn is_read(self, followed: &FollowedSession) -> bool {
        match (self, followed.damaged_at) {
            (Self::Bytes(end) | Self::Entries(end), Some(damaged_at)) => end == damaged_at,
            (Self::Bytes(end), None) => end == followed.bytes,
            (Self::Entries(end), None) => end == followed.seq,
        }
    }

    /// Returns whether the session is shorter than what was read of it: it is another one.
    pub(crate) fn is_before(self, followed: &FollowedSession) -> bool {
        match self {
            Self::Bytes(end) => end < followed.bytes,
            Self::Entries(end) => end < followed.seq,
        }
    }

    pub(crate) fn value(self) -> u64 {
        match self {
            Self::Bytes(end) | Self::Entries(end) => end,
        }
    }
}

/// Lists the sessions of a store. A folder of journals is listed by the lengths of the files, without opening them.
pub(crate) async fn list(
    store: &dyn SessionStore,
    folder: Option<&Path>,
) -> Result<BTreeMap<String, SessionEnd>, SessionSearchError> {
    let Some(folder) = folder.map(PathBuf::from) else {
        let list = store.list().await?.into_iter();
        let list = list.map(|summary| {
            let end = SessionEnd::Entries(summary.entries);
            (summary.session.to_string(), end)
        });
        return Ok(list.collect());
    };
    let listed = tokio::task::spawn_blocking(move || list_folder(&folder)).await;
    listed.map_err(|_| SessionSearchError::Stopped)?
}

fn list_folder(folder: &Path) -> Result<BTreeMap<String, SessionEnd>, SessionSearchError> {
    let failed = |source| helve_agent::session::SessionError::Io {
        path: folder.to_owned(),
        doing: "list",
        source,
    };
    let mut sessions = BTreeMap::new();
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(sessions),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let name = path.file_stem().and_then(|name| name.to_str());
        let is_journal = path.extension().is_some_and(|ending| ending == EXTENSION);
        // A session that is removed meanwhile is none.
        if let (true, Some(name), Ok(file)) = (is_journal, name, path.metadata()) {
            sessions.insert(name.to_owned(), SessionEnd::Bytes(file.len()));
        }
    }
    Ok(sessions)
}
