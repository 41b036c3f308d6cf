//! The state of [helve](https://docs.rs/helve) that several processes change: one SQLite file, in which they claim work
//! and tools store values. Depend on `helve` instead of this crate.
//!
//! The modules, from the lowest: `error`, `time`, `database` (opens the file and runs transactions), `work` (the values
//! that a queue takes and returns), `queue`, `runner`; and `key_value` and `records` above `database`.

mod database;
mod error;
mod key_value;
mod queue;
mod records;
mod runner;
mod time;
mod work;

pub use database::{Database, Durability, FileFormat};
pub use error::StateError;
pub use key_value::{KeyValueStore, StoreError};
pub use queue::WorkQueue;
pub use records::{RecordStore, StoredRecord};
pub use runner::{Runner, WorkOutcome};
pub use tokio_util::sync::CancellationToken;
pub use work::{Claim, ClaimedWork, NewWork, Put, WorkEntry};
