//! The memory of [helve](https://docs.rs/helve)'s agents: what is remembered from earlier sessions, in Markdown files that
//! people read and edit. Depend on `helve` instead of this crate.
//!
//! An entry is a file below the folder of a [scope](MemoryScope), with front matter that says who wrote it and how far it
//! can be trusted. What a model writes after it has read text from outside waits until a person has reviewed it, and is
//! neither searched nor shown to a model before. The index of words is made from the files and can be removed at any time.
//!
//! The modules, from the lowest: `path`, `error`, `entry`, `front_matter` (entries as files), `store` (the trait of stores),
//! `files` (the store of files), `meaning` (entries by their meaning), `base`, `memory` and `session_memory` (who reaches what),
//! `recall` (what a model reads without asking), `context` (the memory of a call), `console` (what a person sees); and `trust`
//! (whether the user has accepted a project), which uses none of them.

mod base;
mod console;
mod context;
mod entry;
mod error;
mod files;
mod front_matter;
#[cfg(test)]
mod labelled;
mod meaning;
mod memory;
mod path;
mod recall;
mod session_memory;
mod store;
mod trust;

pub use console::MemoryConsole;
pub use context::MemoryContext;
pub use entry::{
    MemoryAuthor, MemoryEntry, MemoryKind, MemorySource, MemoryTrust, UnknownMemoryWord,
};
pub use error::MemoryError;
pub use files::FileMemory;
pub use helve_text_index::{EmbedError, EmbedFuture, TextEmbedder};
pub use memory::Memory;
pub use path::{InvalidMemoryPath, MemoryPath, MemoryScope, UnknownMemoryScope};
pub use session_memory::{NewMemory, SessionMemory};
pub use store::{
    MemoryAction, MemoryChange, MemoryFuture, MemoryHit, MemoryKey, MemoryReceipt, MemoryStore,
    PendingChange, PutCondition, StoredEntry,
};
pub use trust::ProjectTrust;
