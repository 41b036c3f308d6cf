//! The API keys that `login` stores: one file of the user, which only the user can read.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::file_lock::FileLock;
use helve_storage::{private_files, user_folders};

/// The keys by the names of their providers.
type Keys = BTreeMap<String, String>;

#[derive(Debug)]
pub(crate) struct StoredKeys {
    path: PathBuf,
}

impl StoredKeys {
    /// Returns the keys of the user; `None` if there is no home folder.
    pub(crate) fn for_user() -> Option<Self> {
        let folder = user_folders::config()?.join("helve");
        Some(Self {
            path: folder.join("credentials.toml"),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the keys; none if the file does not exist.
    pub(crate) fn read(&self) -> io::Result<Keys> {
        let text = match std::fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Keys::new()),
            text => text?,
        };
        // The error of the parser would quote a line, and so a key.
        let invalid = || io::Error::other("expected lines `provider = \"key\"`");
        toml::from_str(&text).map_err(|_| invalid())
    }

    pub(crate) fn store(&self, provider: &str, key: &str) -> io::Result<()> {
        self.change(|keys| keys.insert(provider.to_owned(), key.to_owned()))?;
        Ok(())
    }

    /// Removes the key of a provider, and reports whether there was one.
    pub(crate) fn remove(&self, provider: &str) -> io::Result<bool> {
        if !self.read()?.contains_key(provider) {
            return Ok(false);
        }
        Ok(self.change(|keys| keys.remove(provider))?.is_some())
    }

    fn change<T>(&self, change: impl FnOnce(&mut Keys) -> T) -> io::Result<T> {
        if let Some(folder) = self.path.parent() {
            private_files::create_folder(folder)?;
        }
        let _lock = FileLock::lock_parent_of(&self.path)?;
        let mut keys = self.read()?;
        let changed = change(&mut keys);
        let text = toml::to_string(&keys).map_err(io::Error::other)?;
        AtomicFile::new(&self.path, FilePermissions::OwnerOnly).replace(&[text.as_bytes()])?;
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_stored_for_their_user_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let keys = StoredKeys {
            path: folder.path().join("helve/credentials.toml"),
        };
        assert!(keys.read().expect("no file").is_empty());
        assert!(!keys.remove("openai").expect("no file"));
        keys.store("openai", "sk-\"1\"").expect("a file");
        keys.store("my.gateway", "2").expect("a file");
        keys.store("openai", "3").expect("a file");
        let read = keys.read().expect("a file");
        assert_eq!(read["openai"], "3");
        assert_eq!(read["my.gateway"], "2");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&keys.path).expect("a file").permissions();
            assert_eq!(mode.mode() & 0o777, 0o600);
        }
        assert!(keys.remove("openai").expect("a file"));
        assert_eq!(keys.read().expect("a file").len(), 1);
        std::fs::write(&keys.path, "openai = sk-secret").expect("a file");
        let error = keys.read().expect_err("no TOML").to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}
