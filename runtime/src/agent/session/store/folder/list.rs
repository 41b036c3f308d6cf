//! What a list shows, from the beginning and the end of each journal.

use std::path::Path;

use crate::agent::session::store::Summary;
use crate::agent::session::{Entry, FORMAT, SessionError, Standing};
use crate::transcript::SessionId;
use crate::transcript::journal::{Line, glimpse};

/// How many entries a list looks at: the first message is among them, in a fork too.
pub(in super::super) const LOOKED_AT: usize = 4;

/// Lists the sessions of a folder; one that is not there has none.
pub(super) fn list(folder: &Path) -> Result<Vec<Summary>, SessionError> {
    let failed = || SessionError::io(folder, "reading it");
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
            list.push(look(&SessionId::from(id), &path));
        }
    }
    list.sort_by(|one, other| (other.updated, &other.session).cmp(&(one.updated, &one.session)));
    Ok(list)
}

fn look(id: &SessionId, path: &Path) -> Summary {
    match glimpse::<Entry>(path, FORMAT, LOOKED_AT) {
        Ok(seen) => summary(id, &seen.first, seen.last.as_ref(), seen.bytes),
        Err(error) => Summary {
            problem: Some(error.to_string()),
            ..summary(id, &[], None, 0)
        },
    }
}

/// Puts together what a list shows.
pub(in super::super) fn summary(
    id: &SessionId,
    first: &[Line<Entry>],
    last: Option<&Line<Entry>>,
    bytes: u64,
) -> Summary {
    let mut standing = Standing::default();
    for line in first {
        standing.apply(line, None);
    }
    let about = standing.about.as_ref();
    let is_open =
        |line: &Line<Entry>| matches!(&line.entry, Entry::Record(_) | Entry::TurnStarted(_));
    Summary {
        session: id.clone(),
        app: about.map(|about| about.app.clone()),
        folder: about.and_then(|about| about.folder.clone()),
        created: standing.created,
        updated: last.map(|line| line.at).or(standing.updated),
        title: standing.title,
        entries: last.map_or(standing.seq, |line| line.seq),
        open: last.is_some_and(is_open),
        bytes,
        problem: None,
    }
}
