//! Records that several processes change.

use std::sync::Arc;

use rusqlite::types::Type;
use rusqlite::{OptionalExtension as _, Row, params};
use serde_json::Value;

use crate::database::{Database, Durability};
use crate::error::StateError;
use crate::queue::{WorkQueue, insert_works, payloads};
use crate::work::NewWork;

const INSERT: &str = "INSERT INTO record (kind, key, version, value) VALUES (?1, ?2, 1, ?3)
     ON CONFLICT (kind, key) DO NOTHING";

/// A record of a [`RecordStore`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredRecord {
    /// The key, of which each kind has one record at most.
    pub key: String,
    /// The number of changes of the record, which identifies this state of it.
    pub version: u64,
    /// The value.
    pub value: Value,
}

/// Records in a state file. A change names the version that it replaces, so that of two processes that change a record at
/// the same time, one learns that it has to read the record again.
///
/// All calls block, for five seconds at most where another process writes. What was written survives the failure of the
/// machine. The clones of a store share a connection.
///
/// ```
/// use helve::state::{RecordStore, WorkQueue};
/// use serde_json::json;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("state.db");
/// let records = RecordStore::new(&WorkQueue::open(&path)?);
/// assert!(records.insert("lamp", "kitchen", &json!("off"))?);
/// let read = records.get("lamp", "kitchen")?.unwrap();
/// assert!(records.replace("lamp", "kitchen", read.version, &json!("on"))?);
/// // Another process that has read the same state changes nothing.
/// assert!(!records.replace("lamp", "kitchen", read.version, &json!("dim"))?);
/// assert_eq!(records.list("lamp", "")?[0].value, "on");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RecordStore {
    database: Arc<Database>,
}

impl RecordStore {
    /// The size of the largest value, as JSON: 1 MiB.
    pub const MAX_VALUE_BYTES: usize = WorkQueue::MAX_PAYLOAD_BYTES;

    /// Creates the store of the state file of a queue, with which it shares a connection.
    #[must_use]
    pub fn new(queue: &WorkQueue) -> Self {
        let database = queue.database();
        Self { database }
    }

    /// Adds a record, and returns whether there was none of its kind and key; otherwise nothing is changed.
    ///
    /// # Errors
    /// Fails if the kind, the key or the value is too long, and if the file cannot be written.
    pub fn insert(&self, kind: &str, key: &str, value: &Value) -> Result<bool, StateError> {
        let value = check_length(kind, key, value)?;
        let added = self.database.write(Durability::Machine, |transaction| {
            transaction.execute(INSERT, params![kind, key, value])
        })?;
        Ok(added == 1)
    }

    /// Replaces the value of a record, and returns whether the record had the given version; otherwise nothing is changed.
    ///
    /// # Errors
    /// Fails as [`RecordStore::insert`] does.
    pub fn replace(
        &self,
        kind: &str,
        key: &str,
        version: u64,
        value: &Value,
    ) -> Result<bool, StateError> {
        self.replace_and_add((kind, key, version, value), &[], &[])
    }

    /// Replaces the value of a record as [`RecordStore::replace`] does, and adds records, each with its kind and its key, and
    /// works in the same step: either all is written, or nothing is. Records and works that are there stay as they are.
    ///
    /// # Errors
    /// Fails as [`RecordStore::insert`] and [`WorkQueue::put`] do.
    ///
    /// ```
    /// use helve::state::{RecordStore, WorkQueue};
    /// use serde_json::json;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let records = RecordStore::new(&WorkQueue::open(&folder.path().join("state.db"))?);
    /// records.insert("plan", "tea", &json!({ "made": 0 }))?;
    /// let made = json!({ "made": 1 });
    /// let cup = [("cup", "first", json!("full"))];
    /// assert!(records.replace_and_add(("plan", "tea", 1, &made), &cup, &[])?);
    /// // A process that has read the plan before adds no cup.
    /// let cup = [("cup", "second", json!("full"))];
    /// assert!(!records.replace_and_add(("plan", "tea", 1, &made), &cup, &[])?);
    /// assert_eq!(records.list("cup", "")?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replace_and_add(
        &self,
        (kind, key, version, value): (&str, &str, u64, &Value),
        records: &[(&str, &str, Value)],
        works: &[NewWork],
    ) -> Result<bool, StateError> {
        let value = check_length(kind, key, value)?;
        let added = records.iter().map(|(kind, key, value)| {
            let value = check_length(kind, key, value)?;
            Ok((*kind, *key, value))
        });
        let added: Vec<(&str, &str, String)> = added.collect::<Result<_, StateError>>()?;
        let payloads = payloads(works)?;
        self.database.write(Durability::Machine, |transaction| {
            let changed = transaction.execute(
                "UPDATE record SET value = ?4, version = version + 1
                 WHERE kind = ?1 AND key = ?2 AND version = ?3",
                params![kind, key, version.cast_signed(), value],
            )?;
            if changed == 0 {
                return Ok(false);
            }
            for (kind, key, value) in added {
                transaction.execute(INSERT, params![kind, key, value])?;
            }
            insert_works(transaction, works, payloads)?;
            Ok(true)
        })
    }

    /// Removes a record, and returns whether there was one.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn remove(&self, kind: &str, key: &str) -> Result<bool, StateError> {
        let removed = self.database.write(Durability::Machine, |transaction| {
            transaction.execute(
                "DELETE FROM record WHERE kind = ?1 AND key = ?2",
                [kind, key],
            )
        })?;
        Ok(removed == 1)
    }

    /// Returns a record.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn get(&self, kind: &str, key: &str) -> Result<Option<StoredRecord>, StateError> {
        self.database.read(|connection| {
            let select = "SELECT key, version, value FROM record WHERE kind = ?1 AND key = ?2";
            connection.query_row(select, [kind, key], read).optional()
        })
    }

    /// Lists the records of a kind whose keys start with `prefix`, in the order of their keys.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn list(&self, kind: &str, prefix: &str) -> Result<Vec<StoredRecord>, StateError> {
        self.database.read(|connection| {
            let mut select = connection.prepare(
                "SELECT key, version, value FROM record
                 WHERE kind = ?1 AND key >= ?2 AND substr(key, 1, length(?2)) = ?2 ORDER BY key",
            )?;
            select.query_map([kind, prefix], read)?.collect()
        })
    }
}

/// Checks the lengths of the parts of a record, and returns its value as JSON.
fn check_length(kind: &str, key: &str, value: &Value) -> Result<String, StateError> {
    let value = value.to_string();
    for (part, size, limit) in [
        ("kind", kind.len(), WorkQueue::MAX_KEY_BYTES),
        ("key", key.len(), WorkQueue::MAX_KEY_BYTES),
        ("value", value.len(), RecordStore::MAX_VALUE_BYTES),
    ] {
        if size == 0 || size > limit {
            return Err(StateError::Length { part, size, limit });
        }
    }
    Ok(value)
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredRecord> {
    let value: String = row.get("value")?;
    let value = serde_json::from_str(&value)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(2, Type::Text, error.into()));
    Ok(StoredRecord {
        key: row.get("key")?,
        version: row.get::<_, i64>("version")?.cast_unsigned(),
        value: value?,
    })
}
