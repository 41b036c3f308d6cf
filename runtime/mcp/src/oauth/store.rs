//! The store of logins: one file per server, which only the user can read.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::OAuthError;
use super::record::LoginRecord;
use super::target::Target;
use helve_core::support::hex;
use helve_core::support::lock::Mutex;
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::bounded_read::{is_not_found, read_if_exists};
use helve_storage::file_lock::{FileLock, LockTimeout};
use helve_storage::private_files;

const LARGEST: u64 = 1 << 20;

/// How often to retry the lock that another process holds, and the delay between two attempts.
const TRIES: u32 = 300;
const PAUSE: Duration = Duration::from_millis(100);

/// Stores logins in a folder or in memory.
#[derive(Debug, Clone)]
pub(super) enum Store {
    Folder(Arc<Path>),
    Memory(Arc<Mutex<HashMap<String, LoginRecord>>>),
}

/// Prevents other processes from renewing the same login.
#[derive(Debug)]
#[expect(dead_code, reason = "held for what its end does")]
pub(super) struct StoreLock(Option<FileLock>);

impl Store {
    /// Returns the login to a server, if it belongs to the configured client.
    pub(super) async fn load(&self, target: &Target) -> Result<Option<LoginRecord>, OAuthError> {
        let record = match self {
            Self::Memory(records) => {
                let records = records.lock();
                records.get(target.url.as_str()).cloned()
            }
            Self::Folder(folder) => {
                let path = file_of(folder, target);
                let read = path.clone();
                blocking(path, move || read_record(&read)).await?
            }
        };
        // Two configurations may have the same URL, and need separate logins.
        let belongs = |record: &LoginRecord| {
            let configured = target.auth.client_id.as_deref();
            record.server == target.url.as_str()
                && configured.is_none_or(|id| id == record.client_id || is_document(id))
        };
        Ok(record.filter(belongs))
    }

    /// Stores the login to a server, and replaces the previous one.
    pub(super) async fn save(
        &self,
        target: &Target,
        record: LoginRecord,
    ) -> Result<(), OAuthError> {
        match self {
            Self::Memory(records) => {
                let mut records = records.lock();
                records.insert(target.url.as_str().to_owned(), record);
                Ok(())
            }
            Self::Folder(folder) => {
                let path = file_of(folder, target);
                let written = path.clone();
                blocking(path, move || write_record(&written, &record)).await
            }
        }
    }

    /// Removes the login to a server, and returns whether there was one.
    pub(super) async fn forget(&self, target: &Target) -> Result<bool, OAuthError> {
        match self {
            Self::Memory(records) => {
                let mut records = records.lock();
                Ok(records.remove(target.url.as_str()).is_some())
            }
            Self::Folder(folder) => {
                let path = file_of(folder, target);
                let removed = path.clone();
                blocking(path, move || match fs::remove_file(removed) {
                    Ok(()) => Ok(true),
                    Err(error) if is_not_found(&error) => Ok(false),
                    Err(error) => Err(error),
                })
                .await
            }
        }
    }

    /// Waits until no other process renews this login, because a refresh token often can be used only once.
    pub(super) async fn guard(&self, target: &Target) -> Result<StoreLock, OAuthError> {
        let Self::Folder(folder) = self else {
            return Ok(StoreLock(None));
        };
        let path = file_of(folder, target).with_extension("lock");
        for _ in 0..TRIES {
            let at = path.clone();
            let taken = blocking(path.clone(), move || take(&at)).await?;
            if taken.is_some() {
                return Ok(StoreLock(taken));
            }
            tokio::time::sleep(PAUSE).await;
        }
        let source = LockTimeout::error(&path, TRIES * PAUSE);
        Err(failed(path)(source))
    }
}

/// Returns whether an id is the URL of a client metadata document, which is the same for all authorization servers.
pub(super) fn is_document(id: &str) -> bool {
    id.starts_with("https://")
}

fn file_of(folder: &Path, target: &Target) -> PathBuf {
    let digest = Sha256::digest(target.url.as_str());
    folder.join(hex::encode(&digest[..16]) + ".json")
}

async fn blocking<T: Send + 'static>(
    path: PathBuf,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, OAuthError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(io::Error::other)
        .flatten()
        .map_err(failed(path))
}

fn failed(path: PathBuf) -> impl FnOnce(io::Error) -> OAuthError {
    |source| OAuthError::Store {
        path,
        source: Arc::new(source),
    }
}

fn read_record(path: &Path) -> io::Result<Option<LoginRecord>> {
    let Some(text) = read_if_exists(path, LARGEST)? else {
        return Ok(None);
    };
    // A file of a newer version, or a corrupt one, is ignored: a new login replaces it.
    Ok(serde_json::from_slice(&text)
        .inspect_err(
            |error| tracing::warn!(path = %path.display(), %error, "this login is not readable"),
        )
        .ok())
}

fn write_record(path: &Path, record: &LoginRecord) -> io::Result<()> {
    make_folder(path)?;
    let text = serde_json::to_vec_pretty(record)?;
    AtomicFile::new(path, FilePermissions::OwnerOnly).replace(&[&text])
}

fn take(path: &Path) -> io::Result<Option<FileLock>> {
    make_folder(path)?;
    FileLock::try_lock(private_files::read_write().open(path)?)
}

fn make_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), private_files::create_folder)
}
