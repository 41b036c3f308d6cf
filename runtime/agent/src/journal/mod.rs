//! The journal: an append-only file that a person can read, of entries that a program can trust.
//!
//! # The file
//!
//! JSON Lines in UTF-8, one object a line. The first line says what the file is, each other one holds an entry:
//!
//! ```json
//! {"format":"helve.session","version":1,"crc":"ac25372e"}
//! {"seq":1,"at":"2026-11-22T09:30:00.000Z","entry":{"type":"created"},"crc":"7d2d8d96"}
//! ```
//!
//! - `seq` counts the entries from one, without gaps, so that entry `n` stands on line `n + 1`.
//! - `at` is when the entry was written, in UTC. It is for people: nothing is decided by it.
//! - `crc` is always last: the CRC-32 (that of zlib and PNG) of all bytes of the line before `,"crc"`, in eight
//!   lower-case hexadecimal digits. It finds damage; it is no protection against forgery.
//!
//! A reader refuses a `version` that is higher than its own, and it refuses an entry that it does not understand: what a
//! session does next follows from every entry, so one that is skipped could make it do a thing twice.
//!
//! # What survives what
//!
//! An entry is written by one `write` at the end of the file. [`Durability::Buffered`] leaves it at that: it survives
//! the death of the process, not that of the machine. [`Durability::Synced`] returns after `fdatasync`: it survives a
//! power failure, as far as the disk reports it truthfully. Entries that are written together are synced once. Creating
//! a journal syncs the file and the folder that it is in.
//!
//! A file that ends in the middle of a line was cut there: opening it for writing removes what is left of that line and
//! [says so](Repair). A damaged line anywhere else is [an error](JournalError::Damaged) that names the line; nothing is
//! guessed, and nothing is removed. Where an entry cannot be written whole (the disk is full), the file is cut back to
//! the entry before it, and the error says that nothing was recorded.
//!
//! # One writer
//!
//! [`JournalFile`] holds an exclusive lock on the file while it is open. [`WriterLocks`] keeps a file for one process while
//! that does not even have it open, so that thousands can be kept.

mod error;
mod head_and_tail;
mod journal_file;
mod line;
mod reader;
mod reserved;
mod storage;
mod writer_lock;

pub use error::JournalError;
pub use head_and_tail::{HeadAndTail, read_head_and_tail};
pub use helve_storage::timestamp::{InvalidTimestamp, Timestamp};
pub use journal_file::{Durability, JournalFile, Position, Repair};
pub use line::{Format, Line, MAX_LINE_BYTES};
pub use reader::JournalReader;
pub(crate) use reserved::{ReservedField, is_default};
pub use writer_lock::{LockHolder, WriterLock, WriterLocks};
