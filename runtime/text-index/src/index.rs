//! The index: a file with collections of documents.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use helve_state::{Database, Durability, FileFormat, StateError};
use rusqlite::{Connection, Transaction};

use crate::batch::{Applied, IndexBatch};
use crate::changes;
use crate::document::{Document, MAX_KEY_BYTES, SourcePosition, TextHit, TextQuery};
use crate::embedding::Embedding;
use crate::error::TextIndexError;
use crate::query::QueryTerms;
use crate::{search, vectors};

/// The format of the file: `hlvi`.
const FORMAT: FileFormat = FileFormat {
    application_id: 0x686c_7669,
    migrations: &[include_str!("schema.sql"), include_str!("vectors.sql")],
};

/// The name of the file.
const FILE_NAME: &str = "text-index.db";

/// An index of texts in a folder, which several processes may use at once.
///
/// The index is made from other data, which it follows by the [positions](Collection::position) of sources, and can be
/// made again at any time. A damaged index becomes an empty one, without positions, so that what follows its sources
/// indexes them again; it is therefore in a file of its own.
///
/// All calls block, for five seconds at most where another process writes. The clones of an index share a connection.
///
/// ```
/// use helve::text_index::{Document, IndexBatch, TextIndex, TextQuery};
///
/// # let folder = tempfile::tempdir()?;
/// let notes = TextIndex::open(folder.path())?.collection("notes")?;
/// let mut batch = IndexBatch::new();
/// batch.put(Document::new("1", "Deployment", "The releases are deployed from the branch `stable`."))?;
/// batch.put(Document::new("2", "Lunch", "The café opens at noon."))?;
/// notes.apply(&batch)?;
///
/// let hits = notes.search(&TextQuery::new("which branch do we deploy", 5))?;
/// assert_eq!(hits[0].document.key, "1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TextIndex {
    database: Arc<Database>,
}

impl TextIndex {
    /// Opens the index in a folder. The file and its folders are created if they do not exist, without access for other
    /// users. A damaged file becomes an empty one.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or written, or is of a newer format.
    pub fn open(folder: &Path) -> Result<Self, TextIndexError> {
        let database = Database::open_or_reset(&folder.join(FILE_NAME), FORMAT)?;
        let database = Arc::new(database);
        Ok(Self { database })
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.database.path()
    }

    /// Returns a collection of the index, which is created when it is written to first.
    ///
    /// # Errors
    /// Fails if the name is empty or longer than 1,024 bytes.
    pub fn collection(&self, name: impl Into<String>) -> Result<Collection, TextIndexError> {
        let name = name.into();
        let (size, limit) = (name.len(), MAX_KEY_BYTES);
        if name.is_empty() || size > limit {
            let part = "collection";
            return Err(TextIndexError::Length { part, size, limit });
        }
        Ok(Collection {
            index: self.clone(),
            name: name.into(),
        })
    }

    /// Makes the index empty.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn reset(&self) -> Result<(), TextIndexError> {
        Ok(self.database.reset()?)
    }

    /// Runs an operation, and once more with an empty index where the index is damaged.
    fn repaired<T>(
        &self,
        operation: impl Fn(&Database) -> Result<T, StateError>,
    ) -> Result<T, TextIndexError> {
        match operation(&self.database) {
            Err(StateError::Damaged { path, source }) => {
                let path = path.display();
                tracing::warn!(%path, ?source, "the index is damaged and is made again");
                self.database.reset()?;
                Ok(operation(&self.database)?)
            }
            done => Ok(done?),
        }
    }
}

/// A collection of an index. Its words are weighted by how many documents of the collection have them.
#[derive(Debug, Clone)]
pub struct Collection {
    index: TextIndex,
    name: Arc<str>,
}

impl Collection {
    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes the changes of a batch in one transaction. After a failure of the machine, the latest transactions may be
    /// undone, with the positions that they set.
    ///
    /// # Errors
    /// Fails if the file cannot be written. Then nothing is changed.
    pub fn apply(&self, batch: &IndexBatch) -> Result<Applied, TextIndexError> {
        if batch.is_empty() {
            return Ok(Applied::Done);
        }
        self.write(|transaction| changes::apply(transaction, &self.name, batch))
    }

