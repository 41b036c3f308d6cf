//! Changes of a collection that are made in one step.

use crate::document::{Document, MAX_KEY_BYTES, MAX_STAMP_BYTES};
use crate::error::TextIndexError;

/// Changes of a collection, which are made in one transaction and in order.
///
/// A batch that [advances](IndexBatch::advance) a source is refused where another process has done so before: the
/// documents of an index that follows a file by position are then indexed once, and a crash between the two cannot
/// separate the documents from the position.
#[derive(Debug, Clone, Default)]
pub struct IndexBatch {
    pub(crate) changes: Vec<Change>,
    pub(crate) bytes: usize,
}

#[derive(Debug, Clone)]
pub(crate) enum Change {
    Put(Document),
    Remove(String),
    RemoveSource(String),
    Advance {
        source: String,
        from: Option<u64>,
        to: u64,
        stamp: String,
    },
}

impl IndexBatch {
    /// The text after which a batch should be applied, in bytes, since other processes wait for it.
    pub const FULL_BYTES: usize = 1 << 20;

    /// Creates an empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document, or replaces the one with its key.
    ///
    /// # Errors
    /// Fails if a part of the document is too long, or its key is empty.
    pub fn put(&mut self, document: Document) -> Result<(), TextIndexError> {
        document.check()?;
        self.bytes += document.title.len() + document.text.len() + document.data.len() + 64;
        self.changes.push(Change::Put(document));
        Ok(())
    }

    /// Removes the document with a key, if there is one.
    pub fn remove(&mut self, key: impl Into<String>) {
        self.changes.push(Change::Remove(key.into()));
    }

    /// Removes all documents of a source and its position.
    pub fn remove_source(&mut self, source: impl Into<String>) {
        self.changes.push(Change::RemoveSource(source.into()));
    }

    /// Sets the position of a source to `to`, with a stamp of its state. The whole batch is refused if the position is
    /// not `from` when the batch is applied, where `None` is a source without position.
    ///
    /// # Errors
    /// Fails if the name of the source or the stamp is too long, or the name is empty.
    pub fn advance(
        &mut self,
        source: impl Into<String>,
        from: Option<u64>,
        to: u64,
        stamp: impl Into<String>,
    ) -> Result<(), TextIndexError> {
        let (source, stamp) = (source.into(), stamp.into());
        let parts = [
            ("source", source.len(), 1, MAX_KEY_BYTES),
            ("stamp", stamp.len(), 0, MAX_STAMP_BYTES),
        ];
        for (part, size, least, limit) in parts {
            if size < least || size > limit {
                return Err(TextIndexError::Length { part, size, limit });
            }
        }
        self.changes.push(Change::Advance {
            source,
            from,
            to,
            stamp,
        });
        Ok(())
    }

    /// Returns whether the batch changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns whether the batch should be applied before more is added.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bytes >= Self::FULL_BYTES
    }
}

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Applied {
    /// The changes were made.
    Done,
    /// Nothing was changed, since a source was not at the position from which the batch advances it.
    Moved,
}
