//! A store of keys and values in one file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use redb::backends::FileBackend;
use redb::{Builder, ConcurrencyMode, Database, ReadableDatabase, ReadableTable, TableDefinition};
use tokio::sync::OnceCell;

use super::StoreError;
use helve_core::capability::{BackendError, KeyValueBackend};
use helve_storage::private_files;

const VALUES: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("values");
const SIZES: TableDefinition<'_, &str, u64> = TableDefinition::new("sizes");

/// The size of the cache, in bytes.
const CACHE: usize = 4 << 20;

/// The size of the largest file whose integrity is checked when the file is opened, in bytes.
const MAX_VERIFIED_BYTES: u64 = 16 << 20;

/// A store of keys and values in one file. The file survives crashes, and several processes may use it at the same
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

    /// Returns a store for the file at `path`. The first operation opens the file, and creates the file if it does not
    /// exist.
    pub fn lazy(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            database_cell: OnceCell::new(),
            scope_limit: Self::DEFAULT_SCOPE_LIMIT,
        }
    }

    /// Opens the file at `path`, and creates the file and its parent folders if they do not exist.
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
            let opened = tokio::task::spawn_blocking(move || open_file(&path)).await;
            self.convert_result(opened).map(Arc::new)
        };
        self.database_cell.get_or_try_init(open).await
    }

    /// Runs `work` on the file, on a thread that may block.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, StoreFailure> + Send + 'static,
    ) -> Result<T, BackendError> {
        let database = Arc::clone(self.database().await?);
        let done = tokio::task::spawn_blocking(move || work(&database)).await;
        Ok(self.convert_result(done)?)
    }

    fn convert_result<T>(
        &self,
        done: Result<Result<T, StoreFailure>, tokio::task::JoinError>,
    ) -> Result<T, StoreError> {
        let path = self.path.clone();
        match done {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(StoreFailure::Limit(error))) => Err(error),
            Ok(Err(StoreFailure::Store(error))) => Err(StoreError::from_redb(path, *error)),
            // The library trusts the contents of its file, and panics if the contents are not what it wrote.
            Err(error) if error.is_panic() => Err(StoreError::Damaged { path, source: None }),
            Err(_) => Err(StoreError::Stopped),
        }
    }
}

impl KeyValueBackend for KeyValueStore {
    fn get<'a>(&'a self, scope: &'a str, key: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let (scope, key) = (scope.to_owned(), validate_key(key)?);
            self.run(move |database| read(database, &scope, &key)).await
        })
    }

    fn set<'a>(&'a self, scope: &'a str, key: &'a str, value: Vec<u8>) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let (scope, key, limit) = (scope.to_owned(), validate_key(key)?, self.scope_limit);
            if value.len() > Self::MAX_VALUE_BYTES {
                let (size, limit) = (value.len(), Self::MAX_VALUE_BYTES);
                return Err(StoreError::ValueTooLarge { size, limit }.into());
            }
            let write = move |database: &Database| {
                write(database, &scope, &key, Some(&value), limit).map(|_| ())
            };
            self.run(write).await
        })
    }

    fn remove<'a>(&'a self, scope: &'a str, key: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let (scope, key) = (scope.to_owned(), validate_key(key)?);
            self.run(move |database| write(database, &scope, &key, None, u64::MAX))
                .await
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
            self.run(move |database| keys(database, &scope, &prefix, most))
                .await
        })
    }
}

type StoreFuture<'a, T> = BoxFuture<'a, Result<T, BackendError>>;

enum StoreFailure {
    Limit(StoreError),
    Store(Box<redb::Error>),
}

impl<E: Into<redb::Error>> From<E> for StoreFailure {
    fn from(error: E) -> Self {
        Self::Store(Box::new(error.into()))
    }
}

fn validate_key(key: &str) -> Result<String, StoreError> {
    if key.is_empty() || key.len() > KeyValueStore::MAX_KEY_BYTES {
        let (size, limit) = (key.len(), KeyValueStore::MAX_KEY_BYTES);
        return Err(StoreError::Key { size, limit });
    }
    Ok(key.to_owned())
}

fn open_file(path: &Path) -> Result<Database, StoreFailure> {
    let io = |error: std::io::Error| StoreFailure::Store(Box::new(redb::Error::Io(error)));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    let file = private_files::read_write().open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let mut builder = Builder::new();
    builder
        .set_cache_size(CACHE)
        .set_check_integrity_on_open(size <= MAX_VERIFIED_BYTES);
    if cfg!(any(target_os = "linux", target_vendor = "apple", windows)) {
        builder.set_concurrency_mode(ConcurrencyMode::MultiWriter);
    }
    Ok(builder.create_with_backend(FileBackend::new(file)?)?)
}

fn read(database: &Database, scope: &str, key: &str) -> Result<Option<Vec<u8>>, StoreFailure> {
    let transaction = database.begin_read()?;
    let values = match transaction.open_table(VALUES) {
        Ok(values) => values,
        // No value was written yet.
        Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let found = values.get((scope, key))?;
    Ok(found.map(|value| value.value().to_vec()))
}

/// Writes or removes a value, and returns whether the key existed before.
fn write(
    database: &Database,
    scope: &str,
    key: &str,
    value: Option<&[u8]>,
    limit: u64,
) -> Result<bool, StoreFailure> {
    let transaction = database.begin_write()?;
    let was_there;
    {
        let mut values = transaction.open_table(VALUES)?;
        let mut sizes = transaction.open_table(SIZES)?;
        let size_of = |value: &[u8]| (key.len() + value.len()) as u64;
        let old = values.get((scope, key))?.map(|old| size_of(old.value()));
        let all = sizes.get(scope)?.map_or(0, |size| size.value());
        let rest = all.saturating_sub(old.unwrap_or_default());
        let new = rest.saturating_add(value.map_or(0, size_of));
        was_there = old.is_some();
        match value {
            // Dropping the transaction discards the changes.
            Some(_) if new > limit => {
                return Err(StoreFailure::Limit(StoreError::Full { limit }));
            }
            Some(value) => drop(values.insert((scope, key), value)?),
            None => drop(values.remove((scope, key))?),
        }
        sizes.insert(scope, new)?;
    }
    transaction.commit()?;
    Ok(was_there)
}

fn keys(
    database: &Database,
    scope: &str,
    prefix: &str,
    most: usize,
) -> Result<Vec<String>, StoreFailure> {
    let transaction = database.begin_read()?;
    let values = match transaction.open_table(VALUES) {
        Ok(values) => values,
        Err(redb::TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut found = Vec::new();
    for entry in values.range((scope, prefix)..)? {
        let (at, _) = entry?;
        let (in_scope, key) = at.value();
        if in_scope != scope || !key.starts_with(prefix) || found.len() >= most {
            break;
        }
        found.push(key.to_owned());
    }
    Ok(found)
}