    /// Finds the documents that match a query best, the best first; equal ones in the order in which they were added.
    ///
    /// Of words that more than two thousand documents have, the latest of these are ranked, by their times: all that have
    /// every word, and those that have one of the others.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>, TextIndexError> {
        let terms = QueryTerms::parse(&query.text);
        if terms.is_empty() || query.limit == 0 {
            return Ok(Vec::new());
        }
        self.read(|connection| search::search(connection, &self.name, query, &terms))
    }

    /// Returns the document with a key.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn get(&self, key: &str) -> Result<Option<Document>, TextIndexError> {
        self.read(|connection| search::get(connection, &self.name, key))
    }

    /// Returns the documents before and after one among those of its source, by their hours, and within an hour in the
    /// order in which they were added. Only
    /// documents of the given kinds count, or all if there are none.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn neighbours(
        &self,
        key: &str,
        kinds: &[String],
    ) -> Result<[Option<Document>; 2], TextIndexError> {
        self.read(|connection| search::neighbours(connection, &self.name, key, kinds))
    }

    /// Returns the number of documents.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn count(&self) -> Result<u64, TextIndexError> {
        self.read(|connection| search::count(connection, &self.name))
    }

    /// Returns the position of a source, or `None` where the source is not indexed, as after the index was damaged.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn position(&self, source: &str) -> Result<Option<SourcePosition>, TextIndexError> {
        let positions =
            self.read(|connection| search::positions(connection, &self.name, Some(source)))?;
        Ok(positions.into_iter().next())
    }

    /// Returns the positions of all sources, in the order of their names.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn positions(&self) -> Result<Vec<SourcePosition>, TextIndexError> {
        self.read(|connection| search::positions(connection, &self.name, None))
    }

    /// Removes all documents and all positions, as before a collection is made again.
    ///
    /// # Errors
    /// Fails if the file cannot be written. Then nothing is changed.
    pub fn clear(&self) -> Result<(), TextIndexError> {
        self.write(|transaction| changes::clear(transaction, &self.name))
    }

    /// Returns documents without a vector of a model, with their numbers, after the one with the number `after`.
    pub(crate) fn without_vector(
        &self,
        model: &str,
        query: &TextQuery,
        after: i64,
    ) -> Result<Vec<(i64, Document)>, TextIndexError> {
        self.read(|connection| vectors::missing(connection, &self.name, model, query, after))
    }

    /// Returns how many documents have a vector of a model, and how many have none.
    pub(crate) fn count_vectors(
        &self,
        model: &str,
        query: &TextQuery,
    ) -> Result<(u64, u64), TextIndexError> {
        self.read(|connection| vectors::count(connection, &self.name, model, query))
    }

    /// Stores vectors of documents, but not of those that have changed meanwhile.
    pub(crate) fn put_vectors(
        &self,
        model: &str,
        vectors: &[(Document, Embedding)],
    ) -> Result<(), TextIndexError> {
        self.write(|transaction| vectors::put_of_documents(transaction, &self.name, model, vectors))
    }

    /// Finds the documents whose vectors are the most similar to one, with the least similarity.
    pub(crate) fn nearest(
        &self,
        model: &str,
        query: &TextQuery,
        question: (&Embedding, f32),
    ) -> Result<Vec<TextHit>, TextIndexError> {
        self.read(|connection| vectors::nearest(connection, &self.name, model, query, question))
    }

    /// Returns the vectors of texts that are no documents, by their keys.
    pub(crate) fn vectors(
        &self,
        model: &str,
    ) -> Result<HashMap<String, Embedding>, TextIndexError> {
        self.read(|connection| vectors::load(connection, &self.name, model))
    }

    /// Stores vectors of texts that are no documents, of which there are at most `most`.
    pub(crate) fn put_texts(
        &self,
        model: &str,
        vectors: &[(String, Embedding)],
        most: usize,
    ) -> Result<(), TextIndexError> {
        self.write(|transaction| vectors::put(transaction, &self.name, model, vectors, most))
    }

    fn read<T>(
        &self,
        read: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, TextIndexError> {
        self.index.repaired(|database| {
            database.read(|connection| {
                // One state of the file for all statements.
                let reading = connection.unchecked_transaction()?;
                read(&reading)
            })
        })
    }

    fn write<T>(
        &self,
        write: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, TextIndexError> {
        self.index
            .repaired(|database| database.write(Durability::Process, &write))
    }
}
