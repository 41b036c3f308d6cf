//! Sessions: conversations that go on the next day, in another process, on another machine.
//!
//! A session is the fold of its [entries](Entry), which a [`SessionStore`] keeps in order: [`FolderStore`] in one
//! [journal](crate::journal) a session, [`MemoryStore`] for tests and for conversations that need not be
//! stored. [`Sessions`] gives access to a store. [`Sessions::load`] gives the [`History`], which is what a driver goes
//! on from, and the [`Session`], by which it writes: first the record, then what the record says.
//!
//! ```
//! use helve::agent::session::{SessionMetadata, Entry, MemoryStore, Sessions};
//! use helve::agent::turn::{Bounds, Purpose, Record, Step};
//! use helve::transcript::journal::Durability;
//! use helve::transcript::{Message, Origin};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), helve::agent::session::SessionError> {
//! let sessions = Sessions::new(MemoryStore::new());
//! let mut session = sessions.create(SessionMetadata::new("example").session("s")).await?;
//! let origin = Origin::new("main", session.state().next_turn());
//! let prompt = vec![Message::user("What is 2 + 3?")];
//! let begun = Entry::turn_started(&origin, Bounds::new(10), prompt);
//! session.append(begun, Durability::Synced).await?;
//! let called = Record::ModelStarted { round: 1, purpose: Purpose::Reply };
//! session.append(Entry::record(&origin, called), Durability::Buffered).await?;
//! drop(session); // The process dies.
//!
//! let loaded = sessions.load(&"s".into()).await?;
//! let turn = loaded.history.open_turn().expect("it is not over");
//! assert!(turn.in_flight());
//! assert_eq!(turn.next(), [Step::Wait]);
//! assert_eq!(loaded.history.messages, [Message::user("What is 2 + 3?")]);
//! # Ok(())
//! # }
//! ```
//!
//! # What is decided here
//!
//! - **Records that come too late are kept and change nothing**, then and at every reload: the fold is the judge.
//! - **There is no snapshot.** A hundred thousand entries are folded in half a second on a busy machine, so that a second
//!   truth beside the journal would cost more than it saves.
//! - **What is written is what was said**: nothing is taken out of an entry on its way to the disk, for a session that
//!   is loaded has to be the one that was left. Secrets are taken out of results before they become records.
//! - **An idle session has no file open and no thread.** It knows where it stands, in about a kilobyte; the conversation
//!   is on the disk.
//! - **Answers and results from other processes** come through a drop folder, under the address of their call. They are
//!   written as records first and cleared then, so that a crash in between loses nothing and doubles nothing.

mod entry;
mod error;
mod export;
mod fork;
mod handle;
mod history;
mod id;
mod posting;
mod sessions;
mod state;
mod store;
mod waiting_calls;

pub use super::authority::{DelegationKind, TurnAuthority};
pub use entry::{
    Artifact, Entry, FORMAT, Fork, SessionMetadata, TurnEnded, TurnRecord, TurnStarted,
};
pub use error::SessionError;
pub use export::ExportFormat;
pub use handle::Session;
pub use history::History;
pub use posting::{Posting, ReceivedPosting};
pub use sessions::{LoadedSession, Sessions};
pub use state::SessionState;
pub use store::{
    EntryPage, FolderStore, MemoryStore, OpenedSession, SessionStore, SessionSummary,
    SessionWriter, StoreFuture, TimestampedEntry,
};
pub use waiting_calls::{AwaitedInput, WaitingCall};
