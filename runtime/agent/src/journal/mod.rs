//! The journal: an append-only, human-readable file of entries that are protected by checksums.
//!
//! # The file
//!
//! JSON Lines in UTF-8, one object per line. The first line is the header; each other line contains an entry:
//!
//! ```json
//! {"format":"helve.session","version":1,"crc":"ac25372e"}
//! {"seq":1,"at":"2026-11-22T09:30:00.000Z","entry":{"type":"created"},"crc":"7d2d8d96"}
//! ```
//!
//! - `seq` numbers the entries from 1, without gaps, so entry `n` is on line `n + 1`.
//! - `at` is the time at which the entry was written, in UTC. It is for human readers: no decision depends on it.
//! - `crc` is always last: the CRC-32 (that of zlib and PNG) of all bytes of the line before `,"crc"`, in eight
//!   lower-case hexadecimal digits. It detects damage; it does not protect against forgery.
//!
//! A reader rejects a `version` that is higher than its own, and an entry that it does not understand: the next steps
//! of a session follow from every entry, so a session that skipped one could perform an action twice.
//!
//! # Durability
//!
//! An entry is appended by one `write`. With [`Durability::Buffered`] nothing else happens: the entry survives the
//! death of the process, but not a crash of the machine. [`Durability::Synced`] returns after `fdatasync`: the entry
//! survives a power failure, as far as the disk reports truthfully. Entries that are written together are synced once.
//! Creating a journal syncs the file and its folder.
//!
//! A file that ends in the middle of a line was cut there: opening it for writing removes the incomplete line and
//! [reports this](Repair). A damaged line anywhere else is [an error](JournalError::Damaged) that names the line;
//! nothing is guessed, and nothing is removed. If an entry cannot be written whole (the disk is full), the file is
//! truncated to the previous entry, and the error states that nothing was recorded.
//!
//! # One writer
//!
//! [`JournalFile`] holds an exclusive lock on the file while the file is open. [`WriterLocks`] reserves a journal for
//! one process without keeping its file open, so a process can hold thousands of journals. A process that is stopped
//! for longer than its [`Lease`] lasts can lose its journals to another one, and then no longer writes to them.

mod error;
mod head_and_tail;
mod journal_file;
mod lease;
mod line;
mod reader;
mod reserved;
mod storage;
mod writer_lock;

pub use error::JournalError;
pub use head_and_tail::{HeadAndTail, read_head_and_tail};
pub use helve_storage::timestamp::{InvalidTimestamp, Timestamp};
pub use journal_file::{Durability, JournalFile, Position, Repair};
pub use lease::Lease;
pub use line::{Format, Line, MAX_LINE_BYTES};
pub use reader::JournalReader;
pub(crate) use reserved::{ReservedField, is_default};
pub use writer_lock::{LockHolder, WriterLock, WriterLocks};
