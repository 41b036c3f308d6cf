//! Stored keys and values in an embedded store.

mod error;
mod store;

pub use error::StoreError;
pub use store::KeyValueStore;
