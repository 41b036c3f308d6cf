//! What can go wrong with a store.

use std::path::PathBuf;

/// A store that did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The key is empty or too long.
    #[error("a key has 1 to {limit} bytes, not {size}; use a shorter one")]
    Key {
        /// Its length, in bytes.
        size: usize,
        /// The greatest length.
        limit: usize,
    },
    /// The value is too large.
    #[error("the value has {size} bytes, and at most {limit} can be stored; split it")]
    ValueTooLarge {
        /// Its size, in bytes.
        size: usize,
        /// The greatest size.
        limit: usize,
    },
    /// The scope is full.
    #[error("the store is full: the limit is {limit} bytes; remove a key first")]
    Full {
        /// How many bytes are stored at most.
        limit: u64,
    },
    /// The file is no store, or is damaged.
    #[error(
        "`{}` is damaged or is not a key-value store, and was not changed; move the file to start with an empty store",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, if it is known.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The file cannot be used.
    #[error("`{}` cannot be used to store values", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The program is ending.
    #[error("the program is shutting down")]
    Stopped,
}

impl StoreError {
    pub(super) fn from_redb(path: PathBuf, error: redb::Error) -> Self {
        let damaged = match &error {
            redb::Error::Corrupted(_)
            | redb::Error::UpgradeRequired(_)
            | redb::Error::TableTypeMismatch { .. }
            | redb::Error::TableIsMultimap(_) => true,
            // A file that was never one.
            redb::Error::Io(error) => error.kind() == std::io::ErrorKind::InvalidData,
            _ => false,
        };
        if damaged {
            let source = Some(error.into());
            return Self::Damaged { path, source };
        }
        let source = error.into();
        Self::Unusable { path, source }
    }
}
