//! Errors of a key-value store.

use std::path::PathBuf;

use crate::error::StateError;

/// An error of an operation on the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The key is empty or too long.
    #[error("a key has 1 to {limit} bytes, not {size}; use a shorter one")]
    Key {
        /// The length of the key, in bytes.
        size: usize,
        /// The greatest length of a key, in bytes.
        limit: usize,
    },
    /// The value is too large.
    #[error("the value has {size} bytes, and at most {limit} can be stored; split it")]
    ValueTooLarge {
        /// The size of the value, in bytes.
        size: usize,
        /// The greatest size of a value, in bytes.
        limit: usize,
    },
    /// The scope has reached its size limit.
    #[error("the store is full: the limit is {limit} bytes; remove a key first")]
    Full {
        /// The size limit of a scope, in bytes.
        limit: u64,
    },
    /// The file is not a state file, or is damaged.
    #[error(
        "`{}` is damaged or is not a state file, and was not changed; move it away, with the files `-wal` and `-shm` \
         beside it, to start with an empty one",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The cause, if it is known.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The file cannot be opened, read or written.
    #[error("`{}` cannot be used to store values", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The program is shutting down.
    #[error("the program is shutting down")]
    Stopped,
}

impl From<StateError> for StoreError {
    fn from(error: StateError) -> Self {
        match error {
            StateError::Damaged { path, source } => Self::Damaged { path, source },
            StateError::Unusable { path, source } => Self::Unusable { path, source },
            StateError::Stopped => Self::Stopped,
            StateError::Newer { ref path, .. }
            | StateError::ReadOnly { ref path, .. }
            | StateError::Busy { ref path, .. } => Self::Unusable {
                path: path.clone(),
                source: error.into(),
            },
            StateError::Length { .. } => Self::Unusable {
                path: PathBuf::new(),
                source: error.into(),
            },
        }
    }
}
