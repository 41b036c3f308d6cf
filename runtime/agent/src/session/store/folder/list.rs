//! What a list shows, from the beginning and the end of each journal.

use std::path::Path;

use crate::journal::read_head_and_tail;
use crate::session::store::SessionSummary;
use crate::session::{Entry, FORMAT, SessionError};
use helve_core::transcript::SessionId;

/// Lists the sessions of a folder; one that is not there has none.
pub(super) fn list(folder: &Path) -> Result<Vec<SessionSummary>, SessionError> {
    let failed = || SessionError::io(folder, "read");
    let files = match std::fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed()(error)),
    };
    let mut list = Vec::new();
    for file in files {
        let path = file.map_err(failed())?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if let Some(id) = name.strip_suffix(".jsonl") {
            list.push(summarize(&SessionId::from(id), &path));
        }
    }
    list.sort_by(|one, other| (other.updated, &other.session).cmp(&(one.updated, &one.session)));
    Ok(list)
}

fn summarize(id: &SessionId, path: &Path) -> SessionSummary {
    match read_head_and_tail::<Entry>(path, FORMAT, SessionSummary::FIRST_ENTRIES) {
        Ok(seen) => SessionSummary::from_entries(id, &seen.first, seen.last.as_ref(), seen.bytes),
        Err(error) => SessionSummary {
            problem: Some(error.to_string()),
            ..SessionSummary::from_entries(id, &[], None, 0)
        },
    }
}
