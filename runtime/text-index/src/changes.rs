//! Changes of the tables.

use rusqlite::{Connection, OptionalExtension as _, Statement, Transaction, params};

use crate::batch::{Applied, Change, IndexBatch};
use crate::document::Document;
use crate::search::{collection_id, positions};
use crate::terms::Terms;

const MILLIS_PER_HOUR: i64 = 3_600_000;

/// The bits of an id that tell the documents of an hour apart, and the latest hour of ids.
const ID_BITS: u32 = 24;
const MAX_HOUR: i64 = 1 << 38;

/// Applies a batch, unless one of its sources has moved.
pub(crate) fn apply(
    transaction: &Transaction<'_>,
    collection: &str,
    batch: &IndexBatch,
) -> rusqlite::Result<Applied> {
    for change in &batch.changes {
        if let Change::Advance { source, from, .. } = change {
            let at = positions(transaction, collection, Some(source))?;
            if at.first().map(|at| at.position) != *from {
                return Ok(Applied::Moved);
            }
        }
    }
    let mut writer = Writer::new(transaction, collection)?;
    for change in &batch.changes {
        match change {
            Change::Put(document) => writer.put(document)?,
            Change::Remove(key) => writer.remove(key)?,
            Change::RemoveSource(source) => writer.remove_source(source)?,
            Change::Advance {
                source, to, stamp, ..
            } => {
                transaction.execute(
                    "INSERT INTO source (collection, name, position, stamp) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (collection, name) DO UPDATE SET position = ?3, stamp = ?4",
                    params![writer.id, source, to.cast_signed(), stamp],
                )?;
            }
        }
    }
    Ok(Applied::Done)
}

/// Removes a collection.
pub(crate) fn clear(transaction: &Transaction<'_>, collection: &str) -> rusqlite::Result<()> {
    let Some(id) = collection_id(transaction, collection)? else {
        return Ok(());
    };
    transaction.execute("DELETE FROM document WHERE collection = ?1", [id])?;
    transaction.execute("DELETE FROM source WHERE collection = ?1", [id])?;
    transaction.execute("DELETE FROM vector WHERE collection = ?1", [id])?;
    transaction.execute("DELETE FROM collection WHERE id = ?1", [id])?;
    transaction.execute_batch(&format!("DROP TABLE terms_{id}"))
}

/// Writes the documents of a collection.
struct Writer<'t> {
    id: i64,
    transaction: &'t Connection,
    find: Statement<'t>,
    insert: Statement<'t>,
    update: Statement<'t>,
    last_id: Statement<'t>,
    insert_terms: Statement<'t>,
    remove_terms: Statement<'t>,
}

