//! An embedded store of keys and values.

mod error;
mod store;

pub use error::StoreError;
pub use store::KeyValueStore;
