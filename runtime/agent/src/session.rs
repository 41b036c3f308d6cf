//! Sessions: conversations that continue later, in another process or on another machine.
//!
//! A session is the fold of its [entries](Entry), which a [`SessionStore`] stores in order: [`FolderStore`] in one
//! [journal](crate::journal) for each session, [`MemoryStore`] for tests and for conversations that need not be stored.
//! [`Sessions`] gives access to a store. [`Sessions::load`] returns the [`History`], from which a driver continues, and
//! the [`Session`], to which the driver writes: a record is written before the action that the record describes is
//! performed.
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
//! # Design decisions
//!
//! - **A stale record is stored and changes nothing**, neither when it is written nor at any reload: the fold decides.
//! - **There is no snapshot.** A hundred thousand entries are folded in half a second on a busy machine, so a second
//!   copy of the state beside the journal would cost more than it saves.
//! - **Entries are written unchanged**: nothing is removed from an entry on its way to the disk, because a loaded
//!   session must equal the session that was written. Secrets are redacted from results before the results become
//!   records.
//! - **An idle session has no open file and no thread.** It holds only its state, about a kilobyte; the conversation is
//!   on the disk.
//! - **A session that is held has a [`Lease`]**, with an epoch that is higher at each opening. A process that is killed
//!   loses it at once, and a process that is stopped for longer than it lasts can lose it to another one; the late write
//!   of the first is refused.
//! - **Answers, results and messages from other processes** arrive in a drop folder, named after the address of their
//!   call or their id. They are written as records first and removed afterwards, so a crash in between neither loses nor
//!   duplicates them.

mod ended_turn;
mod entry;
mod error;
mod export;
mod fork;
mod handle;
mod history;
mod id;
mod job_origin;
mod posting;
mod projection;
mod sessions;
mod state;
mod store;
mod store_checks;
mod taken_over;
mod waiting_calls;

pub use super::authority::{DelegationKind, TurnAuthority};
pub use crate::journal::Lease;
pub(crate) use ended_turn::{EndedTurn, repair_turn};
pub use entry::{
    Artifact, Entry, FORMAT, Fork, SessionMetadata, TurnEnded, TurnRecord, TurnStarted,
};
pub use error::SessionError;
pub use export::ExportFormat;
pub use handle::Session;
pub use history::History;
pub use job_origin::JobOrigin;
pub use posting::{Posting, PostingHeader, PostingReceipt, PostingTarget, ReceivedPosting};
pub use projection::SessionProjection;
pub use sessions::{LoadedSession, SessionChange, Sessions};
pub use state::SessionState;
pub use store::{
    EntryPage, FolderStore, MemoryStore, OpenedSession, SessionStore, SessionSummary,
    SessionWriter, StoreFuture, StoreWatch, TimestampedEntry,
};
pub use store_checks::{StoreCheckFailure, StoreCheckFailures, StoreChecks};
pub use taken_over::{HandOffView, TakenOver};
pub use waiting_calls::{AwaitedInput, WaitingCall, WaitingSession};