impl<'t> Writer<'t> {
    /// Prepares to write, and creates the collection if it does not exist.
    fn new(transaction: &'t Transaction<'_>, collection: &str) -> rusqlite::Result<Self> {
        let transaction: &Connection = transaction;
        let id = collection_to_write(transaction, collection)?;
        Ok(Self {
            id,
            transaction,
            find: transaction
                .prepare("SELECT id, title, text FROM document WHERE collection = ?1 AND key = ?2")?,
            insert: transaction.prepare(
                "INSERT INTO document (collection, key, source, scope, kind, time, title, text, data, id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?,
            last_id: transaction
                .prepare("SELECT max(id) FROM document WHERE id >= ?1 AND id < ?2")?,
            update: transaction.prepare(
                "UPDATE document SET source = ?2, scope = ?3, kind = ?4, time = ?5, title = ?6, text = ?7, data = ?8
                 WHERE id = ?1",
            )?,
            insert_terms: transaction.prepare(&format!(
                "INSERT INTO terms_{id} (rowid, title, words, parts) VALUES (?1, ?2, ?3, ?4)"
            ))?,
            remove_terms: transaction.prepare(&format!("DELETE FROM terms_{id} WHERE rowid = ?1"))?,
        })
    }

    fn put(&mut self, document: &Document) -> rusqlite::Result<()> {
        let Document {
            key,
            source,
            scope,
            kind,
            time,
            title,
            text,
            data,
        } = document;
        let found = self.find.query_row(params![self.id, key], |row| {
            let is_same = row.get_ref(1)?.as_bytes()? == title.as_bytes()
                && row.get_ref(2)?.as_bytes()? == text.as_bytes();
            Ok((row.get::<_, i64>(0)?, is_same))
        });
        let found = found.optional()?;
        let id = if let Some((id, is_same)) = found {
            self.update
                .execute(params![id, source, scope, kind, time, title, text, data])?;
            if is_same {
                return Ok(());
            }
            self.remove_terms.execute([id])?;
            id
        } else {
            let new_id = self.new_id(*time)?;
            let values = params![
                self.id, key, source, scope, kind, time, title, text, data, new_id
            ];
            self.insert.insert(values)?
        };
        let in_title = Terms::new(title);
        let in_title = format!("{} {}", in_title.words, in_title.parts);
        let terms = Terms::new(text);
        let values = params![id, in_title, terms.words, terms.parts];
        self.insert_terms.execute(values)?;
        Ok(())
    }

    /// Returns an id for a document of a time: ids follow the hours, so that the latest documents are found first whenever
    /// they were added.
    fn new_id(&mut self, time: i64) -> rusqlite::Result<Option<i64>> {
        let hour = (time / MILLIS_PER_HOUR).clamp(0, MAX_HOUR);
        let first = (hour << ID_BITS).max(1);
        let end = (hour + 1) << ID_BITS;
        let last: Option<i64> = self.last_id.query_row([first, end], |row| row.get(0))?;
        let id = last.map_or(first, |last| last + 1);
        // An hour with more documents than that leaves the choice to the database.
        Ok((id < end).then_some(id))
    }

    fn remove(&mut self, key: &str) -> rusqlite::Result<()> {
        let remove = "DELETE FROM document WHERE collection = ?1 AND key = ?2 RETURNING id";
        let removed = self
            .transaction
            .query_row(remove, params![self.id, key], |row| row.get::<_, i64>(0));
        if let Some(id) = removed.optional()? {
            self.remove_terms.execute([id])?;
        }
        Ok(())
    }

    fn remove_source(&mut self, source: &str) -> rusqlite::Result<()> {
        let mut select = self
            .transaction
            .prepare("SELECT id FROM document WHERE collection = ?1 AND source = ?2")?;
        let ids = select.query_map(params![self.id, source], |row| row.get::<_, i64>(0))?;
        let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
        for id in ids {
            self.remove_terms.execute([id])?;
        }
        let of_source = params![self.id, source];
        let remove = "DELETE FROM document WHERE collection = ?1 AND source = ?2";
        self.transaction.execute(remove, of_source)?;
        let remove = "DELETE FROM source WHERE collection = ?1 AND name = ?2";
        self.transaction.execute(remove, of_source)?;
        Ok(())
    }
}

/// Returns the number of a collection, which is created if it does not exist.
pub(crate) fn collection_to_write(
    connection: &Connection,
    collection: &str,
) -> rusqlite::Result<i64> {
    match collection_id(connection, collection)? {
        Some(id) => Ok(id),
        None => create(connection, collection),
    }
}

/// Creates a collection, and the table of its terms.
fn create(connection: &Connection, collection: &str) -> rusqlite::Result<i64> {
    connection.execute("INSERT INTO collection (name) VALUES (?1)", [collection])?;
    let id = connection.last_insert_rowid();
    // The terms are those that this package makes, and the tokenizer only separates them at spaces. A match in the title
    // counts three times, one of a part of an identifier less than a whole word.
    connection.execute_batch(&format!(
        "CREATE VIRTUAL TABLE terms_{id} USING fts5(
             title, words, parts, content = '', contentless_delete = 1, tokenize = 'ascii'
         );
         INSERT INTO terms_{id} (terms_{id}, rank) VALUES ('rank', 'bm25(3.0, 1.0, 0.7)');"
    ))?;
    Ok(id)
}
