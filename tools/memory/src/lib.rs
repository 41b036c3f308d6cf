//! The tools of [helve](https://docs.rs/helve) that read and write memory. Depend on `helve`, not on this crate.
//!
//! `memory` changes files as models have learned to; `remember`, `recall`, `forget` and `memory_search` work on entries. Both
//! see the same files.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod arguments;
mod entries;
mod files;
mod lines;
mod listing;

pub use self::arguments::{MemoryCommand, MemoryKindArgument, MemoryScopeArgument};
pub use self::entries::{forget, memory_search, recall, remember};
pub use self::files::memory;

/// Returns the toolset of the memory.
#[must_use]
pub fn toolset() -> helve::Toolset {
    helve::toolset![memory, memory_search, remember, recall, forget]
}
