//! Keys and values of tools.

mod error;

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve_core::capability::{BackendError, KeyValueBackend};
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use tokio::sync::OnceCell;

use crate::database::{Database, Durability, FileFormat};
use crate::error::StateError;
pub use error::StoreError;

/// A store of keys and values in a state file. The file survives crashes, and several processes may use it at the same
/// time.
///
/// A damaged file is an error and is not changed.
#[derive(Debug)]
pub struct KeyValueStore {
    path: PathBuf,
    database_cell: OnceCell<Arc<Database>>,
    scope_limit: u64,
}

impl KeyValueStore {
    /// The length of the longest key, in bytes.
    pub const MAX_KEY_BYTES: usize = 1024;

    /// The size of the largest value: 1 MiB.
    pub const MAX_VALUE_BYTES: usize = 1 << 20;

    /// The default size limit of one scope: 64 MiB.
    pub const DEFAULT_SCOPE_LIMIT: u64 = 64 << 20;

    /// Returns a store for the state file at `path`. The first operation opens the file, and creates the file if it does
    /// not exist.
    pub fn lazy(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            database_cell: OnceCell::new(),
            scope_limit: Self::DEFAULT_SCOPE_LIMIT,
        }
    }

    /// Opens the state file at `path`, and creates the file and its parent folders if they do not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or is damaged.
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let store = Self::lazy(path);
        store.database().await?;
        Ok(store)
    }

    /// Sets the size limit of one scope, in bytes.
    #[must_use]
    pub fn scope_limit(mut self, bytes: u64) -> Self {
        self.scope_limit = bytes;
        self
    }

    async fn database(&self) -> Result<&Arc<Database>, StoreError> {
        let open = || async {
            let path = self.path.clone();
            let opened = run_blocking(move || Database::open(&path, FileFormat::STATE)).await?;
            Ok(Arc::new(opened))
        };
        self.database_cell.get_or_try_init(open).await
    }

    /// Runs `work` on the file, on a thread that may block.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let database = Arc::clone(self.database().await?);
        Ok(run_blocking(move || work(&database)).await?)
    }
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StateError> + Send + 'static,
) -> Result<T, StateError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or(Err(StateError::Stopped))
}

type StoreFuture<'a, T> = BoxFuture<'a, Result<T, BackendError>>;

impl KeyValueBackend for KeyValueStore {
    fn get<'a>(&'a self, scope: &'a str, key: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let (scope, key) = (scope.to_owned(), validate_key(key)?);
            let read = move |connection: &Connection| {
                let select = "SELECT value FROM value WHERE scope = ?1 AND key = ?2";
                let found = connection.query_row(select, [scope, key], |row| row.get(0));
                found.optional()
            };
            Ok(self.run(|database| database.read(read)).await?)
        })
    }

    fn set<'a>(&'a self, scope: &'a str, key: &'a str, value: Vec<u8>) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let (scope, key, limit) = (scope.to_owned(), validate_key(key)?, self.scope_limit);
            if value.len() > Self::MAX_VALUE_BYTES {
                let (size, limit) = (value.len(), Self::MAX_VALUE_BYTES);
                return Err(StoreError::ValueTooLarge { size, limit }.into());
            }
            let set =
                move |transaction: &Transaction<'_>| set(transaction, &scope, &key, &value, limit);
            let is_set = self.run(|database| database.write(Durability::Machine, set));
            if !is_set.await? {
                return Err(StoreError::Full { limit }.into());
            }
            Ok(())
        })
    }

    fn remove<'a>(&'a self, scope: &'a str, key: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let (scope, key) = (scope.to_owned(), validate_key(key)?);
            let remove = move |transaction: &Transaction<'_>| remove(transaction, &scope, &key);
            let removed = self.run(|database| database.write(Durability::Machine, remove));
            Ok(removed.await?)
        })
    }

    fn keys<'a>(
        &'a self,
        scope: &'a str,
        prefix: &'a str,
        most: usize,
    ) -> StoreFuture<'a, Vec<String>> {
        Box::pin(async move {
            let (scope, prefix) = (scope.to_owned(), prefix.to_owned());
            let keys = move |connection: &Connection| keys(connection, &scope, &prefix, most);
            Ok(self.run(|database| database.read(keys)).await?)
        })
    }
}

fn validate_key(key: &str) -> Result<String, StoreError> {
    if key.is_empty() || key.len() > KeyValueStore::MAX_KEY_BYTES {
        let (size, limit) = (key.len(), KeyValueStore::MAX_KEY_BYTES);
        return Err(StoreError::Key { size, limit });
    }
    Ok(key.to_owned())
}

/// Writes a value, and returns whether the scope has room for it. Nothing is changed if it has not.
fn set(
    transaction: &Transaction<'_>,
    scope: &str,
    key: &str,
    value: &[u8],
    limit: u64,
) -> rusqlite::Result<bool> {
    let old = size_of(transaction, scope, key)?.unwrap_or_default();
    let select = "SELECT bytes FROM scope WHERE name = ?1";
    let all = transaction.query_row(select, [scope], |row| row.get::<_, i64>(0));
    let all = all.optional()?.unwrap_or_default().cast_unsigned();
    let new = (key.len() + value.len()) as u64;
    let sum = all.saturating_sub(old).saturating_add(new);
    if sum > limit {
        return Ok(false);
    }
    transaction.execute(
        "INSERT INTO value (scope, key, value) VALUES (?1, ?2, ?3)
         ON CONFLICT (scope, key) DO UPDATE SET value = ?3",
        params![scope, key, value],
    )?;
    transaction.execute(
        "INSERT INTO scope (name, bytes) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET bytes = ?2",
        params![scope, sum.cast_signed()],
    )?;
    Ok(true)
}

/// Removes a value, and returns whether the key had one.
fn remove(transaction: &Transaction<'_>, scope: &str, key: &str) -> rusqlite::Result<bool> {
    let Some(size) = size_of(transaction, scope, key)? else {
        return Ok(false);
    };
    let remove = "DELETE FROM value WHERE scope = ?1 AND key = ?2";
    transaction.execute(remove, [scope, key])?;
    let reduce = "UPDATE scope SET bytes = max(bytes - ?2, 0) WHERE name = ?1";
    transaction.execute(reduce, params![scope, size.cast_signed()])?;
    Ok(true)
}

/// Returns the size of a key and its value, in bytes.
fn size_of(transaction: &Transaction<'_>, scope: &str, key: &str) -> rusqlite::Result<Option<u64>> {
    let select = "SELECT length(value) FROM value WHERE scope = ?1 AND key = ?2";
    let size = transaction.query_row(select, [scope, key], |row| row.get::<_, i64>(0));
    let size = size.optional()?.map(i64::cast_unsigned);
    Ok(size.map(|size| size + key.len() as u64))
}

fn keys(
    connection: &Connection,
    scope: &str,
    prefix: &str,
    most: usize,
) -> rusqlite::Result<Vec<String>> {
    let mut select =
        connection.prepare("SELECT key FROM value WHERE scope = ?1 AND key >= ?2 ORDER BY key")?;
    let mut rows = select.query([scope, prefix])?;
    let mut found = Vec::new();
    while found.len() < most
        && let Some(row) = rows.next()?
    {
        let key: String = row.get(0)?;
        // The keys are in the order of their bytes, and those that start with the prefix stand together.
        if !key.starts_with(prefix) {
            break;
        }
        found.push(key);
    }
    Ok(found)
}
