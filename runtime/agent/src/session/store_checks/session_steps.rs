//! What the checks do with sessions: make, append, read and compare.

use std::fmt;
use std::sync::Arc;

use crate::journal::{Durability, Line, Position, Timestamp};
use crate::session::{
    Entry, SessionError, SessionMetadata, SessionStore, SessionWriter, TimestampedEntry,
};
use helve_core::transcript::SessionId;

/// What ends the leases of a store.
pub(super) type ExpireLeases<S> = Box<dyn Fn(&S) + Send + Sync>;

/// The result of a check: the reason why the store fails it.
pub(super) type Checked = Result<(), String>;

/// The time of the first entry of a check; each further entry is a second later.
pub(super) const FIRST_TIME: u64 = 1_700_000_000_000;

/// Makes entries, with the metadata of the session as the first one.
pub(super) fn entries(id: &SessionId, count: u64) -> Vec<TimestampedEntry> {
    let state = |number: u64| Entry::State {
        name: format!("s{number}"),
        value: serde_json::json!({ "größe": number }),
    };
    let first = Entry::Created(SessionMetadata::new("checks").session(id.clone()));
    let entries = std::iter::once(first).chain((2..=count).map(state));
    let times = (0..).map(|number| Timestamp::from_millis(FIRST_TIME + number * 1_000));
    times.zip(entries).collect()
}

pub(super) async fn create(
    store: &dyn SessionStore,
    id: &SessionId,
    count: u64,
) -> Result<Box<dyn SessionWriter>, String> {
    let created = store.create(id, entries(id, count)).await;
    created.map_err(|error| format!("a session cannot be created: {error}"))
}

/// Appends an entry of its own number.
pub(super) async fn append(
    writer: &mut dyn SessionWriter,
    id: &SessionId,
    seq: u64,
) -> Result<(), SessionError> {
    let entry = entries(id, seq).pop();
    let entries: Arc<[TimestampedEntry]> = entry.into_iter().collect();
    writer.append(entries, Durability::Synced).await
}

/// Reads all entries of a session, page by page.
pub(super) async fn read_all(
    store: &dyn SessionStore,
    id: &SessionId,
) -> Result<Vec<Line<Entry>>, String> {
    let (mut lines, mut position) = (Vec::new(), Position::default());
    loop {
        let page = store.read(id, position).await;
        let page = page.map_err(|error| format!("the session cannot be read: {error}"))?;
        let last = page.lines.last().map_or(position.seq, |line| line.seq);
        ensure(page.next.seq == last, || {
            format!(
                "a page ends at entry {last}, and the next begins after {}",
                page.next.seq
            )
        })?;
        ensure(!page.more || !page.lines.is_empty(), || {
            "a page without entries is not the last one".to_owned()
        })?;
        lines.extend(page.lines);
        position = page.next;
        if !page.more {
            return Ok(lines);
        }
    }
}

/// Checks that a session has these entries, with their numbers and times.
pub(super) async fn ensure_entries(
    store: &dyn SessionStore,
    id: &SessionId,
    count: u64,
) -> Checked {
    let lines = read_all(store, id).await?;
    let actual = lines.len();
    ensure(actual as u64 == count, || {
        format!("the session has {actual} entries instead of {count}")
    })?;
    for (line, (seq, (at, entry))) in lines.iter().zip((1..).zip(entries(id, count))) {
        ensure(
            line.seq == seq && line.at == at && line.entry == entry,
            || format!("entry {seq} is {line:?} instead of {entry:?} at {at}"),
        )?;
    }
    Ok(())
}

pub(super) fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Checked {
    match holds {
        true => Ok(()),
        false => Err(reason()),
    }
}

/// Checks that an operation fails with the expected error.
pub(super) fn ensure_error<T: fmt::Debug>(
    result: Result<T, SessionError>,
    doing: &str,
    expected: &str,
    is_expected: impl FnOnce(&SessionError) -> bool,
) -> Checked {
    match result {
        Err(error) if is_expected(&error) => Ok(()),
        Err(error) => Err(format!(
            "{doing} fails with `{error}` instead of `{expected}`"
        )),
        Ok(_) => Err(format!("{doing} succeeds; expected `{expected}`")),
    }
}

pub(super) fn failed(doing: &'static str) -> impl Fn(SessionError) -> String {
    move |error| format!("{doing}: {error}")
}
