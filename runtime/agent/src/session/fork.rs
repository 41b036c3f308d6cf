//! Forks a session: a new session continues from an entry of another one.

use super::{
    Entry, Fork, Session, SessionError, SessionMetadata, SessionWriter, Sessions, TimestampedEntry,
    id,
};
use crate::journal::{Durability, Position};
use helve_core::transcript::SessionId;

impl Sessions {
    /// Creates a session that continues from an entry of another session, or from its last entry, and locks the new
    /// session.
    ///
    /// The new session has copies of the entries up to that entry, with their numbers and times. A turn that is open at
    /// that entry is also open in the copy; the work in flight of the turn is interrupted in the copy. Damage after the
    /// entry does not matter, so a fork saves the intact part of a damaged session.
    ///
    /// # Errors
    /// The session or the entry does not exist, the journal is damaged before the entry, or the copy cannot be written.
    pub async fn fork(&self, of: &SessionId, at: Option<u64>) -> Result<Session, SessionError> {
        let mut entries = 0;
        // There is no entry 0; the error reports the number of entries.
        let last = at.filter(|at| *at > 0).unwrap_or(u64::MAX);
        self.visit(of, last, |line| entries = line.seq).await?;
        let at = at.unwrap_or(entries);
        if at == 0 || at > entries {
            let id = of.clone();
            return Err(SessionError::NoSuchEntry { id, entries, at });
        }
        let copy = id::new_id();
        match self.copy(of, at, &copy).await {
            Ok(writer) => Session::from_created(copy, self.store.clone(), writer).await,
            Err(error) => {
                // An incomplete copy is removed; an error of the removal is ignored, because the copy may not exist.
                let _ = self.store.remove(&copy).await;
                Err(error)
            }
        }
    }

    async fn copy(
        &self,
        of: &SessionId,
        at: u64,
        copy: &SessionId,
    ) -> Result<Box<dyn SessionWriter>, SessionError> {
        let fork = Fork {
            session: of.clone(),
            entry: at,
        };
        let mut writer: Option<Box<dyn SessionWriter>> = None;
        let mut position = Position::default();
        loop {
            let page = self.store.read(of, position).await?;
            position = page.next;
            let is_last = !page.more || position.seq >= at;
            let lines = page.lines.into_iter().take_while(|line| line.seq <= at);
            let lines: Vec<TimestampedEntry> = lines
                .map(|line| (line.at, mark_as_fork(line.entry, copy, &fork)))
                .collect();
            let durability = match is_last {
                true => Durability::Synced,
                false => Durability::Buffered,
            };
            let writing = match writer.take() {
                Some(mut writing) => {
                    writing.append(lines.into(), durability).await?;
                    writing
                }
                None => self.store.create(copy, lines).await?,
            };
            if is_last {
                return Ok(writing);
            }
            writer = Some(writing);
        }
    }
}

/// Marks the metadata of the copy as forked.
fn mark_as_fork(entry: Entry, copy: &SessionId, fork: &Fork) -> Entry {
    match entry {
        Entry::Created(about) => Entry::Created(SessionMetadata {
            session: copy.clone(),
            forked_from: Some(fork.clone()),
            // A copy has no part in a job.
            job: None,
            ..about
        }),
        other => other,
    }
}
