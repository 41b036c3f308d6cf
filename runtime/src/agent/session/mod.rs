//! Sessions: conversations that go on the next day, in another process, on another machine.
//!
//! A session is the fold of its [entries](Entry), which a [`SessionStore`] keeps in order: [`FolderStore`] in one
//! [journal](crate::transcript::journal) a session, [`MemoryStore`] for tests and for what nobody wants to keep.
//! [`Sessions`] is the door to a store. [`Sessions::load`] gives the [`History`], which is what a driver goes on from,
//! and the [`Session`], by which it writes: first the record, then what the record says.

mod entry;
mod error;
mod export;
mod fork;
mod history;
mod id;
mod posting;
mod session;
mod sessions;
mod standing;
mod store;
mod waiting;

pub use entry::{About, Artifact, Entry, FORMAT, Fork, Recorded, TurnEnded, TurnStarted};
pub use error::SessionError;
pub use export::Export;
pub use history::History;
pub use posting::{Posted, Posting};
pub use session::Session;
pub use sessions::{Loaded, Sessions};
pub use standing::Standing;
pub use store::{
    FolderStore, MemoryStore, Opened, Page, SessionStore, SessionWriter, Stamped, Summary,
};
pub use waiting::{Awaited, Waiting};
